import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance } from '../../../testing/harness/empty-test-instance.ts'
import { createDatabase } from '../database/database.ts'
import { loadServicesConfig } from './config.ts'
import { createLog } from './log.ts'
import { createPostgresPool } from './postgres.ts'
import { isServiceUnavailable } from './service-unavailable.ts'

test('a connection that breaks during a transaction fails only that transaction', async () => {
  const instance = await createEmptyTestInstance(inject('services'), 'broken connection')
  const pool = createPostgresPool(
    loadServicesConfig(instance.environment).postgres,
    createLog('test', { level: 'error' }),
  )
  onTestFinished(async () => {
    await pool.end()
    await instance.drop()
  })

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
