/**
 * Reads from PostgreSQL how much work waits, and for how long, and when the instance was last backed up. Once in a while instead of once
 * per scrape, so that scrapes cost nothing, and only in `worker`. If it fails or takes too long, the metrics become NaN, so that nobody
 * reads old values as current ones.
 */
import { sql } from 'kysely'
import { readViewBacklog } from '../../analytics/load/read-view-backlog.ts'
import { noBackupSince, readBackupHistory } from '../../database/backup-records.ts'
import type { Database } from '../../database/database.ts'
import { readJobBacklog } from '../../jobs/read-job-backlog.ts'
import { type BackgroundTask, startBackgroundTask } from '../../platform/background-task.ts'
import type { Log } from '../../platform/log.ts'
import { setMetric } from '../../platform/metrics/metrics.ts'
import { readDeliveryBacklog } from '../../webhooks/read-delivery-backlog.ts'

const intervalMs = 10_000
const statementTimeout = '5s'

type Backlog = Awaited<ReturnType<typeof readBacklog>>

export function startBacklogMetrics(db: Database, log: Log): BackgroundTask {
  return startBackgroundTask({
    async round() {
      const startedAtMs = performance.now()
      try {
        record(await readBacklog(db))
      } catch (error) {
        record(unknown)
        throw error
      }
      setMetric('colophon_backlog_read_seconds', {}, (performance.now() - startedAtMs) / 1000)
      setMetric('colophon_backlog_last_success_timestamp_seconds', {}, Date.now() / 1000)
    },
    intervalMs,
    failureMessage: 'could not read the metrics of queues',
    log,
  })
}

export const readBacklog = (db: Database) =>
  db
    .transaction()
    .setAccessMode('read only')
    .execute(async (tx) => {
      await sql`SET LOCAL statement_timeout = ${sql.lit(statementTimeout)}`.execute(tx)
      return {
        jobs: await readJobBacklog(tx),
        views: await readViewBacklog(tx),
        deliveries: await readDeliveryBacklog(tx),
        backups: await readBackupHistory(tx),
      }
    })

const notKnown = { count: Number.NaN, oldestAgeSeconds: Number.NaN }
const unknown: Backlog = {
  jobs: {
    turns: { queued: notKnown, running: notKnown, publishing: notKnown },
    waitingAttempts: notKnown,
    claimedAttempts: Number.NaN,
    runners: { registered: Number.NaN, online: Number.NaN },
  },
  views: {
    bytes: Number.NaN,
    deliveryIdBytes: Number.NaN,
    waitingBatches: Number.NaN,
    quarantinedBatches: Number.NaN,
    oldestAgeSeconds: Number.NaN,
  },
  deliveries: { waiting: Number.NaN, oldestDueAgeSeconds: Number.NaN },
  backups: { last: undefined, scheduledSince: undefined },
}

function record({ jobs, views, deliveries, backups }: Backlog): void {
  for (const status of ['queued', 'running', 'publishing'] as const) {
    setMetric('colophon_turns', { status }, jobs.turns[status].count)
    setMetric('colophon_turn_oldest_age_seconds', { status }, jobs.turns[status].oldestAgeSeconds)
  }
  setMetric('colophon_attempts', { state: 'waiting' }, jobs.waitingAttempts.count)
  setMetric('colophon_attempts', { state: 'claimed' }, jobs.claimedAttempts)
  setMetric('colophon_attempt_oldest_waiting_age_seconds', {}, jobs.waitingAttempts.oldestAgeSeconds)
  setMetric('colophon_runners', { state: 'registered' }, jobs.runners.registered)
  setMetric('colophon_runners', { state: 'online' }, jobs.runners.online)
  setMetric('colophon_view_buffer_bytes', {}, views.bytes)
  setMetric('colophon_view_delivery_id_bytes', {}, views.deliveryIdBytes)
  setMetric('colophon_view_buffer_oldest_age_seconds', {}, views.oldestAgeSeconds)
  setMetric('colophon_view_batches', { state: 'waiting' }, views.waitingBatches)
  setMetric('colophon_view_batches', { state: 'quarantined' }, views.quarantinedBatches)
  setMetric('colophon_webhook_deliveries_waiting', {}, deliveries.waiting)
  setMetric('colophon_webhook_oldest_due_age_seconds', {}, deliveries.oldestDueAgeSeconds)
  const lastBackupMs = noBackupSince(backups)?.getTime() ?? Number.NaN
  setMetric('colophon_backup_last_success_timestamp_seconds', {}, lastBackupMs / 1000)
}
