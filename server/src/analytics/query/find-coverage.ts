/** Whether any source could have seen a kind of traffic in a range. Where none could, a count of 0 would be a guess. */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import { type TimeRange, toMillisecondSpan } from './time-range.ts'

export type CoverageState = 'measured' | 'not_measured'

export interface Coverage {
  human: CoverageState
  ai: CoverageState
}

export async function findCoverage(
  db: Database,
  { projectId, range }: { projectId: Id<'prj'>; range: TimeRange },
): Promise<Coverage> {
  const [fromMs, toMs] = toMillisecondSpan(range)
  const { rows } = await sql<{ human: boolean; ai: boolean }>`
    SELECT
      coalesce(bool_or(counts_humans), false) AS human,
      coalesce(bool_or(source = 'servers'), false) AS ai
    FROM source_coverage
    WHERE project_id = ${projectId}
      AND last_day >= ${Number.isFinite(fromMs) ? new Date(fromMs).toISOString() : '-infinity'}::date
      AND first_day < ${Number.isFinite(toMs) ? new Date(toMs).toISOString() : 'infinity'}::timestamp`.execute(db)
  const toMeasured = (isCovered: boolean | undefined): CoverageState => (isCovered ? 'measured' : 'not_measured')
  return { human: toMeasured(rows[0]?.human), ai: toMeasured(rows[0]?.ai) }
}
