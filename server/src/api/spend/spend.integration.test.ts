import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'api spend', { COLOPHON_BUDGET_MAX_USD_PER_MONTH: '50' })
afterAll(() => api.drop())

const today = new Date().toISOString().slice(0, 10)
const month = today.slice(0, 7)

const addDay = (projectId: string, day: string, model: string, costUsd: number) =>
  api.pool.query('INSERT INTO model_day VALUES ($1, $2, $3, 2, 1000, $4, $5)', [
    projectId,
    day,
    model,
    costUsd,
    costUsd === 0 ? 1000 : 0,
  ])

test('returns the spend of a project and of the instance by day, model and project', async () => {
  const { projectId, client } = await api.createProject('Handbook')
  const other = await api.createProject('Other')
  await addDay(projectId, today, 'sonnet', 20)
  await addDay(projectId, today, 'local', 0)
  await addDay(projectId, '2026-01-31', 'sonnet', 4)
  await addDay(projectId, '2026-01-02', 'sonnet', 3)
  await addDay(other.projectId, today, 'sonnet', 30)

  const amounts = (calls: number, costUsd: number, unpricedTokens = 0) => ({
    calls,
    tokens: calls * 500,
    costUsd,
    unpricedTokens,
  })
  const spend = await client.spend.project(projectId)
  expect(spend).toMatchObject({
    month,
    total: amounts(4, 20, 1000),
    limits: { maxTokensPerMonth: 100_000_000, maxUsdPerMonth: 50 },
    alert: null,
    notices: [],
    days: [{ day: today, ...amounts(4, 20, 1000) }],
    models: [
      { model: 'sonnet', ...amounts(2, 20) },
      { model: 'local', ...amounts(2, 0, 1000) },
    ],
  })
  expect(spend.forecast?.costUsd).toBeGreaterThanOrEqual(20)
  expect(await client.spend.project(projectId, { month: '2026-01' })).toMatchObject({
    total: amounts(4, 7),
    forecast: null,
    days: [{ day: '2026-01-02' }, { day: '2026-01-31' }],
  })
  expect(await client.spend.project(projectId, { month: '2025-12' })).toMatchObject({
    total: amounts(0, 0),
    days: [],
    models: [],
  })

  const operator = await api.signInOperator()
  expect(await operator.client.spend.instance()).toMatchObject({
    total: amounts(6, 50, 1000),
    limits: { maxTokensPerMonth: 500_000_000, maxUsdPerMonth: 500 },
    projects: [
      { projectId: other.projectId, name: 'Other', ...amounts(2, 30) },
      { projectId, name: 'Handbook', ...amounts(4, 20, 1000) },
    ],
  })
})

test('reports the highest notice until the budget is raised', async () => {
  const { projectId, client } = await api.createProject()
  await addDay(projectId, today, 'sonnet', 9)
  const notice = (percent: number) =>
    api.pool.query("INSERT INTO budget_notice VALUES ($1, $2, $3, 'usd', 9, 10)", [projectId, `${month}-01`, percent])
  await notice(50)
  await notice(80)
  const setBudget = (maxUsdPerMonth: number) =>
    client.projects.changeSettings(projectId, {
      budget: { maxTokensPerJob: null, maxTokensPerMonth: null, maxUsdPerMonth },
    })
  await setBudget(10)
  expect(await client.spend.project(projectId)).toMatchObject({
    alert: 80,
    notices: [{ percent: 50, reachedAt: expect.any(String) }, { percent: 80 }],
  })
  await setBudget(15)
  expect((await client.spend.project(projectId)).alert).toBe(50)
  await setBudget(50)
  expect((await client.spend.project(projectId)).alert).toBeNull()
})

test('rejects callers without access, and months that do not exist', async () => {
  const { projectId, client } = await api.createProject()
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:read'))
    await expect(client.spend.project(projectId), caller).rejects.toMatchObject({ code })
  const owner = await api.signIn({ projectId, role: 'owner' })
  await expect(owner.client.spend.instance()).rejects.toMatchObject({ code: 'insufficient_role' })
  await expect(client.spend.project(projectId, { month: '2026-13' })).rejects.toMatchObject({ code: 'invalid_request' })
})
