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
import { type BackgroundTask, startBackgroundTask } from '../platform/background-task.ts'
import type { Log } from '../platform/log.ts'

export interface JobDispatcherSettings extends StallLimits {
  idleArchiveDays: number
}

/** Retention is configured in days, so an hour does not matter. */
const deleteJobsEveryMs = 3_600_000
const batchSize = 200

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
  let deleteJobsAtMs = 0
  const deleteJobs = async () => {
    const deleted = await deleteExpiredJobs(database, batchSize)
    if (deleted > 0) log.info({ jobs: deleted }, 'deleted jobs past their retention')
    if (deleted < batchSize) deleteJobsAtMs = performance.now() + deleteJobsEveryMs // else there are more
  }

  const wake = async ({ id, stopRequested, needsRestart }: StalledJob) => {
    if (!needsRestart) return stopRequested ? signals.stopJob(id) : signals.wakeJob(id)
    log.warn({ jobId: id }, 'a job makes no progress: replacing its workflow')
    await signals.restartJob(id)
  }

  const round = async () => {
    const stalled = await turns.claimStalledJobs(settings, batchSize)
    for (const job of stalled) await wake(job)
    if (stalled.length > 0) log.info({ jobs: stalled.length }, 'woke stalled jobs')
    const orphans = await attempts.endOrphans(batchSize)
    if (orphans > 0) log.warn({ attempts: orphans }, 'ended attempts of turns that have ended')
    const archived = await turns.archiveIdle(settings.idleArchiveDays, batchSize)
    if (archived > 0) log.info({ jobs: archived }, 'archived idle jobs')
    if (performance.now() >= deleteJobsAtMs) await deleteJobs()
    await deleteExpiredIdempotentResponses(database)
    await events.deleteExpired(batchSize)
    await deleteExpired()
  }

  const intervalMs = Math.max(100, (settings.stallSeconds * 1000) / 4)
  return startBackgroundTask({ round, intervalMs, failureMessage: 'dispatcher round failed', log })
}
