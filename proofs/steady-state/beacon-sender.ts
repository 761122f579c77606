/** Starts the process that sends beacons, and reads its reports. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { CleanUp } from '../../testing/harness/colophon.ts'
import type { BeaconReport, BeaconSettings, FinalBeaconReport } from './send-beacons.ts'

export class BeaconSender {
  readonly #process: ChildProcess

  constructor({ cleanUp }: CleanUp, settings: BeaconSettings) {
    this.#process = fork(join(import.meta.dirname, 'send-beacons.ts'), {
      env: { PATH: process.env.PATH, BEACONS: JSON.stringify(settings) },
    })
    cleanUp(async () => this.#process.kill('SIGKILL'))
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  async report(): Promise<BeaconReport> {
    return (await this.#request('report')) as BeaconReport
  }

  /** Sends nothing new, waits for the responses and ends the process. */
  async finish(): Promise<FinalBeaconReport> {
    return (await this.#request('finish')) as FinalBeaconReport
  }

  async #request(message: 'report' | 'finish'): Promise<unknown> {
    const received = once(this.#process, 'message', { signal: AbortSignal.timeout(90_000) })
    this.#process.send(message)
    const [response] = (await received) as [unknown]
    return response
  }
}
