/** Whether somebody looked who could have seen: where nobody did, 0 would be a guess. */
import { type Kysely, sql } from 'kysely'
import type { Id } from '../../platform/ids.ts'
import type { AnalyticsTables } from '../tables.ts'
import { spanOf, type TimeRange } from './time-range.ts'

export type Measured = 'measured' | 'not_measured'

export interface Coverage {
  human: Measured
  ai: Measured
}

export async function findCoverage(
  db: Kysely<AnalyticsTables>,
  { projectId, range }: { projectId: Id<'prj'>; range: TimeRange },
): Promise<Coverage> {
  const [fromMs, toMs] = spanOf(range)
  const { rows } = await sql<{ human: boolean; ai: boolean }>`
    SELECT
      coalesce(bool_or(counts_humans), false) AS human,
      coalesce(bool_or(source = 'servers'), false) AS ai
    FROM source_coverage
    WHERE project_id = ${projectId}
      AND last_day >= ${Number.isFinite(fromMs) ? new Date(fromMs).toISOString() : '-infinity'}::date
      AND first_day < ${Number.isFinite(toMs) ? new Date(toMs).toISOString() : 'infinity'}::timestamp`.execute(db)
  const asWord = (seen: boolean | undefined): Measured => (seen ? 'measured' : 'not_measured')
  return { human: asWord(rows[0]?.human), ai: asWord(rows[0]?.ai) }
}
