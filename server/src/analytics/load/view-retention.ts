/** Every hour, deletes views beyond the retention of their projects, and expired delivery IDs and event counts. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Database } from '../../database/database.ts'
import { type BackgroundTask, startBackgroundTask } from '../../platform/background-task.ts'
import type { Log } from '../../platform/log.ts'
import { deleteExpiredDeliveries } from './delete-expired-deliveries.ts'
import { deleteExpiredEventCounts } from './delete-expired-event-counts.ts'
import { deleteExpiredViews } from './delete-expired-views.ts'

const intervalMs = 3_600_000

export function startViewRetention({
  db,
  clickhouse,
  log,
}: {
  db: Database
  clickhouse: ClickHouseClient
  log: Log
}): BackgroundTask {
  const round = async () => {
    const deliveries = await deleteExpiredDeliveries(db)
    await deleteExpiredEventCounts(db)
    const projects = await deleteExpiredViews(db, clickhouse)
    if (deliveries > 0 || projects > 0) log.info({ deliveries, projects }, 'deleted expired views and delivery IDs')
  }

  return startBackgroundTask({ round, intervalMs, failureMessage: 'could not delete expired views', log })
}
