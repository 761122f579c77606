import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { deleteExpiredJobs } from '../../jobs/delete-expired-jobs.ts'

const api = await startTestApi(inject('services'), 'api settings', { COLOPHON_BUDGET_MAX_USD_PER_MONTH: '500' })
afterAll(() => api.drop())

const { projectId, client } = await api.createProject()
await api.addModel()

/** The default limits of a new instance, except for the setting above. */
const ceiling = {
  maxTokensPerJob: 5_000_000,
  maxTokensPerMonth: 100_000_000,
  maxUsdPerMonth: 500,
  maxTokensPerHour: 20_000_000,
  maxUsdPerHour: 20,
}
const defaults = {
  instructions: null,
  defaultModel: null,
  jobRetentionDays: null,
  instanceDefaultModel: 'test-model',
  budget: { maxTokensPerJob: null, maxTokensPerMonth: null, maxUsdPerMonth: null },
  instanceBudget: ceiling,
  effectiveBudget: ceiling,
  usageThisMonth: { tokens: 0, costUsd: 0 },
  pausedAt: null,
}

test('returns the defaults, and changes single fields', async () => {
  expect(await client.projects.settings(projectId)).toEqual(defaults)
  const changes = {
    instructions: 'Be brief.',
    defaultModel: 'test-model',
    jobRetentionDays: 30,
    budget: { maxTokensPerJob: 1_000, maxTokensPerMonth: 2_000, maxUsdPerMonth: 12.5 },
  }
  const effectiveBudget = { ...ceiling, ...changes.budget }
  expect(await client.projects.changeSettings(projectId, changes)).toEqual({ ...defaults, ...changes, effectiveBudget })
  await api.pool.query(
    "INSERT INTO model_month VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 700, 1.25)",
    [projectId],
  )
  const cleared = await client.projects.changeSettings(projectId, { instructions: null })
  expect(cleared).toEqual({
    ...defaults,
    ...changes,
    effectiveBudget,
    instructions: null,
    usageThisMonth: { tokens: 700, costUsd: 1.25 },
  })
  const { entries } = await client.audit.list(projectId, { limit: 4 })
  expect(entries.map(({ action }) => action)).toEqual([
    'project.instructions_changed',
    'budget.changed',
    'project.instructions_changed',
    'project.settings_changed',
  ])
})

test("a project's default model applies to its jobs until the model is removed", async () => {
  const { stores } = api
  const [first] = await stores.models.list()
  if (!first) throw new Error('no model')
  const sealer = { seal: () => Promise.reject(new Error('there is no key')) } as never
  await stores.models.add({ ...first, name: 'vendor/other', isDefault: false }, null, sealer, { kind: 'operator' })
  await client.projects.changeSettings(projectId, { defaultModel: 'vendor/other' })
  const { models } = await client.jobs.models(projectId)
  expect(models.filter(({ isDefault }) => isDefault).map(({ name }) => name)).toEqual(['vendor/other'])
  expect((await stores.models.find(projectId, 'default'))?.name).toBe('vendor/other')
  await stores.models.remove('vendor/other', { kind: 'operator' })
  expect((await client.projects.settings(projectId)).defaultModel).toBeNull()
  expect((await stores.models.find(projectId, 'default'))?.name).toBe('test-model')
})

