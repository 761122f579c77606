/** Colophon's own processes, which can be started, killed and restarted, for development, tests and proofs. */
import { join } from 'node:path'
import { freePort } from '../services/free-port.ts'
import { ManagedProcess } from '../services/managed-process.ts'
import { runCommand } from '../services/run-command.ts'
import { withDatabaseRoleOf } from './database-roles.ts'

const processNames = ['serve', 'api', 'worker', 'runner'] as const
type ProcessName = (typeof processNames)[number]

export interface ProcessOptions {
  environment: Record<string, string>
  /** Directory of the log file. */
  directory: string
  print?: (line: string) => void
  /** The checkout to run. Default: this one. */
  checkout?: string
}

export interface ColophonProcess {
  process: ManagedProcess
  url: string
}

const ownCheckout = join(import.meta.dirname, '../..')
const command = (checkout: string, name: string) => [
  process.execPath,
  join(checkout, 'server/src/main/colophon-server.ts'),
  name,
]

/** Node keeps compiled modules there, which makes the second start of a process three times as fast. */
const compileCacheSettings = (checkout: string) => ({
  NODE_COMPILE_CACHE: join(checkout, 'node_modules/.cache/node-compile'),
})

const listenSettings = {
  serve: 'COLOPHON_LISTEN',
  api: 'COLOPHON_LISTEN',
  worker: 'COLOPHON_GATEWAY_LISTEN',
  runner: 'COLOPHON_RUNNER_LISTEN',
} as const satisfies Record<ProcessName, string>

/** Prepares a process that keeps its port across restarts. `process.start()` starts it and waits until it responds. */
export async function prepareColophonProcess(name: ProcessName, options: ProcessOptions): Promise<ColophonProcess> {
  const listen = options.environment[listenSettings[name]] ?? `127.0.0.1:${await freePort()}`
  const url = `http://${listen}`
  const { checkout = ownCheckout } = options
  const managedProcess = new ManagedProcess({
    name,
    command: command(checkout, name),
    env: {
      PATH: process.env.PATH,
      ...compileCacheSettings(checkout),
      [listenSettings[name]]: listen,
      ...withDatabaseRoleOf([name], options.environment),
    },
    cwd: checkout,
    logFile: join(options.directory, `${name}.log`),
    ...(options.print && { print: options.print }),
    isReady: async () => (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1000) })).ok,
    readyWithinSeconds: 90, // on a busy machine, the self-test of a runner took more than 30 s
  })
  return { process: managedProcess, url }
}

/** Runs `colophon-server migrate` or `admin …` until it exits, and returns its standard output. */
export async function runColophonCommand(
  args: readonly string[],
  {
    environment,
    checkout = ownCheckout,
    stdin,
  }: { environment: Record<string, string>; checkout?: string; stdin?: string },
): Promise<string> {
  const [name = '', ...rest] = args
  return (
    await runCommand([...command(checkout, name), ...rest], {
      env: { PATH: process.env.PATH, ...compileCacheSettings(checkout), ...withDatabaseRoleOf(args, environment) },
      cwd: checkout,
      ...(stdin !== undefined && { stdin }),
    })
  ).trim()
}
