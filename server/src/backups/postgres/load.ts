/** Loads the tables of a backup into a database that has their schema, in one transaction. */
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { BackupError } from '../archive/backup-error.ts'
import type { BackupFile } from '../archive/backup-file.ts'
import type { Manifest } from '../archive/manifest.ts'
import { columnList, listTables, quote, type TableColumns } from './tables.ts'

/** Migrations write these rows into a new database. */
const tablesOfMigrations = ['instance_budget', 'instance_upgrade']

/** Throws a `BackupError` if there is data that a restore would replace. */
export async function assertTablesEmpty(client: ClientBase): Promise<void> {
  for (const { name } of await listTables(client)) {
    if (tablesOfMigrations.includes(name)) continue
    const { rows } = await client.query(`SELECT FROM ${quote(name)} LIMIT 1`)
    if (rows.length > 0)
      throw new BackupError(
        `The database is not empty: the table ${name} has rows. Restore into a new database, before api and worker start.`,
      )
  }
}

/** In the transaction of the caller, so that a restore that fails changes nothing. */
export async function loadTables(
  client: ClientBase,
  { tables, partitions, sequences }: Manifest['postgres'],
  read: (file: BackupFile) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const existing = await listTables(client)
  for (const table of tables) assertColumnsExist(table, existing)
  // A manifest without a table would restore it empty, for example the audit log.
  const missing = existing.find(({ name }) => !tables.some((table) => table.name === name))
  if (missing) throw new BackupError(`The backup does not have the table ${missing.name}.`)
  await withoutConstraints(client, existing, async () => {
    await assertTablesEmpty(client) // again: until they were locked, a process could write to them
    await client.query(`TRUNCATE ${tables.map(({ name }) => quote(name)).join(', ')}`)
    for (const { parent, from, to } of partitions)
      await client.query('SELECT add_delivery_partition($1, $2, $3)', [parent, from, to])
    for (const { name, columns, file } of tables) {
      if (!file) continue
      const target = client.query(copyFrom(`COPY ${quote(name)} (${columnList(columns)}) FROM STDIN`))
      await pipeline(read(file), target)
      if (target.rowCount !== file.rows)
        throw new BackupError(`PostgreSQL read ${target.rowCount} of ${file.rows} rows of the table ${name}.`)
    }
    for (const { name, lastValue } of sequences)
      await client.query('SELECT setval(quote_ident($1)::regclass, $2)', [name, lastValue])
  })
}

function assertColumnsExist({ name, columns }: TableColumns, existing: readonly TableColumns[]): void {
  const found = existing.find((table) => table.name === name)
  if (!found) throw new BackupError(`The backup has the table ${name}, which is not part of Colophon.`)
  const unknown = columns.find((column) => !found.columns.includes(column))
  if (unknown !== undefined)
    throw new BackupError(`The backup has the column ${unknown} of the table ${name}, which is not part of Colophon.`)
}

/** Triggers would repeat what the rows are the result of. Foreign keys are checked for all rows together, when they are added again. */
async function withoutConstraints(
  client: ClientBase,
  tables: readonly TableColumns[],
  load: () => Promise<void>,
): Promise<void> {
  const { rows: foreignKeys } = await client.query<{ table: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace = current_schema()::regnamespace ORDER BY oid`,
  )
  for (const { name } of tables) await client.query(`ALTER TABLE ${quote(name)} DISABLE TRIGGER USER`)
  for (const { table, name } of foreignKeys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  await load()
  for (const { table, name, definition } of foreignKeys)
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
  for (const { name } of tables) await client.query(`ALTER TABLE ${quote(name)} ENABLE TRIGGER USER`)
}
