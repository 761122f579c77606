/**
 * Deletes views beyond a project's retention, whole months at a time, from the views and from every table of sums, so that the
 * remaining numbers are exact. Queries exclude them from the first moment of a month, whether or not they are deleted yet.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { IsoDate } from '../tables.ts'

const timeColumns = {
  page_view: 'at',
  views_by_page_and_day: 'day',
  views_by_page_and_month: 'month',
  views_by_quarter_hour: 'quarter_hour',
  views_by_client_and_day: 'day',
}

/** The project IDs are sent in the URL of a request, which ClickHouse limits to 128 KiB. */
const maxProjectsPerDelete = 1_000

interface ExpiredMonths {
  before: IsoDate
  projectIds: Id<'prj'>[]
}

/** Idempotent, and safe to run concurrently. Returns the number of projects that had expired views. */
export async function deleteExpiredViews(db: Database, clickhouse: ClickHouseClient): Promise<number> {
  const due = await findExpired(db)
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
      // Deleted months are not measured, rather than 0, even if the project increases its retention later.
      // Rows are locked in the same order as where they are written.
      await sql`
        DELETE FROM source_coverage USING (
          SELECT project_id, source, month FROM source_coverage WHERE project_id = ANY(${projectIds}) AND month < ${before}
          ORDER BY project_id, source, month, counts_humans FOR UPDATE
        ) AS expired
        WHERE source_coverage.project_id = expired.project_id AND source_coverage.source = expired.source
          AND source_coverage.month = expired.month`.execute(tx)
    })
  }
  return due.reduce((sum, { projectIds }) => sum + projectIds.length, 0)
}

/** Grouped by month, so that ClickHouse runs one delete per month and table, not one per project. */
async function findExpired(db: Database): Promise<ExpiredMonths[]> {
  const { rows } = await sql<ExpiredMonths>`
    SELECT before::text, array_agg(project_id) AS "projectIds"
    FROM (
      SELECT project_id, expired_before,
        (date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => retention_months))::date AS before
      FROM analytics_settings WHERE retention_months IS NOT NULL
    ) AS retention
    WHERE expired_before IS NULL OR expired_before < before
    GROUP BY before`.execute(db)
  return rows.flatMap(({ before, projectIds }) =>
    Array.from({ length: Math.ceil(projectIds.length / maxProjectsPerDelete) }, (_, chunk) => ({
      before,
      projectIds: projectIds.slice(chunk * maxProjectsPerDelete, (chunk + 1) * maxProjectsPerDelete),
    })),
  )
}
