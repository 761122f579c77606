/** At most so many in any rolling hour, over all replicas: counted from the very rows that are created. */
import { sql, type Transaction } from 'kysely'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import type { JobTables } from './tables.ts'

export const mostPerHour = 100
const hourSeconds = 3600

export type Limited = 'jobs' | 'messages'

/** Where a project stands with its limit, as the RateLimit headers tell it. */
export interface LimitState {
  limited: Limited
  remaining: number
  resetSeconds: number
}

/**
 * Creates of one project take turns from here on, which is what makes the count exact. The time is taken after the lock: a
 * transaction's own `now()` is when it began to wait. (`FOR UPDATE` would also block every insert that refers to the
 * project, for seconds under load: tried.)
 */
export async function lockProject(tx: Transaction<JobTables>, projectId: Id<'prj'>): Promise<Date> {
  await tx.selectFrom('project').select('id').where('id', '=', projectId).forNoKeyUpdate().execute()
  const { rows } = await sql<{ at: Date }>`SELECT clock_timestamp() AS at`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('PostgreSQL has no time')
  return row.at
}

/** Refuses when the hour is full; otherwise says what is left after this one. */
export async function takeFromHour(
  tx: Transaction<JobTables>,
  projectId: Id<'prj'>,
  limited: Limited,
  at: Date,
): Promise<LimitState> {
  const hourAgo = new Date(at.getTime() - hourSeconds * 1000)
  const rows = await (limited === 'jobs' ? jobsSince(tx, projectId, hourAgo) : messagesSince(tx, projectId, hourAgo))
  const oldest = rows.at(-1)?.created_at ?? at
  const resetSeconds = Math.max(1, Math.ceil((oldest.getTime() - hourAgo.getTime()) / 1000))
  if (rows.length >= mostPerHour) {
    throw new Problem(
      'rate_limited',
      `At most ${mostPerHour} ${limited} an hour: the next one is taken in ${resetSeconds} s.`,
      {
        headers: { 'retry-after': String(resetSeconds), ...limitHeaders({ limited, remaining: 0, resetSeconds }) },
      },
    )
  }
  return { limited, remaining: mostPerHour - rows.length - 1, resetSeconds }
}

const jobsSince = (tx: Transaction<JobTables>, projectId: Id<'prj'>, since: Date) =>
  tx
    .selectFrom('job')
    .select('created_at')
    .where('project_id', '=', projectId)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(mostPerHour)
    .execute()

/** The first turn of a job is its creation, which is counted apart. */
const messagesSince = (tx: Transaction<JobTables>, projectId: Id<'prj'>, since: Date) =>
  tx
    .selectFrom('turn')
    .select('created_at')
    .where('project_id', '=', projectId)
    .where('number', '>', 1)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(mostPerHour)
    .execute()

export const limitHeaders = ({ limited, remaining, resetSeconds }: LimitState): Record<string, string> => ({
  'ratelimit-policy': `"${limited}";q=${mostPerHour};w=${hourSeconds}`,
  ratelimit: `"${limited}";r=${remaining};t=${resetSeconds}`,
})
