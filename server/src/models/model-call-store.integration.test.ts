import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createClaimedTurn } from '../../../testing/harness/claimed-turn.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { ConfiguredCeilings } from './budget.ts'
import { BudgetStore } from './budget-store.ts'
import type { Prices } from './model.ts'
import { type ModelCallSpec, ModelCallStore, type Reservation } from './model-call-store.ts'

let instance: TestInstance
let calls: ModelCallStore
let replica: ModelCallStore
let budgets: BudgetStore
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'model-calls')
  calls = new ModelCallStore(instance.database)
  replica = new ModelCallStore(instance.database)
  budgets = new BudgetStore(instance.database)
})
afterAll(() => instance.drop())

const operator = { kind: 'operator' } as const
const prices: Prices = { input: '3', output: '15', cacheRead: '0.3', cacheWrite: '3.75' }
const noLimits = {
  maxTokensPerMonth: 'none',
  maxUsdPerMonth: 'none',
  maxTokensPerHour: 'none',
  maxUsdPerHour: 'none',
} as const
const ceilings = (
  project: Partial<ConfiguredCeilings['project']> = {},
  instance: Partial<ConfiguredCeilings['instance']> = {},
): ConfiguredCeilings => ({
  project: { ...noLimits, maxTokensPerJob: 1_000_000, ...project },
  instance: { ...noLimits, ...instance },
})
const largeBudget = ceilings()
const noUsage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }

const newProject = async () => (await instance.stores.projects.create('Docs', operator)).id

async function newCall(projectId: Id<'prj'>, atMost = { inputTokens: 900, outputTokens: 100 }): Promise<ModelCallSpec> {
  const { jobId, turnId } = await createClaimedTurn(instance, projectId, 'm')
  return { projectId, jobId, turnId, model: { name: 'm', prices }, maxUsage: atMost }
}

const jobUsage = async (projectId: Id<'prj'>, jobId: Id<'job'>) =>
  (await instance.stores.jobs.get(projectId, jobId)).usage

async function reserve(call: ModelCallSpec, budget = largeBudget): Promise<Reservation> {
  const result = await calls.reserve(call, budget)
  if (result.kind !== 'reserved') throw new Error(`not reserved: ${JSON.stringify(result)}`)
  return result.reservation
}

/** The stored total of the month, and the sum of its calls. */
async function monthTotals(projectId: Id<'prj'>) {
  const { rows } = await instance.pool.query(
    `SELECT tokens::int, cost_usd::float AS cost,
       (SELECT sum(tokens)::int FROM model_call WHERE project_id = $1) AS call_tokens,
       (SELECT coalesce(sum(cost_usd), 0)::float FROM model_call WHERE project_id = $1) AS call_cost
     FROM model_month WHERE project_id = $1`,
    [projectId],
  )
  return rows[0]
}

test('replaces the reservation by the actual usage, to the last fraction of a cent', async () => {
  const call = await newCall(await newProject())
  const { projectId, jobId } = call
  const first = await reserve(call)
  expect(await jobUsage(projectId, jobId)).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: 0 })
  // The highest input price counts: 900 × 3.75 + 100 × 15, per million.
  expect(await monthTotals(projectId)).toEqual({ tokens: 1000, cost: 0.004875, call_tokens: 1000, call_cost: 0.004875 })

  await calls.settle(first, { inputTokens: 100, cacheReadTokens: 70, cacheWriteTokens: 13, outputTokens: 7 })
  const cost = (100 * 3 + 70 * 0.3 + 13 * 3.75 + 7 * 15) / 1e6
  expect(await jobUsage(projectId, jobId)).toEqual({ inputTokens: 183, outputTokens: 7, costUsd: cost })
  expect(await monthTotals(projectId)).toEqual({ tokens: 190, cost, call_tokens: 190, call_cost: cost })

  await calls.settle(first, { ...noUsage, outputTokens: 999 })
  expect(await monthTotals(projectId)).toMatchObject({ tokens: 190, call_tokens: 190 })
})

test('reports no cost where the price of used tokens is unknown', async () => {
  const call = await newCall(await newProject())
  const withPrices = (changes: Partial<Prices>) => ({
    ...call,
    model: { name: 'm', prices: { ...prices, ...changes } },
  })
  await calls.settle(await reserve(withPrices({ cacheWrite: null })), { ...noUsage, inputTokens: 10 })
  expect(await jobUsage(call.projectId, call.jobId)).toMatchObject({ costUsd: 0.00003 })
  await calls.settle(await reserve(withPrices({ output: null })), { ...noUsage, outputTokens: 1 })
  expect(await jobUsage(call.projectId, call.jobId)).toEqual({
    inputTokens: 10,
    outputTokens: 1,
    costUsd: null,
  })
})

