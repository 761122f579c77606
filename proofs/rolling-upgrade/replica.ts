/** One of the two replicas of a kind. It is replaced by a process of another version, at another address. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CleanUp } from '../../testing/harness/colophon.ts'
import { freePort } from '../../testing/services/free-port.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import type { Balancer } from './balancer.ts'

/** A version that processes are started from. */
export interface Version {
  name: string
  checkout: string
  settings: Readonly<Record<'api' | 'worker' | 'runner', Readonly<Record<string, string>>>>
}

const listenSettings = {
  api: 'COLOPHON_LISTEN',
  worker: 'COLOPHON_GATEWAY_LISTEN',
  runner: 'COLOPHON_RUNNER_LISTEN',
} as const

/** Longer than a running turn takes: a worker has 20 s for publishing, and runners get this setting. */
export const stopWithinSeconds = 60

export class Replica {
  readonly name: string
  readonly #kind: keyof typeof listenSettings
  readonly #run: CleanUp
  readonly #directory: string
  readonly #balancer: Balancer | undefined
  #process: ManagedProcess | undefined
  #url: string | undefined

  constructor(
    run: CleanUp,
    {
      kind,
      number,
      directory,
      balancer,
    }: {
      kind: keyof typeof listenSettings
      number: number
      directory: string
      balancer: Balancer | undefined
    },
  ) {
    this.name = `${kind} ${number}`
    this.#kind = kind
    this.#run = run
    this.#directory = directory
    this.#balancer = balancer
  }

  get process(): { pid: number | undefined } {
    return { pid: this.#process?.pid }
  }

  /** Returns when the new process is ready. */
  async replaceBy(version: Version): Promise<void> {
    await this.stop()
    const listen = `127.0.0.1:${await freePort()}`
    const url = `http://${listen}`
    const started = new ManagedProcess({
      name: `${this.name} of ${version.name}`,
      command: [process.execPath, join(version.checkout, 'server/src/main/colophon-server.ts'), this.#kind],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: join(version.checkout, 'node_modules/.cache/node-compile'),
        ...version.settings[this.#kind],
        [listenSettings[this.#kind]]: listen,
      },
      cwd: version.checkout,
      logFile: join(this.#directory, `${this.name.replace(' ', '-')}-${version.name}.log`),
      isReady: async () => (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) })).ok,
      readyWithinSeconds: 120, // a runner tests its sandbox
      stopWithinSeconds,
    })
    this.#run.cleanUp(() => started.stop())
    await started.start()
    this.#process = started
    this.#url = url
    this.#balancer?.add(url)
    while (this.#balancer && !this.#balancer.isReady(url)) await sleep(50)
  }

  /** As an orchestrator does: the process is told to stop, reports on `/readyz` that it is stopping, and ends what it has begun. */
  async stop(): Promise<void> {
    await this.#process?.stop()
    if (this.#url !== undefined) this.#balancer?.remove(this.#url)
  }
}
