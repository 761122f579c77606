/** At most so many in any rolling hour, over all replicas: counted from the very rows that are created. */
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import type { JobTables } from './tables.ts'

export const maxPerHour = 100
const hourSeconds = 3600

export type Limited = 'jobs' | 'messages'

/** Where a project stands with its limit, as the RateLimit headers tell it. */
export interface LimitState {
  limited: Limited
  remaining: number
  resetSeconds: number
}

/**
 * Creates of one project take turns from here on, which is what makes the count exact. The time is taken after the lock, by
 * the query around it: a transaction's own `now()` is when it began to wait. (`FOR UPDATE` would also block every insert that
 * refers to the project, for seconds under load: tried.)
 */
export async function lockProject(tx: Transaction<JobTables>, projectId: Id<'prj'>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    SELECT clock_timestamp() AS at
    FROM (SELECT FROM project WHERE id = ${projectId} FOR NO KEY UPDATE) AS locked`.execute(tx)
  const [row] = rows
  if (!row) throw new Problem('not_found', 'There is no such project.')
  return row.at
}

/** With the project locked. Refuses when the hour is full; otherwise says what is left after this one. */
export async function takeFromHour(
  tx: Transaction<JobTables>,
  projectId: Id<'prj'>,
  limited: Limited,
  at: Date,
): Promise<LimitState> {
  const hour = await lookAtHour(tx, projectId, limited, sql<Date>`${at}::timestamptz`)
  if (hour.remaining === 0) throw hourIsFull(hour)
  return { ...hour, remaining: hour.remaining - 1 }
}

/** Without a lock: what it lets through is counted again. Returns the refusal, because an earlier answer comes first. */
export async function refuseFlood(
  db: Kysely<JobTables>,
  projectId: Id<'prj'>,
  limited: Limited,
): Promise<Problem | undefined> {
  const hour = await lookAtHour(db, projectId, limited, sql<Date>`now()`)
  return hour.remaining === 0 ? hourIsFull(hour) : undefined
}

async function lookAtHour(
  db: Kysely<JobTables>,
  projectId: Id<'prj'>,
  limited: Limited,
  at: RawBuilder<Date>,
): Promise<LimitState> {
  const { rows } = await sql<{ taken: number; reset_seconds: number | null }>`
    SELECT count(*)::int AS taken, ceil(extract(epoch FROM min(created_at) - ${at}) + ${hourSeconds})::int AS reset_seconds
    FROM (
      SELECT created_at FROM ${created[limited]}
      WHERE project_id = ${projectId} AND created_at > ${at} - interval '1 hour'
      ORDER BY created_at DESC LIMIT ${maxPerHour}
    ) AS latest`.execute(db)
  const { taken = 0, reset_seconds: resetSeconds = null } = rows[0] ?? {}
  return { limited, remaining: maxPerHour - taken, resetSeconds: Math.max(1, resetSeconds ?? hourSeconds) }
}

/** The first turn of a job is its creation, which is counted apart. */
const created = {
  jobs: sql`job`,
  messages: sql`(SELECT * FROM turn WHERE number > 1) AS message`,
} as const satisfies Record<Limited, unknown>

const hourIsFull = (hour: LimitState) =>
  new Problem(
    'rate_limited',
    `At most ${maxPerHour} ${hour.limited} an hour: the next one is taken in ${hour.resetSeconds} s.`,
    { headers: { 'retry-after': String(hour.resetSeconds), ...limitHeaders(hour) } },
  )

export const limitHeaders = ({ limited, remaining, resetSeconds }: LimitState): Record<string, string> => ({
  'ratelimit-policy': `"${limited}";q=${maxPerHour};w=${hourSeconds}`,
  ratelimit: `"${limited}";r=${remaining};t=${resetSeconds}`,
})
