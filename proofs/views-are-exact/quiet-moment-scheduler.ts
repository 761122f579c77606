/**
 * Some views count at their receipt, which only the server knows: beacons, and views without a time or with one in the future.
 * It lies between the first send and the response. So now and then such deliveries are held back until all that are in flight
 * have a response: at that moment none can be received, so it can be the boundary of a range. Between two quiet moments the
 * exact time of a view does not matter.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export class QuietMomentScheduler {
  /** In order. Boundaries of ranges that fall into the run must be one of these. */
  readonly momentsMs: number[] = []
  #inFlight = 0
  #pause: PromiseWithResolvers<void> | undefined

  /** The views count as received just after the last quiet moment, which is as good as any time until the next one. */
  async send<Response>(deliver: () => Promise<Response>): Promise<{ response: Response; countedAtMs: number }> {
    while (this.#pause) await this.#pause.promise
    const lastMs = this.momentsMs.at(-1)
    if (lastMs === undefined) throw new Error('nothing may be sent before the first quiet moment')
    this.#inFlight++
    try {
      return { response: await deliver(), countedAtMs: lastMs + 1 }
    } finally {
      this.#inFlight--
    }
  }

  /** Must not run concurrently. */
  async create(): Promise<void> {
    this.#pause = Promise.withResolvers()
    while (this.#inFlight > 0) await sleep(5)
    await sleep(2)
    this.momentsMs.push(Date.now())
    await sleep(3) // so that the next view is received after it, even at a clock resolution of milliseconds
    this.#pause.resolve()
    this.#pause = undefined
  }
}
