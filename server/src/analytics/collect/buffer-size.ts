/** Whether the buffer has reached its cap: jobs live on the same disk, and views must not fill it. */
import { type Kysely, sql } from 'kysely'
import type { AnalyticsTables } from '../tables.ts'

const lookEveryMs = 1_000

/**
 * To the second: replicas look by themselves, and add what they write in between, so that together they may pass the cap by
 * what they take in a second.
 */
export class BufferSize {
  readonly #db: Kysely<AnalyticsTables>
  readonly #capBytes: number
  #sizeBytes = 0
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | undefined

  constructor(db: Kysely<AnalyticsTables>, capBytes: number) {
    this.#db = db
    this.#capBytes = capBytes
  }

  async isReached(): Promise<boolean> {
    if (performance.now() - this.#lookedAt >= lookEveryMs) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined
      })
      await this.#looking
    }
    return this.#sizeBytes >= this.#capBytes
  }

  grewBy(bytes: number): void {
    this.#sizeBytes += bytes
  }

  /** Not the table's size on disk: that stays when rows are gone, for new ones to use. */
  async #look(): Promise<void> {
    const { rows } = await sql<{ bytes: string }>`
      SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM view_batch`.execute(this.#db)
    this.#sizeBytes = Number(rows[0]?.bytes)
    this.#lookedAt = performance.now()
  }
}
