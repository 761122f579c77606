/** Reads the schemas of PostgreSQL and ClickHouse for checks/schema-compatibility.ts. */
import type { ClickHouseClient } from '@clickhouse/client'
import type pg from 'pg'
import type { Column, Functions, Rule, Schema, Table } from './schema-compatibility.ts'

interface MutableTable extends Table {
  columns: Record<string, Column>
  constraints: Record<string, Rule>
  indexes: Record<string, Rule & { unique: boolean }>
  triggers: Record<string, Rule>
  dependents: string[]
}

const emptyTable = (): MutableTable => ({ columns: {}, constraints: {}, indexes: {}, triggers: {}, dependents: [] })

/** Without partitions, which are like their table. */
export async function readPostgresSchema(pool: pg.Pool): Promise<Schema> {
  const tables: Record<string, MutableTable> = {}
  const tableOf = (name: string) => {
    tables[name] ??= emptyTable()
    return tables[name]
  }
  const { rows: columns } = await pool.query<{ table: string; name: string } & Column>(
    `SELECT relname AS table, attname AS name, format_type(atttypid, atttypmod) AS type, NOT attnotnull AS nullable,
       atthasdef OR attidentity <> '' AS "hasDefault"
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0
       AND NOT attisdropped`,
  )
  for (const { table, name, ...column } of columns) tableOf(table).columns[name] = column

  const { rows: constraints } = await pool.query<{ table: string; name: string } & Rule>(
    `SELECT relname AS table, conname AS name, replace(pg_get_constraintdef(pg_constraint.oid), ' NOT VALID', '') AS definition,
       ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)) AS columns
     FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
     WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'x') AND NOT relispartition`,
  )
  for (const { table, name, ...rule } of constraints) tableOf(table).constraints[name] = rule

  const { rows: indexes } = await pool.query<{ table: string; name: string } & Rule & { unique: boolean }>(
    `SELECT relname AS table, indexrelid::regclass::text AS name, indisunique AS unique,
       regexp_replace(pg_get_indexdef(indexrelid), ' INDEX \\S+ ', ' INDEX ') AS definition,
       ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey)) AS columns
     FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
     WHERE relnamespace = 'public'::regnamespace AND NOT relispartition`,
  )
  for (const { table, name, ...rule } of indexes) tableOf(table).indexes[name] = rule

  // With the body of its function, which is what a migration changes.
  const { rows: triggers } = await pool.query<{ table: string; name: string; definition: string }>(
    `SELECT relname AS table, tgname AS name, pg_get_triggerdef(pg_trigger.oid) || ' ' || prosrc AS definition
     FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
     WHERE relnamespace = 'public'::regnamespace AND NOT tgisinternal AND NOT relispartition`,
  )
  for (const { table, name, definition } of triggers) tableOf(table).triggers[name] = { definition, columns: [] }

  const { rows: foreignKeys } = await pool.query<{ table: string; name: string; from: string }>(
    `SELECT target.relname AS table, conname AS name, source.relname AS from
     FROM pg_constraint JOIN pg_class AS target ON target.oid = confrelid JOIN pg_class AS source ON source.oid = conrelid
     WHERE connamespace = 'public'::regnamespace AND contype = 'f' AND conparentid = 0 AND confdeltype NOT IN ('c', 'n')`,
  )
  for (const { table, name, from } of foreignKeys)
    tableOf(table).dependents.push(`the foreign key ${name} of ${from} is new, and refuses deletions`)
  return tables
}

export async function readPostgresFunctions(pool: pg.Pool): Promise<Functions> {
  const { rows } = await pool.query<{ signature: string; definition: string }>(
    `SELECT oid::regprocedure::text AS signature, pg_get_functiondef(oid) AS definition FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND prorettype <> 'trigger'::regtype`,
  )
  return Object.fromEntries(rows.map(({ signature, definition }) => [signature, definition]))
}

export async function readClickhouseSchema(clickhouse: ClickHouseClient): Promise<Schema> {
  const read = async <Row>(query: string) =>
    (await clickhouse.query({ query, format: 'JSONEachRow' })).json<Row>() as Promise<Row[]>
  const tables: Record<string, MutableTable> = {}
  // `as_select` has the name of the database, which is another one in each test.
  const storages = await read<{ name: string; storage: string; views: string[] }>(
    `SELECT name, concat(engine_full, ' ', replaceAll(as_select, currentDatabase(), '')) AS storage, dependencies_table AS views
     FROM system.tables WHERE database = currentDatabase() AND NOT startsWith(name, '.inner')`,
  )
  for (const { name, storage, views } of storages) {
    const dependents = views.map((view) => `the materialized view ${view} is new, and inserts fail if it does`)
    tables[name] = { ...emptyTable(), storage, dependents }
  }
  const columns = await read<{ table: string; name: string; type: string }>(
    'SELECT table, name, type FROM system.columns WHERE database = currentDatabase()',
  )
  // ClickHouse fills a column that an insert leaves out with the default of its type.
  for (const { table, name, type } of columns) {
    const columnsOfTable = tables[table]?.columns
    if (columnsOfTable) columnsOfTable[name] = { type, nullable: true, hasDefault: true }
  }
  return tables
}
