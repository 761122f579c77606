/**
 * Writes the tables of PostgreSQL with COPY, in one snapshot. The schema is not part of it: the migrations create it. So neither
 * `pg_dump` nor its version matters, and a backup can be restored into another major version of PostgreSQL.
 */
import type { ClientBase } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { type BackupFile, writeBackupFile } from '../archive/backup-file.ts'
import type { Manifest } from '../archive/manifest.ts'
import type { BackupStorage } from '../archive/storage.ts'
import {
  columnList,
  isTimePartitioned,
  listSealingKeyIds,
  listTables,
  listTimePartitions,
  quote,
  readSequences,
  type TableColumns,
  type TimePartition,
} from './tables.ts'

/** A transaction that waits for a table would keep others waiting for it. */
const lockTimeoutMs = 5_000

/**
 * Begins the transaction of the dump. All of it sees the database at the moment that is returned. The tables are locked against changes of
 * the schema: rows are written as usual.
 */
export async function beginSnapshot(client: ClientBase): Promise<Date> {
  const tables = (await listTables(client)).filter((table) => !isTimePartitioned(table))
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
  await client.query(`LOCK TABLE ${tables.map(({ name }) => quote(name)).join(', ')} IN ACCESS SHARE MODE`)
  // The first query takes the snapshot, right after PostgreSQL has received it. The transaction began before it waited for the tables.
  const { rows } = await client.query<{ moment: Date }>('SELECT statement_timestamp() AS moment')
  const [first] = rows
  if (!first) throw new Error('PostgreSQL did not return its time')
  return first.moment
}

export interface PostgresDump {
  postgres: Omit<Manifest['postgres'], 'migrations'>
  sealingKeyIds: string[]
}

type DumpedTable = Manifest['postgres']['tables'][number]

interface DumpTarget {
  storage: BackupStorage
  folder: string
  recipients: readonly string[]
  signal: AbortSignal | undefined
}

/** In the transaction of `beginSnapshot`, which it ends. */
export async function dumpTables(client: ClientBase, target: DumpTarget): Promise<PostgresDump> {
  const tables: DumpedTable[] = []
  const partitions: TimePartition[] = []
  const listed = await listTables(client)
  // First, because partitions that have expired in the meantime are not in the backup.
  for (const table of listed.filter(isTimePartitioned)) {
    const dumped = await dumpDeliveryIds(client, table, target)
    tables.push(dumped.table)
    partitions.push(...dumped.partitions)
  }
  for (const table of listed)
    if (!isTimePartitioned(table)) tables.push({ ...table, file: await dumpRows(client, table, target) })
  const sequences = await readSequences(client)
  const sealingKeyIds = await listSealingKeyIds(client)
  await client.query('COMMIT')
  return { postgres: { tables, partitions, sequences }, sealingKeyIds }
}

/**
 * New partitions cannot be added while the table is locked, and without them, views are rejected. So it is locked only while it is read:
 * going back to a savepoint releases the locks that were acquired since.
 */
async function dumpDeliveryIds(
  client: ClientBase,
  table: TableColumns,
  target: DumpTarget,
): Promise<{ table: DumpedTable; partitions: TimePartition[] }> {
  await client.query('SAVEPOINT before_lock')
  await client.query(`LOCK TABLE ${quote(table.name)} IN ACCESS SHARE MODE`)
  const partitions = await listTimePartitions(client, table.name)
  const file = await dumpRows(client, table, target)
  await client.query('ROLLBACK TO SAVEPOINT before_lock')
  return { table: { ...table, file }, partitions }
}

/** Null: there are none. */
async function dumpRows(
  client: ClientBase,
  { name, columns }: TableColumns,
  { storage, folder, recipients, signal }: DumpTarget,
): Promise<BackupFile | null> {
  const { rows } = await client.query(`SELECT FROM ${quote(name)} LIMIT 1`)
  if (rows.length === 0) return null
  const copy = client.query(copyTo(`COPY (SELECT ${columnList(columns)} FROM ${quote(name)}) TO STDOUT`))
  const fileName = `postgres/${name}.copy.zst.age`
  const file = await writeBackupFile(storage, { folder, name: fileName }, copy, { recipients, signal })
  await client.query('SELECT') // the number of rows arrives after the last row
  if (file.rows !== copy.rowCount)
    throw new Error(`PostgreSQL sent ${file.rows} of ${copy.rowCount} rows of the table ${name}`)
  return file
}
