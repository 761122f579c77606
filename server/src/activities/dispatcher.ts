/**
 * Nothing that was accepted stands still: what missed its wake-up is woken, what nobody touched for a month is archived. What
 * is kept for a time only is forgotten here too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { EventStore } from '../jobs/event-store.ts'
import { forgetOldJobs } from '../jobs/forget-old-jobs.ts'
import { deleteExpiredResponses } from '../jobs/idempotency.ts'
import type { JobTables } from '../jobs/tables.ts'
import type { TurnStore } from '../jobs/turn-store.ts'
import type { JobSignals } from '../jobs/wake-job.ts'
import type { Log } from '../platform/log.ts'

export interface DispatcherSettings {
  /** How long a job may stand still before it is woken. */
  standStillSeconds: number
  idleArchiveDays: number
}

/** They are kept for days: nobody looks at the minute. */
const forgetJobsEveryMs = 3_600_000
const maxConcurrent = 200

export function startDispatcher({
  turns,
  events,
  database,
  forget,
  signals,
  settings,
  log,
}: {
  turns: TurnStore
  events: EventStore
  database: Kysely<JobTables>
  /** What else is kept for a time only. */
  forget: () => Promise<void>
  signals: JobSignals
  settings: DispatcherSettings
  log: Log
}): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const everyMs = Math.max(100, (settings.standStillSeconds * 1000) / 4)

  let forgetJobsAtMs = 0
  const forgetJobs = async () => {
    const forgotten = await forgetOldJobs(database, maxConcurrent)
    if (forgotten > 0) log.info({ jobs: forgotten }, 'deleted jobs that their projects keep no longer')
    if (forgotten < maxConcurrent) forgetJobsAtMs = performance.now() + forgetJobsEveryMs // else there are more of them
  }

  const round = async () => {
    const still = await turns.takeStandingStill(settings.standStillSeconds, maxConcurrent)
    for (const { id, stopRequested } of still) await (stopRequested ? signals.stopJob(id) : signals.wakeJob(id))
    if (still.length > 0) log.info({ jobs: still.length }, 'woke jobs that stood still')
    const archived = await turns.archiveIdle(settings.idleArchiveDays, maxConcurrent)
    if (archived > 0) log.info({ jobs: archived }, 'archived idle jobs')
    if (performance.now() >= forgetJobsAtMs) await forgetJobs()
    await deleteExpiredResponses(database)
    await events.forgetOld(maxConcurrent)
    await forget()
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      await round().catch((error: unknown) => log.warn({ error: String(error) }, 'a round of the dispatcher failed'))
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
