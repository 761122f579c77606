/** `colophon-server upgrade --check`: what `migrate` would do, on the data of this instance, and which versions can run before and after. */
import type { ClickHouseClient } from '@clickhouse/client'
import type pg from 'pg'
import { finishedVersion, oldestSupportedVersion } from '../../database/older-version.ts'
import type { MigrateConfig } from '../../platform/config.ts'
import { planClickhouseMigrations } from '../../platform/migrations/clickhouse-migrations.ts'
import type { MigrationPlan } from '../../platform/migrations/migration-files.ts'
import { readMigrationNotes, type TableWork } from '../../platform/migrations/migration-notes.ts'
import { explainTooOld, readOldestVersion } from '../../platform/migrations/oldest-version.ts'
import { planPostgresMigrations } from '../../platform/migrations/postgres-migrations.ts'
import { withPostgresConnection } from '../../platform/postgres.ts'
import { version } from '../../platform/version.ts'

export interface TableChange {
  table: string
  work: TableWork
  /** PostgreSQL's estimate. */
  rows: number
  bytes: number
  estimatedSeconds: number
}

export interface PendingMigration {
  service: 'postgres' | 'clickhouse'
  name: string
  does: string
  tables: TableChange[]
  estimatedSeconds: number
  previousVersionRuns: boolean
}

export interface UpgradePlan {
  version: string
  /**
   * `new`: nothing is migrated yet. `upgrade`: migrations are pending. `unfinished`: the previous version can still be started.
   * `up_to_date`. `newer`: a later version has migrated the instance. `refused`: this version must not be started.
   */
  state: 'new' | 'upgrade' | 'unfinished' | 'up_to_date' | 'newer' | 'refused'
  /** Why this version must not be started. */
  problems: string[]
  /** The oldest version that may run on the instance, now and after `migrate`. Null: none is running yet. */
  oldestVersion: string | null
  migrations: PendingMigration[]
  estimatedSeconds: number
  /** Whether processes of the previous version keep working after `migrate`. */
  previousVersionRuns: boolean
}

/** The last migration of the oldest release that can be upgraded. Older databases are of no release. */
const lastMigrationOfOldest = '0006_new_hosts'

/**
 * Bytes per second: what a machine with two cores and a slow disk reaches, so that most take less. Migrations of one file commit together,
 * and each has some statements that take no time by themselves.
 */
const bytesPerSecond: Readonly<Record<TableWork, number>> = {
  new: Number.POSITIVE_INFINITY,
  column: Number.POSITIVE_INFINITY,
  read: 50e6,
  rows: 5e6,
  index: 20e6,
  scan: 100e6,
  rewrite: 20e6,
}
const secondsPerMigration = 0.1

type Sizes = ReadonlyMap<string, { rows: number; bytes: number }>

export async function planUpgrade(
  config: Pick<MigrateConfig, 'postgres'>,
  clickhouse: ClickHouseClient,
): Promise<UpgradePlan> {
  return withPostgresConnection(config.postgres, 'colophon upgrade', async (client) => {
    const postgresPlan = await planPostgresMigrations(client)
    const clickhousePlan = await planIfDatabaseExists(clickhouse)
    const applied = await readApplied(client)
    // Versions before the one that records it can be upgraded from `oldestSupportedVersion`.
    const oldestVersion = applied.length === 0 ? null : ((await readOldestVersion(client)) ?? oldestSupportedVersion)
    const migrations = [
      ...describe('postgres', postgresPlan, await readPostgresSizes(client)),
      ...describe('clickhouse', clickhousePlan, await readClickhouseSizes(clickhouse)),
    ]
    const problems = findProblems(applied, oldestVersion)
    return {
      version,
      state: toState({ problems, applied, oldestVersion, migrations, unknown: postgresPlan.unknown }),
      problems,
      oldestVersion,
      migrations,
      estimatedSeconds: sum(migrations),
      previousVersionRuns: migrations.every((migration) => migration.previousVersionRuns),
    }
  })
}

