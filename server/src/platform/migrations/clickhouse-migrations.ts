import { join } from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import {
  type AppliedMigration,
  type Migration,
  type MigrationPlan,
  planMigrations,
  readMigrations,
} from './migration-files.ts'

const migrations = () => readMigrations(join(import.meta.dirname, '../../../migrations/clickhouse'))

export async function planClickhouseMigrations(clickhouse: ClickHouseClient): Promise<MigrationPlan> {
  const [table] = await queryRows<{ exists: number }>(
    clickhouse,
    "SELECT count() AS exists FROM system.tables WHERE database = currentDatabase() AND name = 'schema_migration'",
  )
  return planMigrations(migrations(), Number(table?.exists) ? await listAppliedClickhouseMigrations(clickhouse) : [])
}

export const listAppliedClickhouseMigrations = (clickhouse: ClickHouseClient): Promise<AppliedMigration[]> =>
  queryRows(clickhouse, 'SELECT name, checksum FROM schema_migration ORDER BY name')

/**
 * ClickHouse has no transactional DDL, so every statement must be idempotent: if the process is killed halfway, the
 * whole file runs again, and statements that were already applied have no effect.
 */
export async function migrateClickhouse(
  clickhouse: ClickHouseClient,
  onApplied: (name: string) => void,
): Promise<MigrationPlan> {
  await clickhouse.command({
    query: `CREATE TABLE IF NOT EXISTS schema_migration (name String, checksum String, applied_at DateTime DEFAULT now())
            ENGINE = MergeTree ORDER BY name`,
  })
  const plan = await planClickhouseMigrations(clickhouse)
  for (const migration of plan.pending) {
    for (const statement of splitStatements(migration)) await clickhouse.command({ query: statement })
    await clickhouse.insert({
      table: 'schema_migration',
      values: [{ name: migration.name, checksum: migration.checksum }],
      format: 'JSONEachRow',
      clickhouse_settings: { async_insert: 0 },
    })
    onApplied(migration.name)
  }
  return plan
}

/** A statement ends with a semicolon at the end of a line. */
export function splitStatements({ name, sql }: Pick<Migration, 'name' | 'sql'>): string[] {
  const withoutComments = sql.replace(/^\s*--.*$/gm, '')
  const statements = withoutComments
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  for (const statement of statements) {
    if (/\bIF\s+(NOT\s+)?EXISTS\b/i.test(statement)) continue
    throw new Error(
      `Migration ${name}: a ClickHouse statement must contain IF EXISTS or IF NOT EXISTS, so that it can be repeated: ${statement.slice(0, 80)}`,
    )
  }
  return statements
}

const queryRows = async <Row>(clickhouse: ClickHouseClient, query: string): Promise<Row[]> =>
  (await clickhouse.query({ query, format: 'JSONEachRow' })).json<Row>()
