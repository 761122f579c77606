import { join } from 'node:path'
import type { ClientBase, Pool } from 'pg'
import { type AppliedMigration, type MigrationPlan, planMigrations, readMigrations } from './migration-files.ts'

const migrations = () => readMigrations(join(import.meta.dirname, '../../../migrations/postgres'))

export async function planPostgresMigrations(database: ClientBase | Pool): Promise<MigrationPlan> {
  const { rows } = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('schema_migration') IS NOT NULL AS exists",
  )
  return planMigrations(migrations(), rows[0]?.exists ? await listAppliedPostgresMigrations(database) : [])
}

export async function listAppliedPostgresMigrations(database: ClientBase | Pool): Promise<AppliedMigration[]> {
  return (await database.query<AppliedMigration>('SELECT name, checksum FROM schema_migration ORDER BY name')).rows
}

/** The last migration that was applied. */
export async function lastAppliedPostgresMigration(database: ClientBase | Pool): Promise<string | null> {
  const { rows } = await database.query<{ name: string | null }>('SELECT max(name) AS name FROM schema_migration')
  return rows[0]?.name ?? null
}

/** What this version would apply to a database with these migrations. Throws if one of them was modified since. */
export const planPostgresMigrationsAfter = (applied: readonly AppliedMigration[]): MigrationPlan =>
  planMigrations(migrations(), applied)

/**
 * Each migration and its row in `schema_migration` are one transaction: if the process is killed, neither is applied. `until`: the last
 * one to apply.
 */
export async function migratePostgres(
  client: ClientBase,
  onApplied: (name: string) => void,
  { until }: { until?: string } = {},
): Promise<MigrationPlan> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_migration (
       name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  )
  const plan = await planPostgresMigrations(client)
  for (const { name, sql, checksum } of plan.pending) {
    if (until !== undefined && name > until) break
    await client.query('BEGIN')
    await client.query(sql)
    await client.query('INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)', [name, checksum])
    await client.query('COMMIT')
    onApplied(name)
  }
  return plan
}