function toState({
  problems,
  applied,
  oldestVersion,
  migrations,
  unknown,
}: Pick<UpgradePlan, 'problems' | 'oldestVersion' | 'migrations'> &
  Pick<MigrationPlan, 'unknown'> & { applied: readonly string[] }): UpgradePlan['state'] {
  if (problems.length > 0) return 'refused'
  if (applied.length === 0) return 'new'
  if (unknown.length > 0) return 'newer'
  if (migrations.length > 0) return 'upgrade'
  return oldestVersion === finishedVersion ? 'up_to_date' : 'unfinished'
}

function findProblems(applied: readonly string[], oldestVersion: string | null): string[] {
  const problems: string[] = []
  if (applied.length > 0 && !applied.includes(lastMigrationOfOldest))
    problems.push(
      `The database is of a version before ${oldestSupportedVersion}, which cannot be upgraded. Create a new instance.`,
    )
  const tooOld = explainTooOld(oldestVersion, finishedVersion)
  if (tooOld !== null) problems.push(tooOld)
  return problems
}

async function readApplied(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('schema_migration') IS NOT NULL AS exists",
  )
  if (!rows[0]?.exists) return []
  return (await client.query<{ name: string }>('SELECT name FROM schema_migration')).rows.map(({ name }) => name)
}

/** `migrate` creates the database in ClickHouse. */
async function planIfDatabaseExists(clickhouse: ClickHouseClient): Promise<MigrationPlan> {
  return planClickhouseMigrations(clickhouse).catch((error: { code?: unknown; type?: unknown }) => {
    if (error.type === 'UNKNOWN_DATABASE') return { pending: [], unknown: [] }
    throw error
  })
}

function describe(service: PendingMigration['service'], { pending }: MigrationPlan, sizes: Sizes): PendingMigration[] {
  const notes = readMigrationNotes()[service]
  return pending.map(({ name }) => {
    const note = notes[name] ?? {
      does: 'creates the tables of the first version',
      tables: {},
      previousVersionRuns: true,
    }
    const tables = Object.entries(note.tables).map(([table, work]): TableChange => {
      const { rows, bytes } = sizes.get(table) ?? { rows: 0, bytes: 0 }
      return { table, work, rows, bytes, estimatedSeconds: bytes / bytesPerSecond[work] }
    })
    const estimatedSeconds = secondsPerMigration + sum(tables)
    return { service, name, does: note.does, tables, estimatedSeconds, previousVersionRuns: note.previousVersionRuns }
  })
}

const sum = (parts: readonly { estimatedSeconds: number }[]) =>
  parts.reduce((seconds, { estimatedSeconds }) => seconds + estimatedSeconds, 0)

async function readPostgresSizes(client: pg.Client): Promise<Sizes> {
  // With partitions, whose rows and sizes the table itself does not have.
  const { rows } = await client.query<{ name: string; rows: string; bytes: string }>(
    `SELECT relname AS name, sum(rows) AS rows, sum(bytes) AS bytes FROM (
       SELECT coalesce(parent.relname, class.relname) AS relname, greatest(class.reltuples, 0) AS rows,
         pg_table_size(class.oid) AS bytes
       FROM pg_class AS class LEFT JOIN pg_inherits ON inhrelid = class.oid LEFT JOIN pg_class AS parent ON parent.oid = inhparent
       WHERE class.relkind = 'r' AND class.relnamespace = current_schema()::regnamespace
     ) AS tables GROUP BY relname`,
  )
  return new Map(rows.map((row) => [row.name, { rows: Math.round(Number(row.rows)), bytes: Number(row.bytes) }]))
}

async function readClickhouseSizes(clickhouse: ClickHouseClient): Promise<Sizes> {
  const result = await clickhouse
    .query({
      query: `SELECT table AS name, sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
              WHERE active AND database = currentDatabase() GROUP BY table`,
      format: 'JSONEachRow',
    })
    .then(
      (response) => response.json<{ name: string; rows: string; bytes: string }>(),
      (error: { type?: unknown }) => {
        if (error.type === 'UNKNOWN_DATABASE') return []
        throw error
      },
    )
  return new Map(result.map((row) => [row.name, { rows: Number(row.rows), bytes: Number(row.bytes) }]))
}
