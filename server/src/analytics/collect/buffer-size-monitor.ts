/** Tracks whether views and the IDs of deliveries have reached their limit: jobs are stored on the same disk, which they must not fill. */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import { sizeOfDeliveryIds } from './delivery-ids.ts'

const measureEveryMs = 1_000
/** After a slow measurement, wait this many times its duration, so that measuring costs little compared with writing. */
const pauseFactor = 20

/**
 * Each replica measures the size itself and adds what it writes in between. Together, replicas can exceed the limit by what
 * they accept between two measurements.
 */
export class BufferSizeMonitor {
  readonly #db: Database
  readonly #limitBytes: number
  /** Undefined: not measured yet. */
  #size: { bufferBytes: number; deliveryIdBytes: number } | undefined
  #measureAgainAt = 0
  #measuring: Promise<void> | undefined

  constructor(db: Database, limitBytes: number) {
    this.#db = db
    this.#limitBytes = limitBytes
  }

  async isFull(): Promise<boolean> {
    const { bufferBytes, deliveryIdBytes } = await this.#currentSize()
    return bufferBytes + deliveryIdBytes >= this.#limitBytes
  }

  /** For operators. Returns the last measured size: frequent calls must not measure the whole buffer each time. */
  async readStatus(): Promise<{ bytes: number; limitBytes: number; oldestWaitingAt: Date | null }> {
    const [{ bufferBytes }, oldest] = await Promise.all([
      this.#currentSize(),
      this.#db.selectFrom('view_batch').select('created_at').orderBy('id').limit(1).executeTakeFirst(),
    ])
    return {
      bytes: oldest ? bufferBytes : 0,
      limitBytes: this.#limitBytes,
      oldestWaitingAt: oldest?.created_at ?? null,
    }
  }

  /** Waits only for the first measurement, because measuring a large buffer is slow. */
  async #currentSize(): Promise<{ bufferBytes: number; deliveryIdBytes: number }> {
    if (!this.#measuring && performance.now() >= this.#measureAgainAt) {
      this.#measuring = this.#measure().finally(() => {
        this.#measuring = undefined
      })
      this.#measuring.catch(() => {}) // a caller that awaits it gets the error; otherwise the next measurement reports it
    }
    if (this.#size === undefined) await this.#measuring
    return this.#size ?? { bufferBytes: 0, deliveryIdBytes: 0 }
  }

  addWritten(bytes: number): void {
    if (this.#size) this.#size.bufferBytes += bytes
  }

  /** Of views not the table's size on disk: that does not shrink when rows are deleted. */
  async #measure(): Promise<void> {
    const startedAt = performance.now()
    const { rows } = await sql<{ buffer: string; ids: string }>`
      SELECT coalesce(sum(octet_length(body)), 0) AS buffer, ${sizeOfDeliveryIds} AS ids FROM view_batch`.execute(
      this.#db,
    )
    this.#size = { bufferBytes: Number(rows[0]?.buffer), deliveryIdBytes: Number(rows[0]?.ids) }
    const durationMs = performance.now() - startedAt
    this.#measureAgainAt = performance.now() + Math.max(measureEveryMs, durationMs * pauseFactor)
  }
}
