/** The tables of the current schema, as the catalog of PostgreSQL lists them. */
import pg, { type ClientBase } from 'pg'

export interface TableColumns {
  name: string
  /** Without those that PostgreSQL computes. */
  columns: string[]
}

export interface TimePartition {
  parent: string
  from: string
  to: string
}

const inSchema = 'relnamespace = current_schema()::regnamespace'

/** A partitioned table is listed once, without its partitions. Without the table of the migrations, which write it themselves. */
export async function listTables(client: ClientBase): Promise<TableColumns[]> {
  const { rows } = await client.query<TableColumns>(
    `SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE ${inSchema} AND relkind IN ('r', 'p') AND relname <> 'schema_migration' AND NOT relispartition
       AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     GROUP BY relname ORDER BY relname`,
  )
  return rows
}

/** The tables of delivery IDs. Their partitions are created and dropped all the time, those of other tables by migrations. */
const timePartitionedTables = ['batch_delivery', 'beacon_delivery', 'log_line_delivery']

export const isTimePartitioned = ({ name }: TableColumns): boolean => timePartitionedTables.includes(name)

/** Of a table of delivery IDs. The caller has locked it: a partition that was dropped after the snapshot has no bounds, and no rows. */
export async function listTimePartitions(client: ClientBase, parent: string): Promise<TimePartition[]> {
  const { rows } = await client.query<TimePartition>(
    `SELECT parent, bounds[1] AS from, bounds[2] AS to
     FROM (
       SELECT parent.relname AS parent, regexp_match(
         pg_get_expr(pg_class.relpartbound, pg_class.oid), $bound$^FOR VALUES FROM \\('([^']+)'\\) TO \\('([^']+)'\\)$$bound$) AS bounds
       FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid JOIN pg_class AS parent ON parent.oid = inhparent
       WHERE parent.${inSchema} AND parent.relname = $1
     ) AS partition WHERE bounds IS NOT NULL ORDER BY bounds`,
    [parent],
  )
  return rows
}

/** The last values of the sequences that were used. They are not part of a snapshot: a later value does no harm. */
export async function readSequences(client: ClientBase): Promise<{ name: string; lastValue: string }[]> {
  const { rows } = await client.query<{ name: string; lastValue: string }>(
    `SELECT sequencename AS name, last_value::text AS "lastValue" FROM pg_sequences
     WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`,
  )
  return rows
}

/** The sealed secrets of all tables say with which keys they were sealed (sealed-secret.ts). */
export async function listSealingKeyIds(client: ClientBase): Promise<string[]> {
  const { rows: columns } = await client.query<{ table: string; column: string }>(
    `SELECT relname AS table, attname AS column FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE ${inSchema} AND relkind = 'r' AND attname LIKE 'sealed%' AND atttypid = 'bytea'::regtype AND NOT attisdropped`,
  )
  const ids = new Set<string>()
  for (const { table, column } of columns) {
    const { rows } = await client.query<{ id: string }>(
      `SELECT DISTINCT encode(substring(${quote(column)} FROM 2 FOR 8), 'hex') AS id FROM ${quote(table)}
       WHERE ${quote(column)} IS NOT NULL`,
    )
    for (const { id } of rows) ids.add(id)
  }
  return [...ids].sort()
}

export const quote = (identifier: string) => pg.escapeIdentifier(identifier)

export const columnList = (columns: readonly string[]) => columns.map(quote).join(', ')
