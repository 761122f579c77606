/** Writes the views of a backup into ClickHouse. The tables of sums are filled from the views, as when they were first loaded. */
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { hasRestoreMarker, restoreMarkerTable } from '../../platform/clickhouse.ts'
import { timeColumns } from '../load/delete-expired-views.ts'

const tables = [...Object.keys(timeColumns), 'sent_batch']

export interface ImportSource {
  /** The folder of the backup. */
  folder: string
  /** PostgreSQL is restored after the views, and was empty before. */
  restoresPostgres: boolean
}

/** What is being restored, or what an interrupted restore has left. */
export async function findUnfinishedImport(clickhouse: ClickHouseClient): Promise<ImportSource | undefined> {
  if (!(await hasRestoreMarker(clickhouse))) return undefined
  const response = await clickhouse.query({
    query: `SELECT folder, restores_postgres AS restoresPostgres FROM ${restoreMarkerTable}`,
    format: 'JSONEachRow',
  })
  return (await response.json<ImportSource>())[0]
}

/** What an interrupted restore has left does not count: until it is repeated, no views are loaded. */
export async function hasViews(clickhouse: ClickHouseClient): Promise<boolean> {
  if (await hasRestoreMarker(clickhouse)) return false
  return (await queryCount(clickhouse, 'SELECT count() AS count FROM page_view')) > 0
}

/** Removes what an interrupted restore has left. */
export async function beginImport(
  clickhouse: ClickHouseClient,
  { folder, restoresPostgres }: ImportSource,
): Promise<void> {
  await clickhouse.command({
    query: `CREATE OR REPLACE TABLE ${restoreMarkerTable} ENGINE = MergeTree ORDER BY folder AS
            SELECT {folder: String} AS folder, {restoresPostgres: Bool} AS restores_postgres`,
    query_params: { folder, restoresPostgres },
  })
  for (const table of tables) await clickhouse.command({ query: `TRUNCATE TABLE ${table}` })
}

export async function finishImport(clickhouse: ClickHouseClient): Promise<void> {
  await clickhouse.command({ query: `DROP TABLE IF EXISTS ${restoreMarkerTable} SYNC` })
}

/** `columns`: those of the backup. A table of a later version may have others, or in another order. */
export const importViews = (
  clickhouse: ClickHouseClient,
  columns: readonly string[],
  lines: AsyncIterable<Uint8Array>,
): Promise<void> => importLines(clickhouse, 'page_view', columns, lines)

export const importSentBatches = (
  clickhouse: ClickHouseClient,
  columns: readonly string[],
  lines: AsyncIterable<Uint8Array>,
): Promise<void> => importLines(clickhouse, 'sent_batch', columns, lines)

/** Views, and views in the table of sums that is summed over everything. */
export async function countImportedViews(clickhouse: ClickHouseClient): Promise<{ rows: number; difference: number }> {
  const rows = await queryCount(clickhouse, 'SELECT count() AS count FROM page_view')
  const difference = await queryCount(
    clickhouse,
    `SELECT (SELECT sum(views) FROM page_view)
       - (SELECT sum(human + assistant + ai_search + ai_training + search + other_bot) FROM views_by_quarter_hour) AS count`,
  )
  return { rows, difference }
}

async function importLines(
  clickhouse: ClickHouseClient,
  table: string,
  columns: readonly string[],
  lines: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { stream } = await clickhouse.exec({
    query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT TabSeparated`,
    values: Readable.from(lines, { objectMode: false }),
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 0, // equal rows are different views
      max_execution_time: 0,
      // Small enough for a small machine.
      max_insert_block_size: '250000',
      min_insert_block_size_rows: '250000',
      min_insert_block_size_bytes: '0',
      max_insert_threads: '1',
      input_format_parallel_parsing: 0,
    },
  })
  await finished(stream.resume())
}

async function queryCount(clickhouse: ClickHouseClient, query: string): Promise<number> {
  const response = await clickhouse.query({ query, format: 'JSONEachRow' })
  return Number((await response.json<{ count: string | number }>())[0]?.count)
}
