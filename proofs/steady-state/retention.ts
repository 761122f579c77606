/**
 * Rows past their retention, which the worker has to delete. The tables have some at the start, as after an hour without the tasks
 * that run every hour.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

export type ExpiredRows = Map<string, number>

/** Tasks that run every hour do so at first when the worker starts: they count what had expired at that time. */
const expiredQueries = (workerStartedAt: Date): Record<string, string> => {
  const startedAt = `timestamptz '${workerStartedAt.toISOString()}'`
  return {
    'event counts older than eight days': `
      SELECT count(*) AS count FROM source_event_count WHERE hour < ${startedAt} - interval '8 days'`,
    'jobs past the retention of their projects': `
      SELECT count(*) AS count FROM job JOIN project ON project.id = project_id
      WHERE updated_at < ${startedAt} - make_interval(days => job_retention_days)`,
    // These are deleted within a minute.
    'idempotency keys older than a day': `
      SELECT count(*) AS count FROM idempotency_key WHERE created_at < now() - interval '24 hours 1 minute'`,
    'IDs of beacons that have expired': `
      SELECT count(*) AS count FROM beacon_delivery WHERE slot < now() - interval '65 minutes'`,
  }
}

export async function countExpiredRows(postgres: pg.Client, workerStartedAt: Date): Promise<ExpiredRows> {
  const expired: ExpiredRows = new Map()
  for (const [label, query] of Object.entries(expiredQueries(workerStartedAt))) {
    const { rows } = await postgres.query<{ count: string }>(query)
    expired.set(label, Number(rows[0]?.count))
  }
  return expired
}

/** What the worker deletes when it starts is not part of what is measured. */
export async function waitForRetention(
  postgres: pg.Client,
  workerStartedAt: Date,
  withinSeconds: number,
): Promise<void> {
  const deadlineMs = performance.now() + withinSeconds * 1000
  while (performance.now() < deadlineMs) {
    const expired = await countExpiredRows(postgres, workerStartedAt)
    if ([...expired.values()].every((count) => count === 0)) return
    await sleep(1_000)
  }
}
