/**
 * Acknowledged views on their way to ClickHouse. When `append` resolves, the views are committed in PostgreSQL. Deliveries
 * that arrive within a few milliseconds are committed together: a transaction and a disk flush per beacon would be too slow.
 * A project whose views cannot be committed, for example because a vanished replica still holds a lock, does not fail the
 * others: the projects of a failed group are written one by one, and those that fail again stay alone for a while.
 */
import type { Tables } from '../../database/database.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import type { PipelineSource } from '../../platform/pipelined-transaction.ts'
import { idleInTransactionTimeoutMs } from '../../platform/postgres.ts'
import { Semaphore } from '../../platform/semaphore.ts'
import { isLockConflict, isServiceUnavailable } from '../../platform/service-unavailable.ts'
import { appendDeliveries } from './append-deliveries.ts'
import { BufferSizeMonitor } from './buffer-size-monitor.ts'
import type { AppendOutcome } from './delivery-ids.ts'
import { PendingDeliveries, type PendingDelivery } from './pending-deliveries.ts'
import type { ViewDelivery } from './view-delivery.ts'

const maxPendingViews = 200_000 // about 100 MB of memory
const lockTimeoutMs = { ofGroup: 2_000, ofProject: 1_000 }

/** Each uses a connection, of which the pool has ten. */
const maxConcurrentIsolatedWrites = 4

/** Until PostgreSQL has ended the transaction of a replica that vanished. */
const isolateForMs = idleInTransactionTimeoutMs + 5_000

export class PostgresViewBuffer {
  readonly #db: PipelineSource<Tables>
  readonly #size: BufferSizeMonitor
  readonly #shared: PendingDeliveries
  readonly #isolated = new Map<Id<'prj'>, PendingDeliveries>()
  readonly #isolatedWrites = new Semaphore({ maxConcurrent: maxConcurrentIsolatedWrites })
  #pendingViews = 0

  constructor(db: PipelineSource<Tables>, { maxBufferBytes }: { maxBufferBytes: number }) {
    this.#db = db
    this.#size = new BufferSizeMonitor(db.database, maxBufferBytes)
    this.#shared = new PendingDeliveries((group) => this.#writeGroup(group))
  }

  /**
   * Resolves when the views are committed, now or by an earlier delivery with the same ID. Rejects when they are not, or when
   * the outcome is unknown: the sender retries with the same ID. A delivery without views is recorded too, because its source
   * was active and counts as coverage.
   */
  async append(delivery: ViewDelivery): Promise<AppendOutcome> {
    if (this.#pendingViews >= maxPendingViews || (await this.#size.isFullFor(delivery))) throw bufferFull()
    const { promise, resolve, reject } = Promise.withResolvers<AppendOutcome>()
    const pending = this.#isolated.get(delivery.projectId) ?? this.#shared
    pending.add({ delivery, resolve, reject })
    this.#pendingViews += delivery.views.length
    return promise.finally(() => {
      this.#pendingViews -= delivery.views.length
    })
  }

  /** How many bytes are waiting to be loaded into ClickHouse, and since when. */
  readStatus() {
    return this.#size.readStatus()
  }

  /** Resolves when everything appended before is committed or has failed. */
  async flush(): Promise<void> {
    await this.#shared.flush()
    await Promise.all([...this.#isolated.values()].map((pending) => pending.flush()))
  }

  async #writeGroup(group: readonly PendingDelivery[]): Promise<void> {
    try {
      await this.#write(group, lockTimeoutMs.ofGroup)
    } catch (error) {
      const projects = Map.groupBy(group, ({ delivery }) => delivery.projectId)
      if (projects.size === 1 || !isOfOneProject(error)) rejectAll(group, error)
      else await Promise.all([...projects].map(([projectId, members]) => this.#writeProject(projectId, members)))
    }
  }

  async #writeProject(projectId: Id<'prj'>, members: readonly PendingDelivery[]): Promise<void> {
    try {
      await this.#isolatedWrites.run(() => this.#write(members, lockTimeoutMs.ofProject))
    } catch (error) {
      rejectAll(members, error)
      if (isOfOneProject(error)) this.#isolate(projectId)
    }
  }

  #isolate(projectId: Id<'prj'>): void {
    if (this.#isolated.has(projectId)) return
    this.#isolated.set(projectId, new PendingDeliveries((group) => this.#writeProject(projectId, group)))
    // What is pending then is still written by the queue that is removed here.
    setTimeout(() => this.#isolated.delete(projectId), isolateForMs).unref()
  }

  async #write(group: readonly PendingDelivery[], lockTimeout: number): Promise<void> {
    const deliveries = group.map(({ delivery }) => delivery)
    const { outcomes, writtenBytes } = await appendDeliveries(this.#db, deliveries, { lockTimeoutMs: lockTimeout })
    this.#size.addWritten(writtenBytes)
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index] ?? 'stored'
      if (outcome === 'no_project') reject(projectDeleted())
      else resolve(outcome)
    }
  }
}

/** False: PostgreSQL cannot be reached, so that writing the projects one by one would only take longer. */
const isOfOneProject = (error: unknown) => isLockConflict(error) || !isServiceUnavailable(error)

function rejectAll(group: readonly PendingDelivery[], error: unknown): void {
  for (const { reject } of group) reject(error)
}

const projectDeleted = () => new Problem('not_found', 'The project was deleted.')

const bufferFull = () =>
  new Problem('unavailable', 'The buffer for page views is full. Send the same request again later.', {
    headers: { 'retry-after': '30' },
  })