test.each([
  {},
  { defaultModel: 'unknown-model' },
  { defaultModel: 'default' },
  { jobRetentionDays: 0 },
  { instructions: '' },
  { instructions: 'a\0b' },
])('rejects %j', async (changes) => {
  await expect(client.projects.changeSettings(projectId, changes)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('rejects a budget above the ceiling of the operator, and caps one that is stored', async () => {
  const { projectId, client } = await api.createProject()
  const unlimited = { maxTokensPerJob: 1e12, maxTokensPerMonth: 1e12, maxUsdPerMonth: 1e9 }
  const rejected = client.projects.changeSettings(projectId, { instructions: 'Spend.', budget: unlimited })
  await expect(rejected).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [
      {
        path: 'body/budget/maxTokensPerJob',
        message: expect.stringContaining('set at most 5000000, or ask an operator'),
      },
      { path: 'body/budget/maxTokensPerMonth' },
      { path: 'body/budget/maxUsdPerMonth', message: expect.stringContaining('above the limit of the instance, 500') },
    ],
  })
  expect(await client.projects.settings(projectId)).toMatchObject({ instructions: null, budget: defaults.budget })
  await api.stores.budgets.set(projectId, unlimited, { kind: 'operator' })
  expect(await client.projects.settings(projectId)).toMatchObject({ budget: unlimited, effectiveBudget: ceiling })
  const atCeiling = { maxTokensPerJob: 5_000_000, maxTokensPerMonth: 100_000_000, maxUsdPerMonth: 500 }
  await client.projects.changeSettings(projectId, { budget: atCeiling })
})

test('changes nothing if one of the changes fails', async () => {
  await api.pool.query('ALTER TABLE project_budget ADD CONSTRAINT not_thirteen CHECK (max_tokens_per_job <> 13)')
  const before = await client.projects.settings(projectId)
  const budget = { maxTokensPerJob: 13, maxTokensPerMonth: null, maxUsdPerMonth: null }
  const changes = { instructions: 'Be long.', jobRetentionDays: 77, budget }
  await expect(client.projects.changeSettings(projectId, changes)).rejects.toMatchObject({ code: 'internal_error' })
  expect(await client.projects.settings(projectId)).toEqual(before)
  await api.pool.query('ALTER TABLE project_budget DROP CONSTRAINT not_thirteen')
})

test('rejects a model that is removed at the same time like an unknown one', async () => {
  const [first] = await api.stores.models.list()
  if (!first) throw new Error('no model')
  await api.stores.models.add({ ...first, name: 'removed', isDefault: false }, null, undefined as never, {
    kind: 'operator',
  })
  const connection = await api.pool.connect()
  await connection.query('BEGIN')
  await connection.query("DELETE FROM model WHERE name = 'removed'")
  const choosing = client.projects
    .changeSettings(projectId, { defaultModel: 'removed' })
    .catch((error: unknown) => error)
  await sleep(500) // the request has found the model, and waits for the lock
  await connection.query('COMMIT')
  connection.release()
  expect(await choosing).toMatchObject({ code: 'invalid_request' })
})

test('pauses and resumes repeatedly', async () => {
  const paused = await client.projects.pause(projectId)
  expect(paused.pausedAt).toEqual(expect.any(String))
  expect(await client.projects.pause(projectId)).toEqual(paused)
  expect((await client.projects.resume(projectId)).pausedAt).toBeNull()
})

test('deletes ended jobs after the retention period of their project', async () => {
  const project = await api.createProject()
  const job = (id: string, status: string, days: number) =>
    api.pool.query(
      `INSERT INTO job (project_id, id, status, repository, ref, model, publish, archived_at, updated_at)
       VALUES ($1, $2, $3, 'a/b', 'main', 'm', 'diff', CASE WHEN $3 = 'archived' THEN now() END, now() - make_interval(days => $4))`,
      [project.projectId, id, status, days],
    )
  await job('job_old', 'archived', 9)
  await job('job_failed', 'failed', 9)
  await job('job_active', 'active', 9)
  await job('job_new', 'completed', 1)
  const db = api.database
  expect(await deleteExpiredJobs(db, 100), 'jobs are kept forever by default').toBe(0)
  await project.client.projects.changeSettings(project.projectId, { jobRetentionDays: 7 })
  expect(await deleteExpiredJobs(db, 100)).toBe(2)
  const { rows } = await api.pool.query('SELECT id FROM job WHERE project_id = $1 ORDER BY id', [project.projectId])
  expect(rows).toEqual([{ id: 'job_active' }, { id: 'job_new' }])
})

test('health reports services, the view buffer and versions', async () => {
  expect(await client.projects.health(projectId)).toMatchObject({
    status: 'ready',
    components: { postgres: { status: 'ok' }, temporal: { status: 'ok' }, clickhouse: { status: 'ok' } },
    viewBuffer: { bytes: 0, oldestWaitingAt: null, limitBytes: 1024 ** 3 },
    versions: { colophon: expect.any(String), schema: expect.stringMatching(/^\d{4}_/) },
  })
})

test('rejects callers without access', async () => {
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:read')) {
    await expect(client.projects.settings(projectId), caller).rejects.toMatchObject({ code })
    await expect(client.projects.health(projectId), caller).rejects.toMatchObject({ code })
  }
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:write')) {
    await expect(client.projects.changeSettings(projectId, { instructions: null }), caller).rejects.toMatchObject({
      code,
    })
    await expect(client.projects.pause(projectId), caller).rejects.toMatchObject({ code })
    await expect(client.projects.resume(projectId), caller).rejects.toMatchObject({ code })
  }
})
