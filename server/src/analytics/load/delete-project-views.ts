/**
 * Deletes the page views of a project that was deleted. Views that were accepted before wait in PostgreSQL, in batches with those of other
 * projects, and are loaded into ClickHouse first: a batch that was perhaps sent already must not change.
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { ClickHouseClient } from '@clickhouse/client'
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import { removeDeletedRows, timeColumns, tryWithDeletionLock, waitForMutations } from './delete-expired-views.ts'

/** No transaction of Colophon takes this long: PostgreSQL ends its statements, and what is idle between them, after 10 seconds. */
const maxWriterMinutes = 10

/** True: ClickHouse has no views of the project, and will get none. False: not yet, or another worker is deleting views. */
export async function deleteProjectViews(
  db: Database,
  clickhouse: ClickHouseClient,
  { projectId, stopping }: { projectId: Id<'prj'>; stopping: AbortSignal },
): Promise<boolean> {
  const lastBatchId = await findLastBatch(db, projectId)
  if (lastBatchId === undefined || (await hasBatchesToLoad(db, lastBatchId))) return false
  await removeFromQuarantine(db, projectId, lastBatchId)
  const isDeleted = await tryWithDeletionLock(db, async () => {
    await deleteFromClickhouse(clickhouse, projectId, stopping)
    return true
  })
  return isDeleted ?? false
}

/**
 * The last batch that can contain views of the project. Undefined: a transaction that began before the deletion may still store some. Such
 * transactions have an ID (append-deliveries.ts) below the next one at a time after the deletion.
 */
async function findLastBatch(db: Database, projectId: Id<'prj'>): Promise<string | undefined> {
  await sql`
    UPDATE project_deletion SET writers_below = pg_snapshot_xmax(pg_current_snapshot()), writers_read_at = now()
    WHERE project_id = ${projectId} AND writers_below IS NULL`.execute(db)
  await sql`
    UPDATE project_deletion SET last_view_batch_id = (SELECT coalesce(max(id), 0) FROM view_batch)
    WHERE project_id = ${projectId} AND last_view_batch_id IS NULL
      AND (pg_snapshot_xmin(pg_current_snapshot()) >= writers_below
        OR writers_read_at < now() - make_interval(mins => ${maxWriterMinutes}))`.execute(db)
  const { rows } = await sql<{ last: string | null }>`
    SELECT last_view_batch_id AS last FROM project_deletion WHERE project_id = ${projectId}`.execute(db)
  return rows[0]?.last ?? undefined
}

const quarantinedIds = sql`(SELECT unnest(batch_ids) FROM view_block WHERE quarantined_at IS NOT NULL)`

async function hasBatchesToLoad(db: Database, lastBatchId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM view_batch WHERE id <= ${lastBatchId} AND id NOT IN ${quarantinedIds} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** ClickHouse rejected these batches, so that none of their views is there. They wait for an operator, perhaps forever. */
async function removeFromQuarantine(db: Database, projectId: Id<'prj'>, lastBatchId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM view_batch WHERE id <= ${lastBatchId} AND id IN ${quarantinedIds} ORDER BY id`.execute(db)
  for (const { id } of rows)
    await db.transaction().execute(async (tx) => {
      await sql`SELECT FROM view_block WHERE ${id}::bigint = ANY (batch_ids) AND quarantined_at IS NOT NULL FOR UPDATE`.execute(
        tx,
      )
      const batch = await tx.selectFrom('view_batch').select('body').where('id', '=', id).forUpdate().executeTakeFirst()
      const lines = batch && (await readLines(batch.body))
      const others = lines?.filter((line) => !line.startsWith(`["${projectId}"`))
      if (!lines || !others || others.length === lines.length) return
      if (others.length === 0) {
        await tx.deleteFrom('view_batch').where('id', '=', id).execute()
        await sql`DELETE FROM view_block WHERE batch_ids = ARRAY[${id}]::bigint[]`.execute(tx)
        return
      }
      const text = Buffer.from(others.join(''))
      const body = await promisify(gzip)(text)
      await tx
        .updateTable('view_batch')
        .set({ body, rows: others.length, size_bytes: text.length })
        .where('id', '=', id)
        .execute()
    })
}

/** Undefined: the batch is not compressed text, which may be why it was rejected. */
async function readLines(body: Buffer): Promise<string[] | undefined> {
  const text = await promisify(gunzip)(body).catch(() => undefined)
  return text?.toString().match(/[^\n]*\n/g) ?? undefined
}

const tables = Object.keys(timeColumns)

async function deleteFromClickhouse(clickhouse: ClickHouseClient, projectId: Id<'prj'>, stopping: AbortSignal) {
  const filled = await listTablesWithViews(clickhouse, projectId)
  if (filled.length === 0) return
  for (const table of filled)
    await clickhouse.command({
      query: `DELETE FROM ${table} WHERE project_id = {project: String}`,
      query_params: { project: projectId },
      // It may take longer than a request: ClickHouse goes on, and this waits for it.
      clickhouse_settings: { lightweight_deletes_sync: '0' },
    })
  await waitForMutations(clickhouse, stopping)
  await removeDeletedRows(clickhouse)
  await waitForMutations(clickhouse, stopping)
  const left = await listTablesWithViews(clickhouse, projectId)
  if (left.length > 0) throw new Error(`views of the deleted project ${projectId} are left in ${left.join(', ')}`)
}

async function listTablesWithViews(clickhouse: ClickHouseClient, projectId: Id<'prj'>): Promise<string[]> {
  const filled: string[] = []
  for (const table of tables) {
    const response = await clickhouse.query({
      query: `SELECT 1 FROM ${table} WHERE project_id = {project: String} LIMIT 1`,
      query_params: { project: projectId },
      format: 'JSONEachRow',
    })
    if ((await response.json()).length > 0) filled.push(table)
  }
  return filled
}
