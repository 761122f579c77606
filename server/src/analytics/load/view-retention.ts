/** Every hour, deletes views beyond the retention of their projects, and expired delivery IDs and event counts. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import type { Database } from '../../database/database.ts'
import type { Log } from '../../platform/log.ts'
import { deleteExpiredDeliveries } from './delete-expired-deliveries.ts'
import { deleteExpiredEventCounts } from './delete-expired-event-counts.ts'
import { deleteExpiredViews } from './delete-expired-views.ts'

const intervalMs = 3_600_000

export function startViewRetention({ db, clickhouse, log }: { db: Database; clickhouse: ClickHouseClient; log: Log }): {
  stop(): Promise<void>
} {
  const stopping = new AbortController()

  const round = async () => {
    const deliveries = await deleteExpiredDeliveries(db)
    await deleteExpiredEventCounts(db)
    const projects = await deleteExpiredViews(db, clickhouse)
    if (deliveries > 0 || projects > 0) log.info({ deliveries, projects }, 'deleted expired views and delivery IDs')
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      await round().catch((error: unknown) => log.warn({ error: String(error) }, 'could not delete expired views'))
      await sleep(intervalMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
