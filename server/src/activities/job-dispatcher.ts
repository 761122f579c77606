/**
 * Periodic maintenance of jobs: wakes stalled jobs, archives idle ones and deletes data past its retention.
 */
import type { Database } from '../database/database.ts'
import type { AgentEventStore } from '../jobs/agent-event-store.ts'
import type { AttemptStore } from '../jobs/attempt-store.ts'
import { deleteExpiredJobs } from '../jobs/delete-expired-jobs.ts'
import { deleteExpiredIdempotentResponses } from '../jobs/idempotency.ts'
import type { JobSignaler } from '../jobs/job-signaler.ts'
import type { StalledJob, StallLimits, TurnStore } from '../jobs/turn-store.ts'
import { type BackgroundTask, repeatBatches, runSteps, startBackgroundTask } from '../platform/background-task.ts'
import type { Log } from '../platform/log.ts'
import { countMetric } from '../platform/metrics/metrics.ts'

export interface JobDispatcherSettings extends StallLimits {
  idleArchiveDays: number
}

/** Retention is in days, so an hour does not matter. */
const hourMs = 3_600_000
const batchSize = 200
const rowBatchSize = 5_000
/** While Temporal is down, each signal takes a second. */
const maxConcurrentSignals = 20

export function startJobDispatcher({
  turns,
  attempts,
  events,
  database,
  deleteExpired,
  signals,
  settings,
  log,
}: {
  turns: TurnStore
  attempts: AttemptStore
  events: AgentEventStore
  database: Database
  /** Deletes other expired data. */
  deleteExpired: () => Promise<void>
  signals: JobSignaler
  settings: JobDispatcherSettings
  log: Log
}): BackgroundTask {
  /** Every hour, and in every round while there is more to delete. */
  const hourly = (deleteBatch: (limit: number) => Promise<number>, limit: number) => {
    let dueAtMs = 0
    return async () => {
      if (performance.now() < dueAtMs) return
      const deleted = await repeatBatches(deleteBatch, limit)
      if (deleted < limit) dueAtMs = performance.now() + hourMs
    }
  }
  const deleteJobs = hourly(async (limit) => {
    const deleted = await deleteExpiredJobs(database, limit)
    if (deleted > 0) log.info({ jobs: deleted }, 'deleted jobs past their retention')
    return deleted
  }, batchSize)
  const deleteEvents = hourly((limit) => events.deleteExpired(limit), rowBatchSize)

  const wake = async ({ id, stopRequested, needsRestart }: StalledJob) => {
    if (!needsRestart) return stopRequested ? signals.stopJob(id) : signals.wakeJob(id)
    log.warn({ jobId: id }, 'a job makes no progress: replacing its workflow')
    await signals.restartJob(id)
  }

  const wakeStalled = async (limit: number) => {
    const stalled = await turns.claimStalledJobs(settings, limit)
    const remaining = stalled.values()
    const wakeRemaining = async () => {
      for (const job of remaining) await wake(job)
    }
    await Promise.all(Array.from({ length: maxConcurrentSignals }, wakeRemaining))
    countMetric('colophon_stalled_jobs_total', {}, { by: stalled.length })
    if (stalled.length > 0) log.info({ jobs: stalled.length }, 'woke stalled jobs')
    return stalled.length
  }
  const endOrphans = async (limit: number) => {
    const orphans = await attempts.endOrphans(limit)
    if (orphans > 0) log.warn({ attempts: orphans }, 'ended attempts of turns that have ended')
    return orphans
  }
  const archiveIdle = async (limit: number) => {
    const archived = await turns.archiveIdle(settings.idleArchiveDays, limit)
    if (archived > 0) log.info({ jobs: archived }, 'archived idle jobs')
    return archived
  }
  const round = () =>
    runSteps(
      {
        'wake stalled jobs': () => repeatBatches(wakeStalled, batchSize),
        'end orphaned attempts': () => repeatBatches(endOrphans, batchSize),
        'archive idle jobs': () => repeatBatches(archiveIdle, batchSize),
        'delete expired jobs': deleteJobs,
        'delete expired idempotency keys': () =>
          repeatBatches((limit) => deleteExpiredIdempotentResponses(database, limit), rowBatchSize),
        'delete expired events': deleteEvents,
        'delete other expired data': deleteExpired,
      },
      log,
    )

  const intervalMs = Math.max(100, (settings.stallSeconds * 1000) / 4)
  return startBackgroundTask({ round, intervalMs, failureMessage: 'dispatcher round failed', log })
}
