import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance } from '../../../../dev-services/empty-test-instance.ts'
import { createClickhouse } from '../clickhouse.ts'
import { loadServicesConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { createTemporalConnection } from '../temporal.ts'
import { migrate } from './migrate.ts'

const files = readdirSync(join(import.meta.dirname, '../../../migrations/postgres'))
const names = files.map((file) => file.replace(/\.sql$/, '')).sort()

/** A fresh corner of the engines. `run` migrates it and tells what it logged. */
async function corner() {
  const instance = await createEmptyTestInstance(inject('services'), 'migrate')
  const config = loadServicesConfig(instance.environment)
  const clickhouse = createClickhouse(config.clickhouse)
  const temporal = createTemporalConnection(config.temporal)
  const pool = new pg.Pool({ connectionString: instance.postgresUrl })
  onTestFinished(async () => {
    await Promise.all([pool.end(), clickhouse.close(), temporal.close()])
    await instance.drop()
  })
  return {
    pool,
    namespace: () => temporal.workflowService.describeNamespace({ namespace: config.temporal.namespace }),
    async run() {
      const lines: { msg: string; engine?: string; migration?: string; migrations?: string[] }[] = []
      const log = createLog('test', { level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
      await migrate(config, { clickhouse, temporal }, log)
      return {
        lines,
        applied: lines.flatMap(({ engine, migration }) => (engine === 'postgres' && migration) || []),
      }
    },
    ledger: async () =>
      (await pool.query<{ name: string }>('SELECT name FROM schema_migration ORDER BY name')).rows.map(
        ({ name }) => name,
      ),
  }
}

test('every migration is applied once, in order, and the namespace is made', async () => {
  const { run, ledger, namespace } = await corner()
  expect((await run()).applied).toEqual(names)
  expect((await run()).lines).toEqual([])
  expect(await ledger()).toEqual(names)
  await namespace() // rejects where there is none
})

test('of several at once one does the work, the others wait and find it done', async () => {
  const { run, ledger } = await corner()
  const runs = await Promise.all([run(), run(), run()])
  expect(runs.map(({ applied }) => applied).sort()).toEqual([[], [], names])
  expect(await ledger()).toEqual(names)
})

test('a file that was edited after it was applied is refused, and nothing is done', async () => {
  const { run, pool, ledger } = await corner()
  await run()
  await pool.query('DELETE FROM schema_migration WHERE name > $1', [names[0]])
  await pool.query("UPDATE schema_migration SET checksum = 'of another text'")
  await expect(run()).rejects.toThrow(`Migration ${names[0]} was changed after it was applied`)
  expect(await ledger()).toEqual(names.slice(0, 1))
})

test('a migration that fails has not happened at all, and the next run does it', async () => {
  const { run, pool, ledger } = await corner()
  await pool.query('CREATE TABLE person_account (in_the_way int)') // so that the first migration fails in its middle
  await expect(run()).rejects.toThrow('relation "person_account" already exists')
  expect(await ledger()).toEqual([])
  expect((await pool.query("SELECT to_regclass('person') AS created")).rows).toEqual([{ created: null }])
  await pool.query('DROP TABLE person_account')
  expect((await run()).applied).toEqual(names)
})

test('a schema of a newer version is left alone, and told of', async () => {
  const { run, pool } = await corner()
  await run()
  await pool.query("INSERT INTO schema_migration (name, checksum) VALUES ('9999_of_the_future', 'x')")
  expect((await run()).lines).toMatchObject([{ migrations: ['9999_of_the_future'] }])
})
