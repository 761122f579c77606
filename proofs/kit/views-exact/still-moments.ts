/**
 * Some views are counted at the moment of their receipt, which only the server knows: beacons, and what came without a time or
 * with one that is yet to come. All that is known of it is that it lies between the first sending and the answer. So now and
 * then none of these is let out until all that are under way are answered: in that moment none can have been received, and
 * it can be the edge of a range. Between two such moments it does not matter when exactly a view was counted.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export class StillMoments {
  /** In order. Edges of ranges that fall into the time of the run have to be one of these. */
  readonly momentsMs: number[] = []
  #underWay = 0
  #opened: PromiseWithResolvers<void> | undefined

  /** The delivery's views count for a moment just after the last still one: as good as any until the next. */
  async send<Answer>(deliver: () => Promise<Answer>): Promise<{ response: Answer; countedAtMs: number }> {
    while (this.#opened) await this.#opened.promise
    const lastMs = this.momentsMs.at(-1)
    if (lastMs === undefined) throw new Error('nothing is sent before the first still moment')
    this.#underWay++
    try {
      return { response: await deliver(), countedAtMs: lastMs + 1 }
    } finally {
      this.#underWay--
    }
  }

  /** One at a time. */
  async makeOne(): Promise<void> {
    this.#opened = Promise.withResolvers()
    while (this.#underWay > 0) await sleep(5)
    await sleep(2)
    this.momentsMs.push(Date.now())
    await sleep(3) // the next view is received after it, also in a clock's last millisecond
    this.#opened.resolve()
    this.#opened = undefined
  }
}
