import { afterAll, expect, inject, test } from 'vitest'
import { createClaimedTurn } from '../../../../testing/harness/claimed-turn.ts'
import { createTestInstance } from '../../../../testing/harness/test-instance.ts'
import { tryLoaderLock } from '../../analytics/load/loader.ts'
import { loadPostgresConfig } from '../../platform/config.ts'
import { resetAfterRecovery } from './reset-after-recovery.ts'

const instance = await createTestInstance(inject('services'), 'recovery')
afterAll(() => instance.drop())
const config = loadPostgresConfig(instance.environment)
const { pool } = instance

const countSessions = async () =>
  (await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM person_session')).rows[0]?.count

test('ends sessions and attempts, and wakes the jobs, but not while a worker is connected', async () => {
  const { projectId } = await instance.createProject()
  await instance.addModel()
  const { jobId, turnId } = await createClaimedTurn(instance, projectId, 'test-model')
  await pool.query("INSERT INTO person (id, name, email) VALUES ('per_a', 'Ada', 'ada@example.com')")
  await pool.query(
    "INSERT INTO person_session (id, person_id, token, expires_at) VALUES ('ses_a', 'per_a', 'a', now() + interval '1 day')",
  )

  const worker = await pool.connect()
  expect(await tryLoaderLock(worker)).toBe(true)
  await expect(resetAfterRecovery(config, { keepSessions: false })).rejects.toThrow('A worker is connected')
  await worker.query('SELECT pg_advisory_unlock_all()')
  worker.release()
  expect(await countSessions()).toBe(1)

  await resetAfterRecovery(config, { keepSessions: true })
  expect(await countSessions()).toBe(1)
  const attempts = await pool.query('SELECT FROM turn_attempt WHERE turn_id = $1 AND ended_at IS NULL', [turnId])
  expect(attempts.rowCount).toBe(0)
  const jobs = await pool.query("SELECT FROM job WHERE id = $1 AND progressed_at < now() - interval '1 day'", [jobId])
  expect(jobs.rowCount).toBe(1)

  await resetAfterRecovery(config, { keepSessions: false })
  expect(await countSessions()).toBe(0)
  const entries = await pool.query("SELECT FROM audit_entry WHERE action = 'instance.recovered'")
  expect(entries.rowCount).toBe(2)
})