test('limits concurrent calls through two gateways to exactly the budget of the job', async () => {
  const call = await newCall(await newProject())
  const budget = ceilings({ maxTokensPerJob: 10_000 })
  const attempts = Array.from({ length: 40 }, (_, index) => (index % 2 ? calls : replica).reserve(call, budget))
  const kinds = (await Promise.all(attempts)).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'reserved')).toHaveLength(10)
  expect(kinds.filter((kind) => kind === 'out_of_budget')).toHaveLength(30)
  expect(await calls.exceededBudget(call.turnId)).toBe('job_tokens')
  expect(await monthTotals(call.projectId)).toMatchObject({ tokens: 10_000, call_tokens: 10_000 })
})

test.each([
  ['month_tokens', { maxTokensPerMonth: 5_000 }],
  ['month_usd', { maxUsdPerMonth: 5 * 0.004875 }],
  ['hour_tokens', { maxTokensPerHour: 5_000 }],
  ['hour_usd', { maxUsdPerHour: 5 * 0.004875 }],
] as const)('limits concurrent jobs of a project to exactly the budget %s', async (budget, limit) => {
  const projectId = await newProject()
  const jobCalls: ModelCallSpec[] = []
  while (jobCalls.length < 5) jobCalls.push(await newCall(projectId))
  const attempts = jobCalls.flatMap((call) =>
    [calls, replica, calls].map((gateway) => gateway.reserve(call, ceilings(limit))),
  )
  const results = await Promise.all(attempts)
  expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(5)
  expect(results.filter((result) => result.kind === 'out_of_budget' && result.budget === budget)).toHaveLength(10)
  expect(await monthTotals(projectId)).toMatchObject({ tokens: 5_000, call_tokens: 5_000 })
  expect(await calls.exceededBudget(jobCalls[0]?.turnId as Id<'trn'>)).toBe(budget)
})

test.each([
  ['instance_month_tokens', 'month', 'maxTokensPerMonth', 'tokens'],
  ['instance_month_usd', 'month', 'maxUsdPerMonth', 'cost_usd'],
  ['instance_hour_tokens', 'hour', 'maxTokensPerHour', 'tokens'],
  ['instance_hour_usd', 'hour', 'maxUsdPerHour', 'cost_usd'],
] as const)('limits concurrent calls of all projects together to exactly %s', async (budget, period, limit, column) => {
  const jobCalls: ModelCallSpec[] = []
  while (jobCalls.length < 5) jobCalls.push(await newCall(await newProject()))
  const used = async () => {
    const { rows } = await instance.pool.query(
      `SELECT coalesce(sum(${column}), 0)::float AS used FROM model_period
       WHERE scope = 'instance' AND period = $1 AND starts_at = date_trunc($1, now(), 'UTC')`,
      [period],
    )
    return rows[0].used as number
  }
  const before = await used()
  const perCall = column === 'tokens' ? 1_000 : 0.004875
  const limits = ceilings({}, { [limit]: before + 7.5 * perCall })
  const attempts = jobCalls.flatMap((call) => [calls, replica, calls].map((gateway) => gateway.reserve(call, limits)))
  const results = await Promise.all(attempts)
  expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(7)
  expect(results.filter((result) => result.kind === 'out_of_budget' && result.budget === budget)).toHaveLength(8)
  expect(await used()).toBeCloseTo(before + 7 * perCall)
  for (const result of results) if (result.kind === 'reserved') await calls.settle(result.reservation, noUsage)
  expect(await used()).toBeCloseTo(before)
})

test('counts calls by day and model, with the tokens whose price is unknown, also after their job is deleted', async () => {
  const call = await newCall(await newProject())
  const unpriced = { ...call, model: { name: 'free', prices: { ...prices, input: null, output: null } } }
  await calls.settle(await reserve(call), { ...noUsage, inputTokens: 100, outputTokens: 10 })
  await calls.settle(await reserve(call), noUsage)
  await calls.settle(await reserve(unpriced), { ...noUsage, inputTokens: 7 })
  await reserve(unpriced)
  await instance.pool.query('DELETE FROM job WHERE id = $1', [call.jobId])
  const { rows } = await instance.pool.query(
    `SELECT model, calls::int, tokens::int, cost_usd::float, unpriced_tokens::int FROM model_day
     WHERE project_id = $1 ORDER BY model`,
    [call.projectId],
  )
  expect(rows).toEqual([
    { model: 'free', calls: 2, tokens: 1_007, cost_usd: 0, unpriced_tokens: 1_007 },
    { model: 'm', calls: 1, tokens: 110, cost_usd: (100 * 3 + 10 * 15) / 1e6, unpriced_tokens: 0 },
  ])
})

