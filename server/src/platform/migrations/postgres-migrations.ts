import { join } from 'node:path'
import type { ClientBase, Pool } from 'pg'
import { type AppliedMigration, type MigrationPlan, planMigrations, readMigrations } from './migration-files.ts'

const migrations = () => readMigrations(join(import.meta.dirname, '../../../migrations/postgres'))

export async function planPostgresMigrations(database: ClientBase | Pool): Promise<MigrationPlan> {
  const { rows } = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('schema_migration') IS NOT NULL AS exists",
  )
  const applied = rows[0]?.exists
    ? (await database.query<AppliedMigration>('SELECT name, checksum FROM schema_migration')).rows
    : []
  return planMigrations(migrations(), applied)
}

/** The last migration that was applied. */
export async function lastAppliedPostgresMigration(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ name: string | null }>('SELECT max(name) AS name FROM schema_migration')
  return rows[0]?.name ?? null
}

/** Each migration and its row in `schema_migration` are one transaction: if the process is killed, neither is applied. */
export async function migratePostgres(client: ClientBase, onApplied: (name: string) => void): Promise<MigrationPlan> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_migration (
       name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  )
  const plan = await planPostgresMigrations(client)
  for (const { name, sql, checksum } of plan.pending) {
    await client.query('BEGIN')
    await client.query(sql)
    await client.query('INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)', [name, checksum])
    await client.query('COMMIT')
    onApplied(name)
  }
  return plan
}
