/**
 * Deletes views beyond a project's retention, whole months at a time, from the views and from every table of sums, so that the
 * remaining numbers are exact. Queries exclude them from the first moment of a month, whether or not they are deleted yet.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { IsoDate } from '../tables.ts'

export const timeColumns = {
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

/**
 * Idempotent. Only one worker at a time does it, because each delete rewrites parts of the tables. Returns the number of projects that
 * had expired views.
 */
export async function deleteExpiredViews(
  db: Database,
  clickhouse: ClickHouseClient,
  stopping: AbortSignal,
): Promise<number> {
  return (await tryWithDeletionLock(db, () => deleteViews(db, clickhouse, stopping))) ?? 0
}

/** Undefined: another worker is deleting views. */
export async function tryWithDeletionLock<Result>(
  db: Database,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ acquired: boolean }>`
      SELECT pg_try_advisory_lock(hashtextextended('delete expired views', 0)) AS acquired`.execute(connection)
    if (!rows[0]?.acquired) return undefined
    try {
      return await work()
    } finally {
      await sql`SELECT pg_advisory_unlock(hashtextextended('delete expired views', 0))`.execute(connection)
    }
  })
}

/** Waits for another worker that is deleting views. Until the connection is closed, none are deleted. */
export async function acquireDeletionLock(client: ClientBase): Promise<void> {
  await client.query("SELECT pg_advisory_lock(hashtextextended('delete expired views', 0))")
}

async function deleteViews(db: Database, clickhouse: ClickHouseClient, stopping: AbortSignal): Promise<number> {
  const due = await findExpired(db)
  for (const { before, projectIds } of due) {
    for (const [table, column] of Object.entries(timeColumns)) {
      await clickhouse.command({
        query: `DELETE FROM ${table} WHERE project_id IN {projects: Array(String)} AND ${column} < toDate({before: String})`,
        query_params: { projects: projectIds, before },
        // It may take longer than a request: ClickHouse goes on, and this waits for it.
        clickhouse_settings: { lightweight_deletes_sync: '0' },
      })
    }
    await waitForMutations(clickhouse, stopping)
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
  if (due.length > 0) await removeDeletedRows(clickhouse)
  return due.reduce((sum, { projectIds }) => sum + projectIds.length, 0)
}

/** A delete only marks rows, and a part that is not merged any more would keep them for good. */
export async function removeDeletedRows(clickhouse: ClickHouseClient): Promise<void> {
  for (const table of Object.keys(timeColumns))
    await clickhouse.command({
      query: `ALTER TABLE ${table} APPLY DELETED MASK`,
      clickhouse_settings: { mutations_sync: '0' },
    })
}

/** Throws when the process stops or a mutation fails: the deletes are then repeated an hour later, or by another worker. */
export async function waitForMutations(clickhouse: ClickHouseClient, stopping: AbortSignal): Promise<void> {
  for (;;) {
    const response = await clickhouse.query({
      query: `SELECT count() AS pending, any(latest_fail_reason) AS failure FROM system.mutations
              WHERE database = currentDatabase() AND table IN {tables: Array(String)} AND NOT is_done`,
      query_params: { tables: Object.keys(timeColumns) },
      format: 'JSONEachRow',
    })
    const [{ pending, failure } = { pending: '0', failure: '' }] = await response.json<{
      pending: string
      failure: string
    }>()
    if (Number(pending) === 0) return
    if (failure !== '') throw new Error(`ClickHouse could not delete expired views: ${failure.slice(0, 500)}`)
    await sleep(1_000, undefined, { signal: stopping })
  }
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
