/**
 * Acknowledged views on their way to ClickHouse. When `append` resolves, the views are committed in PostgreSQL. Deliveries
 * that arrive within a few milliseconds are committed together: a transaction and a disk flush per beacon would be too slow.
 */
import type { Database } from '../../database/database.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type AppendOutcome, appendDeliveries } from './append-deliveries.ts'
import { BufferSizeMonitor } from './buffer-size-monitor.ts'
import type { ViewDelivery } from './view-delivery.ts'

interface PendingDelivery {
  delivery: ViewDelivery
  resolve(outcome: AppendOutcome): void
  reject(error: unknown): void
}

const collectForMs = 20
const maxViewsPerInsert = 20_000
const maxPendingViews = 200_000 // about 100 MB of memory

export class PostgresViewBuffer {
  readonly #db: Database
  readonly #size: BufferSizeMonitor
  #pending: PendingDelivery[] = []
  #pendingViews = 0
  #writing: Promise<void> | undefined

  constructor(db: Database, { maxBufferBytes }: { maxBufferBytes: number }) {
    this.#db = db
    this.#size = new BufferSizeMonitor(db, maxBufferBytes)
  }

  /**
   * Resolves when the views are committed, now or by an earlier delivery with the same ID. Rejects when they are not, or when
   * the outcome is unknown: the sender retries with the same ID. A delivery without views is recorded too, because its source
   * was active and counts as coverage.
   */
  async append(delivery: ViewDelivery): Promise<AppendOutcome> {
    if (this.#pendingViews >= maxPendingViews || (await this.#size.isFull())) throw bufferFull()
    return new Promise((resolve, reject) => {
      this.#pending.push({ delivery, resolve, reject })
      this.#pendingViews += delivery.views.length
      this.#writing ??= new Promise((begin) => setTimeout(begin, collectForMs)).then(() => this.#writeAll())
    })
  }

  /** How many bytes are waiting to be loaded into ClickHouse, and since when. */
  readStatus() {
    return this.#size.readStatus()
  }

  /** Resolves when everything appended before is committed or has failed. */
  async flush(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const group = this.#takePending()
      const deliveries = group.map(({ delivery }) => delivery)
      try {
        const { outcomes, writtenBytes } = await appendDeliveries(this.#db, deliveries)
        this.#size.addWritten(writtenBytes)
        for (const [index, { resolve }] of group.entries()) resolve(outcomes[index] ?? 'stored')
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#writing = undefined
  }

  #takePending(): PendingDelivery[] {
    let views = 0
    const after = this.#pending.findIndex(({ delivery }, index) => {
      views += delivery.views.length
      return views > maxViewsPerInsert && index > 0
    })
    const group = this.#pending.splice(0, after === -1 ? this.#pending.length : after)
    for (const { delivery } of group) this.#pendingViews -= delivery.views.length
    return group
  }
}

const bufferFull = () =>
  new Problem('unavailable', 'The buffer for page views is full. Send the same request again later.', {
    headers: { 'retry-after': '30' },
  })
