/** Tracks whether views and the IDs of deliveries have reached their limit: jobs are stored on the same disk, which they must not fill. */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import { setMetric } from '../../platform/metrics/metrics.ts'
import { sizeOfDeliveryIds, sizeOfLogLineIds } from './delivery-ids.ts'
import type { ViewDelivery } from './view-delivery.ts'

const measureEveryMs = 1_000
/** After a slow measurement, wait this many times its duration, so that measuring costs little compared with writing. */
const pauseFactor = 20

/** Each log line needs an ID for more than a day, so a few busy log drains would leave no room for the views of all other sources. */
const maxShareOfLogLineIds = 0.5

interface BufferSize {
  bufferBytes: number
  deliveryIdBytes: number
  /** Part of `deliveryIdBytes`. */
  logLineIdBytes: number
}

/**
 * Each replica measures the size itself and adds what it writes in between. Together, replicas can exceed the limit by what
 * they accept between two measurements.
 */
export class BufferSizeMonitor {
  readonly #db: Database
  readonly #limitBytes: number
  /** Undefined: not measured yet. */
  #size: BufferSize | undefined
  #measureAgainAt = 0
  #measuring: Promise<void> | undefined

  constructor(db: Database, limitBytes: number) {
    this.#db = db
    this.#limitBytes = limitBytes
    setMetric('colophon_view_buffer_limit_bytes', {}, limitBytes)
  }

  async isFullFor({ deliveryId }: Pick<ViewDelivery, 'deliveryId'>): Promise<boolean> {
    const { bufferBytes, deliveryIdBytes, logLineIdBytes } = await this.#currentSize()
    if (bufferBytes + deliveryIdBytes >= this.#limitBytes) return true
    return deliveryId?.retention === 'day' && logLineIdBytes >= this.#limitBytes * maxShareOfLogLineIds
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
  async #currentSize(): Promise<BufferSize> {
    if (!this.#measuring && performance.now() >= this.#measureAgainAt) {
      this.#measuring = this.#measure().finally(() => {
        this.#measuring = undefined
      })
      this.#measuring.catch(() => {}) // a caller that awaits it gets the error; otherwise the next measurement reports it
    }
    if (this.#size === undefined) await this.#measuring
    return this.#size ?? { bufferBytes: 0, deliveryIdBytes: 0, logLineIdBytes: 0 }
  }

  addWritten(bytes: number): void {
    if (this.#size) this.#size.bufferBytes += bytes
  }

  /** Of views not the table's size on disk: that does not shrink when rows are deleted. */
  async #measure(): Promise<void> {
    const startedAt = performance.now()
    const { rows } = await sql<{ buffer: string; ids: string; logLineIds: string }>`
      SELECT coalesce(sum(octet_length(body)), 0) AS buffer, ${sizeOfDeliveryIds} AS ids, ${sizeOfLogLineIds} AS "logLineIds"
      FROM view_batch`.execute(this.#db)
    this.#size = {
      bufferBytes: Number(rows[0]?.buffer),
      deliveryIdBytes: Number(rows[0]?.ids),
      logLineIdBytes: Number(rows[0]?.logLineIds),
    }
    const durationMs = performance.now() - startedAt
    this.#measureAgainAt = performance.now() + Math.max(measureEveryMs, durationMs * pauseFactor)
  }
}
