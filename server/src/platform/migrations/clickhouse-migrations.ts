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

export async function planClickhouse(clickhouse: ClickHouseClient): Promise<MigrationPlan> {
  const [table] = await rowsOf<{ exists: number }>(
    clickhouse,
    "SELECT count() AS exists FROM system.tables WHERE database = currentDatabase() AND name = 'schema_migration'",
  )
  const applied = Number(table?.exists)
    ? await rowsOf<AppliedMigration>(clickhouse, 'SELECT name, checksum FROM schema_migration')
    : []
  return planMigrations(migrations(), applied)
}

/**
 * ClickHouse has no transactions for its schema, so every statement must be repeatable: killed half way, the whole file
 * runs again, and what it already did is passed over.
 */
export async function migrateClickhouse(
  clickhouse: ClickHouseClient,
  applied: (name: string) => void,
): Promise<MigrationPlan> {
  await clickhouse.command({
    query: `CREATE TABLE IF NOT EXISTS schema_migration (name String, checksum String, applied_at DateTime DEFAULT now())
            ENGINE = MergeTree ORDER BY name`,
  })
  const plan = await planClickhouse(clickhouse)
  for (const migration of plan.pending) {
    for (const statement of statementsOf(migration)) await clickhouse.command({ query: statement })
    await clickhouse.insert({
      table: 'schema_migration',
      values: [{ name: migration.name, checksum: migration.checksum }],
      format: 'JSONEachRow',
      clickhouse_settings: { async_insert: 0 },
    })
    applied(migration.name)
  }
  return plan
}

/** A statement ends with a semicolon at the end of a line. */
export function statementsOf({ name, sql }: Pick<Migration, 'name' | 'sql'>): string[] {
  const withoutComments = sql.replace(/^\s*--.*$/gm, '')
  const statements = withoutComments
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  for (const statement of statements) {
    if (/\bIF\s+(NOT\s+)?EXISTS\b/i.test(statement)) continue
    throw new Error(
      `Migration ${name}: a ClickHouse statement has to say IF EXISTS or IF NOT EXISTS, so that it can be repeated: ${statement.slice(0, 80)}`,
    )
  }
  return statements
}

const rowsOf = async <Row>(clickhouse: ClickHouseClient, query: string): Promise<Row[]> =>
  (await clickhouse.query({ query, format: 'JSONEachRow' })).json<Row>()
