/** Whether the buffer has reached its cap: jobs live on the same disk, and views must not fill it. */
import { type Kysely, sql } from 'kysely'
import type { AnalyticsTables } from '../tables.ts'

const lookEveryMs = 1_000
/** Of a long look, so many times as long: the buffer is there to be filled, not to be measured. */
const restAfterLook = 20

/**
 * Replicas look by themselves, and add what they write in between, so that together they may pass the cap by what they take
 * in from one look to the next.
 */
export class BufferSize {
  readonly #db: Kysely<AnalyticsTables>
  readonly #limitBytes: number
  /** Undefined: nobody has looked yet. */
  #sizeBytes: number | undefined
  #lookAgainAt = 0
  #looking: Promise<void> | undefined

  constructor(db: Kysely<AnalyticsTables>, limitBytes: number) {
    this.#db = db
    this.#limitBytes = limitBytes
  }

  async isReached(): Promise<boolean> {
    return (await this.#known()) >= this.#limitBytes
  }

  /** For people. The size is the last that was looked at: whoever keeps asking must not have all of it measured each time. */
  async describe(): Promise<{ bytes: number; limitBytes: number; oldestWaitingAt: Date | null }> {
    const [bytes, oldest] = await Promise.all([
      this.#known(),
      this.#db.selectFrom('view_batch').select('created_at').orderBy('id').limit(1).executeTakeFirst(),
    ])
    return { bytes: oldest ? bytes : 0, limitBytes: this.#limitBytes, oldestWaitingAt: oldest?.created_at ?? null }
  }

  /** Only the first look is waited for: of a buffer that has become large it takes long. */
  async #known(): Promise<number> {
    if (!this.#looking && performance.now() >= this.#lookAgainAt) {
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined
      })
      this.#looking.catch(() => {}) // who waits for it is told; else the next look tells
    }
    if (this.#sizeBytes === undefined) await this.#looking
    return this.#sizeBytes ?? 0
  }

  grewBy(bytes: number): void {
    this.#sizeBytes = (this.#sizeBytes ?? 0) + bytes
  }

  /** Not the table's size on disk: that stays when rows are gone, for new ones to use. */
  async #look(): Promise<void> {
    const startedAt = performance.now()
    const { rows } = await sql<{ bytes: string }>`
      SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM view_batch`.execute(this.#db)
    this.#sizeBytes = Number(rows[0]?.bytes)
    const tookMs = performance.now() - startedAt
    this.#lookAgainAt = performance.now() + Math.max(lookEveryMs, tookMs * restAfterLook)
  }
}
