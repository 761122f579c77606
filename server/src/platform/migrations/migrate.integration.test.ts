import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance } from '../../../../testing/harness/empty-test-instance.ts'
import { grants } from '../../database/grants.ts'
import { finishedVersion } from '../../database/older-version.ts'
import { createClickhouse } from '../clickhouse.ts'
import { loadMigrateConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { createTemporalConnection } from '../temporal.ts'
import { tryBackupLock } from './backup-lock.ts'
import { migrate } from './migrate.ts'

const files = readdirSync(join(import.meta.dirname, '../../../migrations/postgres'))
const names = files.map((file) => file.replace(/\.sql$/, '')).sort()

/** An empty test instance. `run` migrates it and returns what it logged. */
async function createUnmigratedInstance() {
  const instance = await createEmptyTestInstance(inject('services'), 'migrate')
  const config = loadMigrateConfig(instance.environment)
  const clickhouse = createClickhouse(config.clickhouse)
  const temporal = createTemporalConnection(config.temporal)
  const pool = new pg.Pool({ connectionString: instance.postgresUrl })
  pool.on('connect', (client) => client.on('error', () => {})) // the database is dropped while connections are being closed
  onTestFinished(async () => {
    await Promise.all([pool.end(), clickhouse.close(), temporal.close()])
    await instance.drop()
  })
  return {
    pool,
    clickhouse,
    namespace: () => temporal.workflowService.describeNamespace({ namespace: config.temporal.namespace }),
    async run() {
      const lines: { msg: string; service?: string; migration?: string; migrations?: string[] }[] = []
      const log = createLog('test', { level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
      await migrate(config, { grants, finishedVersion }, { clickhouse, temporal }, log)
      return {
        lines,
        applied: lines.flatMap(({ service, migration }) => (service === 'postgres' && migration) || []),
      }
    },
    appliedNames: async () =>
      (await pool.query<{ name: string }>('SELECT name FROM schema_migration ORDER BY name')).rows.map(
        ({ name }) => name,
      ),
  }
}

test('applies every migration once, in order, and creates the namespace', async () => {
  const { run, appliedNames, namespace } = await createUnmigratedInstance()
  expect((await run()).applied).toEqual(names)
  expect((await run()).lines).toEqual([])
  expect(await appliedNames()).toEqual(names)
  await namespace() // rejects if it does not exist
})

test('creates the database in ClickHouse if it is missing', async () => {
  const { run, clickhouse } = await createUnmigratedInstance()
  await clickhouse.command({
    query: 'DROP DATABASE {database:Identifier}',
    query_params: await currentDatabase(clickhouse),
  })
  await run()
  const tables = await clickhouse.query({ query: 'SHOW TABLES', format: 'JSONEachRow' })
  expect(await tables.json()).toContainEqual({ name: 'schema_migration' })
})

async function currentDatabase(clickhouse: ClickHouseClient): Promise<{ database: string | undefined }> {
  const result = await clickhouse.query({ query: 'SELECT currentDatabase() AS name', format: 'JSONEachRow' })
  return { database: (await result.json<{ name: string }>())[0]?.name }
}

test('lets one of several concurrent processes migrate while the others wait', async () => {
  const { run, appliedNames } = await createUnmigratedInstance()
  const runs = await Promise.all([run(), run(), run()])
  expect(runs.map(({ applied }) => applied).sort()).toEqual([[], [], names])
  expect(await appliedNames()).toEqual(names)
})

test('waits for a backup, but not if nothing is to be applied', async () => {
  const { run, pool, appliedNames } = await createUnmigratedInstance()
  const backup = await pool.connect()
  try {
    expect(await tryBackupLock(backup)).toBe(true)
    const running = run()
    const isWaiting = async () =>
      (
        await pool.query(
          `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
           WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`,
        )
      ).rowCount === 1
    await expect.poll(isWaiting, { timeout: 30_000 }).toBe(true)
    expect(await appliedNames().catch(() => [])).toEqual([])
    await backup.query('SELECT pg_advisory_unlock_all()')
    const { lines, applied } = await running
    expect(lines[0]?.msg).toBe('waiting for a backup to finish')
    expect(applied).toEqual(names)

    expect(await tryBackupLock(backup)).toBe(true)
    expect((await run()).lines).toEqual([])
  } finally {
    backup.release(true)
  }
})

test('rejects a file that was modified after it was applied, and changes nothing', async () => {
  const { run, pool, appliedNames } = await createUnmigratedInstance()
  await run()
  await pool.query('DELETE FROM schema_migration WHERE name > $1', [names[0]])
  await pool.query("UPDATE schema_migration SET checksum = 'of another text'")
  await expect(run()).rejects.toThrow(`Migration ${names[0]} was modified after it was applied`)
  expect(await appliedNames()).toEqual(names.slice(0, 1))
})

test('rolls a failed migration back, and applies it in the next run', async () => {
  const { run, pool, appliedNames } = await createUnmigratedInstance()
  await pool.query('CREATE TABLE person_account (in_the_way int)') // so that the first migration fails halfway
  await expect(run()).rejects.toThrow('relation "person_account" already exists')
  expect(await appliedNames()).toEqual([])
  expect((await pool.query("SELECT to_regclass('person') AS created")).rows).toEqual([{ created: null }])
  await pool.query('DROP TABLE person_account')
  expect((await run()).applied).toEqual(names)
})

test('leaves the schema of a newer version alone and logs a warning', async () => {
  const { run, pool } = await createUnmigratedInstance()
  await run()
  await pool.query("INSERT INTO schema_migration (name, checksum) VALUES ('9999_of_the_future', 'x')")
  expect((await run()).lines).toMatchObject([{ migrations: ['9999_of_the_future'] }])
})
