/** Colophon's own processes as parts that can be started, killed and started again, for development, tests and proofs. */
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { Part } from './part.ts'
import { runCommand } from './run-command.ts'

const processNames = ['serve', 'api', 'worker', 'runner'] as const
type ProcessName = (typeof processNames)[number]

export interface ProcessOptions {
  environment: Record<string, string>
  /** Where its log goes. */
  directory: string
  print?: (line: string) => void
  /** Restart when a source file changes. */
  watch?: boolean
  /** The checkout to run; ours unless said otherwise. */
  checkout?: string
}

export interface ColophonProcess {
  part: Part
  url: string
}

const ownCheckout = join(import.meta.dirname, '..')
const command = (checkout: string, name: string, watch = false) => [
  process.execPath,
  ...(watch ? ['--watch', '--watch-preserve-output'] : []),
  join(checkout, 'server/src/main/colophon-server.ts'),
  name,
]

const listenSettings = {
  serve: 'COLOPHON_LISTEN',
  api: 'COLOPHON_LISTEN',
  worker: 'COLOPHON_GATEWAY_LISTEN',
  runner: 'COLOPHON_RUNNER_LISTEN',
} as const satisfies Record<ProcessName, string>

/** Prepares a process on a port that stays its own over restarts; `part.start()` starts it and waits until it answers. */
export async function prepareProcess(name: ProcessName, options: ProcessOptions): Promise<ColophonProcess> {
  const listen = options.environment[listenSettings[name]] ?? `127.0.0.1:${await freePort()}`
  const url = `http://${listen}`
  const part = new Part({
    name,
    command: command(options.checkout ?? ownCheckout, name, options.watch),
    env: { PATH: process.env.PATH, [listenSettings[name]]: listen, ...options.environment },
    cwd: options.checkout ?? ownCheckout,
    logFile: join(options.directory, `${name}.log`),
    ...(options.print && { print: options.print }),
    isReady: async () => (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1000) })).ok,
    readyWithinSeconds: 30,
  })
  return { part, url }
}

/** `colophon-server migrate`, to its end. Returns what it printed. */
export const runMigrate = (environment: Record<string, string>, checkout = ownCheckout): Promise<string> =>
  runCommand(command(checkout, 'migrate'), { env: { PATH: process.env.PATH, ...environment }, cwd: checkout })
