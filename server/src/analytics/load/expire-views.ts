/**
 * Deletes what a project no longer wants to keep, whole months at a time, from the views and from every table of sums: what
 * is left is exact. Readers do not see it from the first moment of a month on, whether or not it is deleted yet.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import { type Kysely, sql } from 'kysely'
import type { Id } from '../../platform/ids.ts'
import type { AnalyticsTables, Day } from '../tables.ts'

const timeColumns = {
  page_view: 'at',
  views_by_page_and_day: 'day',
  views_by_page_and_month: 'month',
  views_by_quarter_hour: 'quarter_hour',
  views_by_client_and_day: 'day',
}

/** Their ids travel in the address of a request, which ClickHouse takes up to 128 KiB of. */
const maxConcurrentProjects = 1_000

interface Expired {
  before: Day
  projectIds: Id<'prj'>[]
}

/** Repeated, or done by two at once, it deletes nothing more. Returns how many projects had something to delete. */
export async function expireViews(
  db: Kysely<AnalyticsTables>,
  clickhouse: ClickHouseClient,
  shard: number,
): Promise<number> {
  const due = await findExpired(db, shard)
  for (const { before, projectIds } of due) {
    for (const [table, column] of Object.entries(timeColumns)) {
      await clickhouse.command({
        query: `DELETE FROM ${table} WHERE project_id IN {projects: Array(String)} AND ${column} < toDate({before: String})`,
        query_params: { projects: projectIds, before },
        clickhouse_settings: { lightweight_deletes_sync: '2' },
      })
    }
    await db.transaction().execute(async (tx) => {
      await sql`UPDATE analytics_settings SET expired_before = ${before} WHERE project_id = ANY(${projectIds})`.execute(
        tx,
      )
      // Also should the project want to keep more from now on: what is deleted is not measured, and not 0.
      // Locked in the order of those who write it.
      await sql`
        DELETE FROM source_coverage USING (
          SELECT project_id, source, month FROM source_coverage WHERE project_id = ANY(${projectIds}) AND month < ${before}
          ORDER BY project_id, source, month FOR UPDATE
        ) AS expired
        WHERE source_coverage.project_id = expired.project_id AND source_coverage.source = expired.source
          AND source_coverage.month = expired.month`.execute(tx)
    })
  }
  return due.reduce((sum, { projectIds }) => sum + projectIds.length, 0)
}

/** By month: a change of ClickHouse's tables for each, not for each project. */
async function findExpired(db: Kysely<AnalyticsTables>, shard: number): Promise<Expired[]> {
  const { rows } = await sql<Expired>`
    SELECT before::text, array_agg(project_id) AS "projectIds"
    FROM (
      SELECT project_id, expired_before,
        (date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => retention_months))::date AS before
      FROM analytics_settings WHERE shard = ${shard} AND retention_months IS NOT NULL
    ) AS wanted
    WHERE expired_before IS NULL OR expired_before < before
    GROUP BY before`.execute(db)
  return rows.flatMap(({ before, projectIds }) =>
    Array.from({ length: Math.ceil(projectIds.length / maxConcurrentProjects) }, (_, part) => ({
      before,
      projectIds: projectIds.slice(part * maxConcurrentProjects, (part + 1) * maxConcurrentProjects),
    })),
  )
}
