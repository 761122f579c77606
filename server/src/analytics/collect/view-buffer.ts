/**
 * Acknowledged views on their way to ClickHouse. What `append` has answered is committed in PostgreSQL; what arrives
 * within a few milliseconds is committed together, or a row and a wait for the disk per beacon would be all that it does.
 */
import type { Kysely } from 'kysely'
import { Problem } from '../../platform/http/problem.ts'
import type { AnalyticsTables } from '../tables.ts'
import { appendTogether, type TakenOrRepeated } from './append-together.ts'
import { BufferSize } from './buffer-size.ts'
import type { ViewDelivery } from './view-delivery.ts'

interface Waiting {
  delivery: ViewDelivery
  resolve(outcome: TakenOrRepeated): void
  reject(error: unknown): void
}

const shareWithinMs = 20
const maxViewsPerInsert = 20_000
const maxViewsWaiting = 200_000 // some 100 MB of memory

export class ViewBuffer {
  readonly #db: Kysely<AnalyticsTables>
  readonly #size: BufferSize
  #waiting: Waiting[] = []
  #viewsWaiting = 0
  #writing: Promise<void> | undefined

  constructor(db: Kysely<AnalyticsTables>, { limitBytes }: { limitBytes: number }) {
    this.#db = db
    this.#size = new BufferSize(db, limitBytes)
  }

  /**
   * Resolves when the views are committed, or were by an earlier delivery of the same id. Rejects when they are not, or when
   * nobody knows: the sender tries again with its id. A delivery without views is noted too: its sender was looking.
   */
  async append(delivery: ViewDelivery): Promise<TakenOrRepeated> {
    if (this.#viewsWaiting >= maxViewsWaiting || (await this.#size.isReached())) throw bufferFull()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ delivery, resolve, reject })
      this.#viewsWaiting += delivery.views.length
      this.#writing ??= new Promise((begin) => setTimeout(begin, shareWithinMs)).then(() => this.#writeAll())
    })
  }

  /** How much waits for ClickHouse, and since when. */
  look() {
    return this.#size.describe()
  }

  /** What was appended before is committed, or has failed. */
  async settle(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const together = this.#takeWaiting()
      const deliveries = together.map(({ delivery }) => delivery)
      try {
        const { outcomes, writtenBytes } = await appendTogether(this.#db, deliveries)
        this.#size.grewBy(writtenBytes)
        for (const [index, { resolve }] of together.entries()) resolve(outcomes[index] ?? 'taken')
      } catch (error) {
        for (const { reject } of together) reject(error)
      }
    }
    this.#writing = undefined
  }

  #takeWaiting(): Waiting[] {
    let views = 0
    const after = this.#waiting.findIndex(({ delivery }, index) => {
      views += delivery.views.length
      return views > maxViewsPerInsert && index > 0
    })
    const together = this.#waiting.splice(0, after === -1 ? this.#waiting.length : after)
    for (const { delivery } of together) this.#viewsWaiting -= delivery.views.length
    return together
  }
}

const bufferFull = () =>
  new Problem('unavailable', 'Views cannot be taken right now: too many wait to be counted. Send them again later.', {
    headers: { 'retry-after': '30' },
  })
