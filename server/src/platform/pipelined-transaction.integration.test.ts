import { sql } from 'kysely'
import type { Pool } from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { createEmptyTestInstance } from '../../../testing/harness/empty-test-instance.ts'
import { startRelay } from '../../../testing/harness/relay/relay.ts'
import { createDatabase } from '../database/database.ts'
import { loadMigrateConfig } from './config.ts'
import { createLog } from './log.ts'
import { executePipelined } from './pipelined-transaction.ts'
import { createPostgresPool } from './postgres.ts'

const instance = await createEmptyTestInstance(inject('services'), 'pipelined transaction')
const config = loadMigrateConfig(instance.environment).postgres
const log = createLog('test', { level: 'error' })
const relay = await startRelay(config.url)
const pool = createPostgresPool({ ...config, poolSize: 1 }, log)
const relayedPool = createPostgresPool({ ...config, url: relay.url, poolSize: 1 }, log)
afterAll(async () => {
  await relay.stop()
  await Promise.all([pool.end(), relayedPool.end()])
  await instance.drop()
})
await pool.query('CREATE TABLE entry (name text PRIMARY KEY)')

const source = (from: Pool) => ({ pool: from, database: createDatabase(from) })
const insert = (name: string) => sql`INSERT INTO entry VALUES (${name})`
const listNames = async () => {
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM entry ORDER BY name')
  return rows.map(({ name }) => name)
}

test('sends statements without waiting for the responses of earlier ones', async () => {
  await relayedPool.query('SELECT 1') // connects
  const delayMs = 200
  await relay.setFault({ kind: 'delay', delayMs })
  const startedAtMs = performance.now()
  await executePipelined(source(relayedPool), 'SELECT 1', async (tx) => {
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => tx.query(insert(name))))
    void tx.query(insert('e'))
  })
  const elapsedMs = performance.now() - startedAtMs
  await relay.setFault({ kind: 'none' })
  expect(await listNames()).toEqual(['a', 'b', 'c', 'd', 'e'])
  const roundTripMs = 2 * delayMs
  expect(elapsedMs).toBeLessThan(7 * roundTripMs) // three: BEGIN, then a to d, then e with COMMIT
})

test('commits nothing if a statement fails, also if nothing waited for it', async () => {
  const before = await listNames()
  const failed = executePipelined(source(pool), 'SELECT 1', async (tx) => {
    void tx.query(insert('first'))
    void tx.query(sql`SELECT 1 / 0`)
    void tx.query(insert('second'))
  })
  await expect(failed).rejects.toMatchObject({ code: '22012' })
  expect(await listNames()).toEqual(before)
})

test('rolls back if the work fails, and the connection can be used again', async () => {
  const before = await listNames()
  const failed = executePipelined(source(pool), 'SELECT 1', async (tx) => {
    void tx.query(insert('first'))
    throw new Error('not a statement')
  })
  await expect(failed).rejects.toThrow('not a statement')
  expect(await listNames()).toEqual(before)
})

test('sends nothing if the transaction did not begin', async () => {
  const before = await listNames()
  const failed = executePipelined(source(pool), 'SELECT 1 / 0', async (tx) => {
    await tx.query(insert('committed on its own'))
  })
  await expect(failed).rejects.toMatchObject({ code: '22012' })
  expect(await listNames()).toEqual(before)
})