test('applies default limits where none are configured, only on instances that were created with them', async () => {
  const configured = { project: { maxTokensPerJob: 1e9 }, instance: {} } as ConfiguredCeilings
  const huge = await newCall(await newProject(), { inputTokens: 99_999_000, outputTokens: 1_001 })
  const unpriced = { ...huge, model: { name: 'm', prices: { ...prices, input: null } } }
  expect(await calls.reserve(huge, configured)).toEqual({ kind: 'out_of_budget', budget: 'month_tokens' })
  expect(await calls.reserve(unpriced, configured)).toEqual({ kind: 'out_of_budget', budget: 'month_tokens' })
  await instance.pool.query('UPDATE instance_budget SET has_default_limits = false')
  await calls.settle(await reserve(huge, configured), noUsage)
  await instance.pool.query('UPDATE instance_budget SET has_default_limits = true')
})

test('gives each turn of a job with a topic the budget of a job', async () => {
  const call = await newCall(await newProject())
  await instance.pool.query("UPDATE job SET topic = 'nightly' WHERE id = $1", [call.jobId])
  const budget = ceilings({ maxTokensPerJob: 1_500 })
  await reserve(call, budget)
  expect(await calls.reserve(call, budget)).toEqual({ kind: 'out_of_budget', budget: 'job_tokens' })
  const nextTurn = { ...call, turnId: newId('trn') }
  await instance.pool.query(
    `INSERT INTO turn (project_id, job_id, id, number, prompt, status, created_at)
     VALUES ($1, $2, $3, 2, 'More.', 'queued', now())`,
    [call.projectId, call.jobId, nextTurn.turnId],
  )
  await reserve(nextTurn, budget)
})

test('applies the lower one of the budget of the project and the ceiling, from the next call on', async () => {
  const call = await newCall(await newProject())
  const unlimited = { maxTokensPerJob: 1e12, maxTokensPerMonth: 1e12, maxUsdPerMonth: 1e9 }
  await budgets.set(call.projectId, unlimited, operator)
  for (const [budget, limit] of [
    ['job_tokens', { maxTokensPerJob: 999 }],
    ['month_tokens', { maxTokensPerMonth: 999 }],
    ['month_usd', { maxUsdPerMonth: 0.004 }],
  ] as const)
    expect(await calls.reserve(call, ceilings(limit))).toEqual({ kind: 'out_of_budget', budget })
  await budgets.set(call.projectId, { maxTokensPerJob: 1_500, maxTokensPerMonth: null, maxUsdPerMonth: null }, operator)
  const first = await reserve(call)
  expect(await calls.reserve(call, largeBudget)).toEqual({ kind: 'out_of_budget', budget: 'job_tokens' })
  await calls.settle(first, { ...noUsage, inputTokens: 100 })
  await reserve(call)
  await budgets.set(call.projectId, { maxTokensPerJob: null, maxTokensPerMonth: 0, maxUsdPerMonth: null }, operator)
  expect(await calls.reserve(call, largeBudget)).toEqual({ kind: 'out_of_budget', budget: 'month_tokens' })
  const entries = await instance.stores.audit.list(call.projectId, { limit: 10, before: undefined })
  expect(entries.filter(({ action }) => action === 'budget.changed')).toHaveLength(3)
})

test('counts the reservation of a call whose gateway died: at once in budgets, after an hour as usage', async () => {
  const call = await newCall(await newProject())
  const { id } = await reserve(call)
  const budget = ceilings({ maxTokensPerJob: 1_999 })
  expect((await calls.reserve(call, budget)).kind).toBe('out_of_budget')
  const usage = () => jobUsage(call.projectId, call.jobId)
  expect(await usage()).toMatchObject({ inputTokens: 0, outputTokens: 0 })
  await instance.pool.query(`UPDATE model_call SET reserved_at = reserved_at - interval '61 minutes' WHERE id = $1`, [
    id,
  ])
  expect(await usage()).toEqual({ inputTokens: 900, outputTokens: 100, costUsd: 0.004875 })
})

test('limits calls that the provider rejects, although they use no tokens', async () => {
  const call = await newCall(await newProject())
  for (let count = 0; count < 60; count++) await calls.settle(await reserve(call), noUsage)
  expect(await calls.reserve(call, largeBudget)).toEqual({ kind: 'too_many_failures' })
  await instance.pool.query(`UPDATE model_call SET settled_at = settled_at - interval '1 minute' WHERE job_id = $1`, [
    call.jobId,
  ])
  await reserve(call)
  expect(await calls.exceededBudget(call.turnId)).toBeUndefined()
})
