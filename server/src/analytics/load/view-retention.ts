/** Every hour, deletes views beyond the retention of their projects, and expired event counts. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Database } from '../../database/database.ts'
import { type BackgroundTask, runSteps, startBackgroundTask } from '../../platform/background-task.ts'
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
  const deleteViews = async (stopping: AbortSignal) => {
    const projects = await deleteExpiredViews(db, clickhouse, stopping)
    if (projects > 0) log.info({ projects }, 'deleted expired views')
  }
  const round = (stopping: AbortSignal) =>
    runSteps(
      {
        'delete expired delivery IDs': () => deleteExpiredDeliveries(db),
        'delete expired event counts': () => deleteExpiredEventCounts(db),
        'delete expired views': () => deleteViews(stopping),
      },
      log,
    )
  return startBackgroundTask({ round, intervalMs, failureMessage: 'could not delete expired views', log })
}
