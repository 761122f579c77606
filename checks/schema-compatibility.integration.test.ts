/** Upgrades the schema of the last release to this version, and compares them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { ensureCommit, findLastRelease } from '../release/releases.ts'
import { migrateServices } from '../server/src/main/processes/migrate.ts'
import { createClickhouse } from '../server/src/platform/clickhouse.ts'
import { loadMigrateConfig } from '../server/src/platform/config.ts'
import { createLog } from '../server/src/platform/log.ts'
import { splitStatements } from '../server/src/platform/migrations/clickhouse-migrations.ts'
import { readMigrations } from '../server/src/platform/migrations/migration-files.ts'
import { createEmptyTestInstance } from '../testing/harness/empty-test-instance.ts'
import { runCommand } from '../testing/services/run-command.ts'
import { readClickhouseSchema, readPostgresFunctions, readPostgresSchema } from './read-schemas.ts'
import {
  findFunctionChanges,
  findSchemaChanges,
  findSchemaProblems,
  type IntendedSchemaChange,
} from './schema-compatibility.ts'

const root = join(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'colophon-schema-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('the last release can work with the schema of this version', async () => {
  const release = await findLastRelease(root)
  if (!release) throw new Error('release/releases.json has no release')
  await ensureCommit(root, release.commit)
  const archive = join(directory, 'migrations.tar')
  await runCommand(['git', 'archive', `--output=${archive}`, release.commit, 'server/migrations'], { cwd: root })
  const released = join(directory, 'released')
  mkdirSync(released)
  await runCommand(['tar', '--extract', `--file=${archive}`, `--directory=${released}`])
  const migrationsOf = (service: string) => readMigrations(join(released, 'server/migrations', service))

  const instance = await createEmptyTestInstance(inject('services'), 'schema')
  const config = loadMigrateConfig(instance.environment)
  const pool = new pg.Pool({ connectionString: instance.postgresUrl })
  pool.on('connect', (client) => client.on('error', () => {})) // the database is dropped while connections are being closed
  const owner = new pg.Pool({ connectionString: config.postgres.url, max: 1 })
  owner.on('connect', (client) => client.on('error', () => {}))
  const clickhouse = createClickhouse(config.clickhouse)
  try {
    await owner.query(
      'CREATE TABLE schema_migration (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    )
    for (const { name, sql, checksum } of migrationsOf('postgres')) {
      await owner.query(sql)
      await owner.query('INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)', [name, checksum])
    }
    for (const migration of migrationsOf('clickhouse'))
      for (const query of splitStatements(migration)) await clickhouse.command({ query })
    const readSchemas = async () => ({
      postgres: await readPostgresSchema(pool),
      functions: await readPostgresFunctions(pool),
      clickhouse: await readClickhouseSchema(clickhouse),
    })
    const before = await readSchemas()
    await migrateServices(config, createLog('test', { level: 'error' }))
    const after = await readSchemas()

    expect(Object.keys(before.postgres).length).toBeGreaterThan(20)
    expect(Object.keys(before.clickhouse).length).toBeGreaterThan(5)
    expect(before.postgres.runner?.dependents.length).toBeGreaterThan(0)
    expect(before.clickhouse.page_view?.dependents.length).toBeGreaterThan(2)
    expect(Object.keys(after.functions)).toContain('delete_person(text)')
    const changes = new Set([
      ...findSchemaChanges('postgres', before.postgres, after.postgres),
      ...findFunctionChanges(before.functions, after.functions),
      ...findSchemaChanges('clickhouse', before.clickhouse, after.clickhouse),
    ])
    const list = join(import.meta.dirname, 'schema-changes.json')
    const intended = JSON.parse(readFileSync(list, 'utf8')) as IntendedSchemaChange[]
    // See docs/decisions/upgrades.md for what belongs into checks/schema-changes.json.
    expect(findSchemaProblems(changes, intended)).toEqual([])
  } finally {
    await Promise.all([pool.end(), owner.end(), clickhouse.close()])
    await instance.drop()
  }
})
