/** The sizes of all tables of Colophon, in PostgreSQL and ClickHouse. Partitions count as their table. */
import type { ClickHouseClient } from '@clickhouse/client'
import type pg from 'pg'

export interface PostgresTable {
  name: string
  /** With indexes and long values. */
  bytes: number
  /** Of which the space was not freed yet, by the estimate of PostgreSQL. */
  deadRows: number
  /** That statements have read from the start of the table to its end, since the start of PostgreSQL. */
  scannedRows: number
}

export interface ClickhouseTable {
  name: string
  bytes: number
  rows: number
  /** Files on disk that ClickHouse has not merged. */
  segments: number
}

export const postgresTablesQuery = `
    SELECT coalesce(parent.relname, class.relname) AS name, sum(pg_total_relation_size(class.oid)) AS bytes,
      sum(coalesce(n_dead_tup, 0)) AS "deadRows", sum(coalesce(seq_tup_read, 0)) AS "scannedRows"
    FROM pg_class AS class
    LEFT JOIN pg_stat_user_tables AS statistics ON statistics.relid = class.oid
    LEFT JOIN pg_inherits ON inhrelid = class.oid LEFT JOIN pg_class AS parent ON parent.oid = inhparent
    WHERE class.relkind = 'r' AND class.relnamespace = 'public'::regnamespace
    GROUP BY 1 ORDER BY 1`

/** From the rows of `postgresTablesQuery`, with numbers as text. */
export const toPostgresTables = (rows: readonly Record<keyof PostgresTable, string>[]): PostgresTable[] =>
  rows.map(({ name, bytes, deadRows, scannedRows }) => ({
    name,
    bytes: Number(bytes),
    deadRows: Number(deadRows),
    scannedRows: Number(scannedRows),
  }))

export const readPostgresTables = async (postgres: pg.Client): Promise<PostgresTable[]> =>
  toPostgresTables((await postgres.query<Record<keyof PostgresTable, string>>(postgresTablesQuery)).rows)

/** Exact, so it reads every table: not while the load is measured. */
export async function countPostgresRows(postgres: pg.Client, names: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const name of names) {
    const { rows } = await postgres.query<{ count: string }>(`SELECT count(*) AS count FROM "${name}"`)
    counts.set(name, Number(rows[0]?.count))
  }
  return counts
}

export async function readClickhouseTables(clickhouse: ClickHouseClient): Promise<ClickhouseTable[]> {
  const response = await clickhouse.query({
    query: `SELECT table AS name, sum(bytes_on_disk) AS bytes, sum(rows) AS rows, count() AS segments FROM system.parts
            WHERE active AND database = currentDatabase() GROUP BY table ORDER BY table`,
    format: 'JSONEachRow',
  })
  const tables = await response.json<Record<keyof ClickhouseTable, string>>()
  return tables.map(({ name, bytes, rows, segments }) => ({
    name,
    bytes: Number(bytes),
    rows: Number(rows),
    segments: Number(segments),
  }))
}

/** By the ID of the project: the views since a time, from the raw views. */
export async function countViewsByProject(clickhouse: ClickHouseClient, sinceMs: number): Promise<Map<string, number>> {
  const response = await clickhouse.query({
    query: `SELECT project_id AS project, toString(sum(views)) AS views FROM page_view
            WHERE at >= fromUnixTimestamp64Milli({since: Int64}, 'UTC') GROUP BY project_id`,
    query_params: { since: Math.floor(sinceMs) },
    format: 'JSONEachRow',
  })
  const counts = await response.json<{ project: string; views: string }>()
  return new Map(counts.map(({ project, views }) => [project, Number(views)]))
}

/** All views, by table of sums. */
export async function sumViews(clickhouse: ClickHouseClient): Promise<Map<string, number>> {
  const columns = {
    page_view: 'views',
    views_by_page_and_day: 'human',
    views_by_page_and_month: 'human',
    views_by_quarter_hour: 'human',
    views_by_client_and_day: 'views',
  }
  const sums = new Map<string, number>()
  for (const [table, column] of Object.entries(columns)) {
    const response = await clickhouse.query({
      query: `SELECT toString(sum(${column})) AS views FROM ${table}`,
      format: 'JSONEachRow',
    })
    const [row] = await response.json<{ views: string }>()
    sums.set(table, Number(row?.views))
  }
  return sums
}
