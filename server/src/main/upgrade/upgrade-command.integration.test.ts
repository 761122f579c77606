/** An instance of 0.1.0 is checked, upgraded and finished. Then a newer version migrates it, and this one is the older version. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { databaseRoles } from '../../../../testing/harness/database-roles.ts'
import { createEmptyTestInstance } from '../../../../testing/harness/empty-test-instance.ts'
import { runOnPostgres } from '../../../../testing/harness/run-on-postgres.ts'
import { loadMigrateConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { readMigrations } from '../../platform/migrations/migration-files.ts'
import { migrateServices } from '../processes/migrate.ts'
import type { UpgradePlan } from './plan-upgrade.ts'
import { runUpgradeCommand, type UpgradeOptions } from './upgrade-command.ts'

const instance = await createEmptyTestInstance(inject('services'), 'upgrade')
afterAll(() => instance.drop())
const config = loadMigrateConfig(instance.environment)

async function run(options: UpgradeOptions): Promise<string> {
  let output = ''
  await runUpgradeCommand(config, options, (text) => {
    output += text
  })
  return output
}
const check = async () => JSON.parse(await run({ check: true, json: true })) as UpgradePlan

const migrate = () => migrateServices(config, createLog('test', { level: 'error' }))

/** A row of values. */
async function query<Row>(sql: string): Promise<Row | undefined> {
  const client = new pg.Client({ connectionString: instance.postgresUrl })
  await client.connect()
  try {
    return (await client.query(sql)).rows[0] as Row | undefined
  } finally {
    await client.end()
  }
}
const readOldestVersion = () => query('SELECT oldest_version FROM instance_upgrade')

/** With the migrations of 0.1.0, and a project. */
async function createFirstRelease(): Promise<void> {
  const client = new pg.Client({ connectionString: config.postgres.url })
  await client.connect()
  await client.query(
    'CREATE TABLE schema_migration (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
  )
  const migrations = readMigrations(join(import.meta.dirname, '../../../migrations/postgres'))
  for (const { name, sql, checksum } of migrations.filter((migration) => migration.name < '0007')) {
    await client.query(sql)
    await client.query('INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)', [name, checksum])
  }
  await client.query("INSERT INTO project (id, name) VALUES ('prj_1', 'Docs')")
  await client.query(
    "INSERT INTO audit_entry (project_id, id, actor, action, subject, detail) SELECT 'prj_1', 'aud_' || number, 'operator', 'project.created', 'prj_1', '{}' FROM generate_series(1, 1000) AS number",
  )
  await client.query('ANALYZE')
  await client.end()
}

test('an upgrade from 0.1.0, from the check to the end', async () => {
  expect(await check()).toMatchObject({ state: 'new', oldestVersion: null, problems: [] })
  await expect(run({ finish: true })).rejects.toThrow('Run colophon-server migrate first.')

  await createFirstRelease()
  const plan = await check()
  expect(plan).toMatchObject({ state: 'upgrade', oldestVersion: '0.1.0', previousVersionRuns: true })
  const leaving = plan.migrations.find(({ name }) => name === '0018_leaving')
  const read = leaving?.tables.find(({ table }) => table === 'audit_entry')
  expect(read).toMatchObject({ work: 'read', rows: 1000 })
  expect(read?.bytes).toBeGreaterThan(50_000)
  expect(plan.estimatedSeconds).toBeGreaterThan(1)
  const text = await run({ check: true })
  expect(text).toContain('the instance can be upgraded to this version')
  expect(text).toContain('audit_entry (about 1,000 rows, ')
  expect(text).toContain('so you can go back to it until the upgrade is finished')

  await migrate()
  expect(await check()).toMatchObject({ state: 'unfinished', oldestVersion: '0.1.0', migrations: [] })
  expect(await run({ check: true })).toContain('Version 0.1.0 can still be started.')
  // The other version may need a privilege that this one does not declare.
  const mayApiChangeBudget = async () =>
    (
      await query<{ may: boolean }>(
        `SELECT has_table_privilege('${databaseRoles.api}', 'instance_budget', 'UPDATE') AS may`,
      )
    )?.may
  await query(`GRANT UPDATE ON instance_budget TO ${databaseRoles.api}`)
  await migrate()
  expect(await mayApiChangeBudget()).toBe(true)
  expect(await run({ finish: true })).toContain('Finished the upgrade from 0.1.0.')
  expect(await mayApiChangeBudget()).toBe(false)
  expect(await run({ finish: true })).toContain('was finished already')
  expect(await check()).toMatchObject({ state: 'up_to_date', oldestVersion: '0.2.0' })

  await query("INSERT INTO schema_migration (name, checksum) VALUES ('9000_later', '')")
  expect(await check()).toMatchObject({ state: 'newer', problems: [] })
  await expect(run({ finish: true })).rejects.toThrow('Finish the upgrade with that version.')
  await query(`GRANT UPDATE ON instance_budget TO ${databaseRoles.api}`)
  await migrate()
  expect(await mayApiChangeBudget()).toBe(true)

  await query("UPDATE instance_upgrade SET oldest_version = '0.10.0'")
  await expect(run({ check: true })).rejects.toMatchObject({ name: 'UpgradeRefused' })
  const refused = { name: 'VersionTooOldError', message: expect.stringContaining('Use version 0.10.0 or newer') }
  await expect(run({ finish: true })).rejects.toMatchObject(refused)
  await expect(migrate()).rejects.toMatchObject(refused)
  expect(await readOldestVersion()).toEqual({ oldest_version: '0.10.0' })
})

test('the program says what it could not reach, and with its exit code that this version must not run', async () => {
  const other = await createEmptyTestInstance(inject('services'), 'upgrade command')
  onTestFinished(() => other.drop())
  const colophonServer = (args: string[], environment: Record<string, string> = {}) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../colophon-server.ts'), ...args], {
      env: { PATH: process.env.PATH, ...other.environment, ...environment },
      encoding: 'utf8',
    })
  const unreachable = colophonServer(['upgrade', '--check'], { COLOPHON_CLICKHOUSE_URL: 'http://127.0.0.1:1' })
  expect(unreachable).toMatchObject({ status: 1, stderr: expect.stringContaining('connect ECONNREFUSED 127.0.0.1:1.') })
  expect(unreachable.stderr).not.toContain('PostgreSQL')

  await runOnPostgres(
    other.postgresUrl,
    "CREATE TABLE instance_upgrade AS SELECT '0.10.0' AS oldest_version; GRANT SELECT ON instance_upgrade TO PUBLIC",
  )
  expect(colophonServer(['migrate'])).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('Use version 0.10.0 or newer'),
  })
})

test('the options exclude each other', async () => {
  await expect(run({})).rejects.toThrow('Use either --check or --finish.')
  await expect(run({ check: true, finish: true })).rejects.toThrow('Use either --check or --finish.')
  await expect(run({ finish: true, json: true })).rejects.toThrow('--json is for --check.')
})
