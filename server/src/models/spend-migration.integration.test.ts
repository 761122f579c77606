import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance } from '../../../testing/harness/empty-test-instance.ts'
import { readMigrations } from '../platform/migrations/migration-files.ts'

const migrations = readMigrations(join(import.meta.dirname, '../../migrations/postgres'))
const spendIndex = migrations.findIndex(({ name }) => name === '0017_spend')

test('an instance that has projects gets no default limits, and keeps what it has spent', async () => {
  const instance = await createEmptyTestInstance(inject('services'), 'spend-migration')
  const pool = new pg.Pool({ connectionString: instance.postgresUrl })
  onTestFinished(async () => {
    await pool.end()
    await instance.drop()
  })
  for (const { sql } of migrations.slice(0, spendIndex)) await pool.query(sql)
  await pool.query(`
    INSERT INTO project (id, name) VALUES ('prj_a', 'A'), ('prj_b', 'B');
    INSERT INTO job (project_id, id, status, repository, ref, model, publish, updated_at)
      VALUES ('prj_a', 'job_a', 'active', 'a/b', 'main', 'm', 'diff', now());
    INSERT INTO model_call (project_id, id, job_id, turn_id, model, month, input_tokens, output_tokens, cost_usd, reserved_at)
      VALUES ('prj_a', 'mcl_1', 'job_a', 'trn_1', 'm', '2026-10-01', 60, 40, 0.5, '2026-10-03T23:59:59Z'),
        ('prj_a', 'mcl_2', 'job_a', 'trn_1', 'm', '2026-10-01', 6, 4, NULL, '2026-10-03T00:00:00Z');
    INSERT INTO model_month VALUES ('prj_a', '2026-10-01', 110, 0.5), ('prj_b', '2026-10-01', 1000, 2)`)
  await pool.query(migrations[spendIndex]?.sql ?? '')

  const read = async (query: string) => (await pool.query(query)).rows
  expect(await read('SELECT has_default_limits FROM instance_budget')).toEqual([{ has_default_limits: false }])
  expect(await read('SELECT day::text, model, calls, tokens, cost_usd, unpriced_tokens FROM model_day')).toEqual([
    { day: '2026-10-03', model: 'm', calls: '2', tokens: '110', cost_usd: '0.5', unpriced_tokens: '10' },
  ])
  expect(await read('SELECT scope, period, starts_at, tokens, cost_usd FROM model_period')).toEqual([
    {
      scope: 'instance',
      period: 'month',
      starts_at: new Date('2026-10-01T00:00:00Z'),
      tokens: '1110',
      cost_usd: '2.5',
    },
  ])
})
