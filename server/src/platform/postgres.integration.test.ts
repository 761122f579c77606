import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance } from '../../../testing/harness/empty-test-instance.ts'
import { startRelay } from '../../../testing/harness/relay/relay.ts'
import { createDatabase } from '../database/database.ts'
import { loadMigrateConfig } from './config.ts'
import { createLog } from './log.ts'
import { createPostgresPool } from './postgres.ts'
import { isServiceUnavailable } from './service-unavailable.ts'

async function openPool(purpose: string) {
  const instance = await createEmptyTestInstance(inject('services'), purpose)
  const log = createLog('test', { level: 'error' })
  const config = loadMigrateConfig(instance.environment).postgres
  const pool = createPostgresPool(config, log)
  const relay = await startRelay(config.url)
  const relayedPool = createPostgresPool({ ...config, url: relay.url }, log)
  onTestFinished(async () => {
    await relay.stop()
    await Promise.all([pool.end(), relayedPool.end()])
    await instance.drop()
  })
  return { pool, relayedPool, relay }
}

test('a connection that breaks during a transaction fails only that transaction', async () => {
  const { pool } = await openPool('broken connection')

  const [error] = await Promise.allSettled([
    createDatabase(pool)
      .transaction()
      .execute(async (tx) => {
        const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx)
        await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
        await sleep(200) // it breaks while no query is running that could reject
        await sql`SELECT 1`.execute(tx)
      }),
  ])

  expect(error).toMatchObject({ status: 'rejected' })
  expect(isServiceUnavailable((error as PromiseRejectedResult).reason)).toBe(true)
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})

test('a process that loses its network gives up its locks, its queries fail, and it recovers', {
  timeout: 40_000,
}, async () => {
  const { pool, relayedPool, relay } = await openPool('silent connection')
  const isLockFree = async () => {
    const { rows } = await pool.query<{ free: boolean }>('SELECT pg_try_advisory_lock(1) AS free')
    return rows[0]?.free
  }
  const silentQuery = createDatabase(relayedPool)
    .transaction()
    .execute(async (tx) => {
      await sql`SELECT pg_advisory_xact_lock(1)`.execute(tx)
      await relay.setFault({ kind: 'silence' })
      await sql`SELECT 1`.execute(tx)
    })
  const failure = silentQuery.then(
    () => 'no error',
    (error: unknown) => error,
  )
  await expect.poll(isLockFree, { timeout: 15_000, interval: 200 }).toBe(true)

  expect(isServiceUnavailable(await failure)).toBe(true)
  await relay.setFault({ kind: 'none' })
  const startedAtMs = performance.now()
  expect((await relayedPool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  expect(performance.now() - startedAtMs).toBeLessThan(2_000)
})

test('every connection has keepalives on both sides', async () => {
  const { pool } = await openPool('keepalives')
  const { rows } = await pool.query(
    `SELECT current_setting('tcp_keepalives_idle') AS idle, current_setting('tcp_user_timeout') AS unacknowledged`,
  )
  expect(rows).toEqual([{ idle: '10', unacknowledged: '30000' }])
})
