/** Rate limit over a rolling hour. It counts the created rows themselves, so it holds across all replicas. */
import { type RawBuilder, sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'

export const maxJobsOrMessagesPerHour = 100
const hourSeconds = 3600

export type LimitedResource = 'jobs' | 'messages'

/** The state of a project's limit, as reported in the RateLimit headers. */
export interface HourlyLimitState {
  resource: LimitedResource
  remaining: number
  resetSeconds: number
}

/**
 * Locks the project, so that creates of one project exclude each other; this makes the count exact. Returns the time after the
 * lock was acquired: a transaction's own `now()` is when it started to wait. (`FOR UPDATE` would also block every insert that
 * references the project, for seconds under load: tried.)
 */
export async function lockProject(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    SELECT clock_timestamp() AS at
    FROM (SELECT FROM project WHERE id = ${projectId} AND deleted_at IS NULL FOR NO KEY UPDATE) AS locked`.execute(tx)
  const [row] = rows
  if (!row) throw new Problem('not_found', 'There is no such project.')
  return row.at
}

/** Requires the lock on the project. Throws if the limit is used up, otherwise returns what is left after this request. */
export async function consumeHourlyLimit(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  limited: LimitedResource,
  at: Date,
): Promise<HourlyLimitState> {
  const state = await readState(tx, projectId, limited, sql<Date>`${at}::timestamptz`)
  if (state.remaining === 0) throw rateLimited(state)
  return { ...state, remaining: state.remaining - 1 }
}

/**
 * A check without a lock; requests that pass it are counted again under the lock. Returns the rejection instead of throwing it,
 * because a stored response takes precedence.
 */
export async function checkHourlyLimit(
  db: Database,
  projectId: Id<'prj'>,
  limited: LimitedResource,
): Promise<Problem | undefined> {
  const state = await readState(db, projectId, limited, sql<Date>`now()`)
  return state.remaining === 0 ? rateLimited(state) : undefined
}

async function readState(
  db: Database,
  projectId: Id<'prj'>,
  limited: LimitedResource,
  at: RawBuilder<Date>,
): Promise<HourlyLimitState> {
  const { rows } = await sql<{ used: number; reset_seconds: number | null }>`
    SELECT count(*)::int AS used, ceil(extract(epoch FROM min(created_at) - ${at}) + ${hourSeconds})::int AS reset_seconds
    FROM (
      SELECT created_at FROM ${source[limited]}
      WHERE project_id = ${projectId} AND created_at > ${at} - interval '1 hour'
      ORDER BY created_at DESC LIMIT ${maxJobsOrMessagesPerHour}
    ) AS latest`.execute(db)
  const { used = 0, reset_seconds: resetSeconds = null } = rows[0] ?? {}
  return {
    resource: limited,
    remaining: maxJobsOrMessagesPerHour - used,
    resetSeconds: Math.max(1, resetSeconds ?? hourSeconds),
  }
}

/** The first turn of a job is its creation, which is counted separately. */
const source = {
  jobs: sql`job`,
  messages: sql`(SELECT * FROM turn WHERE number > 1) AS message`,
} as const satisfies Record<LimitedResource, unknown>

const rateLimited = (state: HourlyLimitState) =>
  new Problem(
    'rate_limited',
    `The limit is ${maxJobsOrMessagesPerHour} ${state.resource} per hour. Retry in ${state.resetSeconds} s.`,
    { headers: { 'retry-after': String(state.resetSeconds), ...formatRateLimitHeaders(state) } },
  )

export const formatRateLimitHeaders = ({
  resource,
  remaining,
  resetSeconds,
}: HourlyLimitState): Record<string, string> => ({
  'ratelimit-policy': `"${resource}";q=${maxJobsOrMessagesPerHour};w=${hourSeconds}`,
  ratelimit: `"${resource}";r=${remaining};t=${resetSeconds}`,
})
