import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { claimTurn } from '../../../dev-services/claimed-turn.ts'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import { recordAudit } from '../audit/audit-store.ts'
import type { Id } from '../platform/ids.ts'
import { createDatabase } from '../platform/postgres.ts'
import type { BudgetDefaults } from './budget.ts'
import { BudgetStore } from './budget-store.ts'
import { ModelCallStore, type Reservation, type WantedCall } from './call-store.ts'
import type { Prices } from './model.ts'
import type { ModelTables } from './tables.ts'

let instance: TestInstance
let calls: ModelCallStore
let replica: ModelCallStore
let budgets: BudgetStore
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'model-calls')
  calls = new ModelCallStore(createDatabase<ModelTables>(instance.pool))
  replica = new ModelCallStore(createDatabase<ModelTables>(instance.pool))
  budgets = new BudgetStore(createDatabase<ModelTables>(instance.pool), recordAudit)
})
afterAll(() => instance.drop())

const operator = { kind: 'operator' } as const
const prices: Prices = { input: '3', output: '15', cacheRead: '0.3', cacheWrite: '3.75' }
const plenty: BudgetDefaults = { maxTokensPerJob: 1_000_000, maxTokensPerMonth: null, maxUsdPerMonth: null }
const nothing = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }

const newProject = async () => (await instance.stores.projects.create('Docs', operator)).id

async function newCall(projectId: Id<'prj'>, atMost = { inputTokens: 900, outputTokens: 100 }): Promise<WantedCall> {
  const { jobId, turnId } = await claimTurn(instance, projectId, 'm')
  return { projectId, jobId, turnId, model: { name: 'm', prices }, atMost }
}

const usageOfJob = async (projectId: Id<'prj'>, jobId: Id<'job'>) =>
  (await instance.stores.jobs.get(projectId, jobId)).usage

async function reserve(wanted: WantedCall, budget = plenty): Promise<Reservation> {
  const reserved = await calls.reserve(wanted, budget)
  if (reserved.kind !== 'reserved') throw new Error(`not reserved: ${JSON.stringify(reserved)}`)
  return reserved.reservation
}

/** What the month says, and what its calls add up to. */
async function month(projectId: Id<'prj'>) {
  const { rows } = await instance.pool.query(
    `SELECT tokens::int, cost_usd::float AS cost,
       (SELECT sum(tokens)::int FROM model_call WHERE project_id = $1) AS called,
       (SELECT coalesce(sum(cost_usd), 0)::float FROM model_call WHERE project_id = $1) AS paid
     FROM model_month WHERE project_id = $1`,
    [projectId],
  )
  return rows[0]
}

test('what was used replaces what was reserved, to the last fraction of a cent', async () => {
  const wanted = await newCall(await newProject())
  const { projectId, jobId } = wanted
  const first = await reserve(wanted)
  expect(await usageOfJob(projectId, jobId)).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: 0 })
  // The dearest input price counts: 900 × 3.75 + 100 × 15, per million.
  expect(await month(projectId)).toEqual({ tokens: 1000, cost: 0.004875, called: 1000, paid: 0.004875 })

  await calls.settle(first, { inputTokens: 100, cacheReadTokens: 70, cacheWriteTokens: 13, outputTokens: 7 })
  const paid = (100 * 3 + 70 * 0.3 + 13 * 3.75 + 7 * 15) / 1e6
  expect(await usageOfJob(projectId, jobId)).toEqual({ inputTokens: 183, outputTokens: 7, costUsd: paid })
  expect(await month(projectId)).toEqual({ tokens: 190, cost: paid, called: 190, paid })

  await calls.settle(first, { ...nothing, outputTokens: 999 })
  expect(await month(projectId)).toMatchObject({ tokens: 190, called: 190 })
})

test('a cost is not known where a price that matters is not', async () => {
  const wanted = await newCall(await newProject())
  const withPrices = (some: Partial<Prices>) => ({ ...wanted, model: { name: 'm', prices: { ...prices, ...some } } })
  await calls.settle(await reserve(withPrices({ cacheWrite: null })), { ...nothing, inputTokens: 10 })
  expect(await usageOfJob(wanted.projectId, wanted.jobId)).toMatchObject({ costUsd: 0.00003 })
  await calls.settle(await reserve(withPrices({ output: null })), { ...nothing, outputTokens: 1 })
  expect(await usageOfJob(wanted.projectId, wanted.jobId)).toEqual({
    inputTokens: 10,
    outputTokens: 1,
    costUsd: null,
  })
})

test('calls at once, over two gateways, use exactly what the job may use', async () => {
  const wanted = await newCall(await newProject())
  const budget = { ...plenty, maxTokensPerJob: 10_000 }
  const tries = Array.from({ length: 40 }, (_, index) => (index % 2 ? calls : replica).reserve(wanted, budget))
  const kinds = (await Promise.all(tries)).map((reserved) => reserved.kind)
  expect(kinds.filter((kind) => kind === 'reserved')).toHaveLength(10)
  expect(kinds.filter((kind) => kind === 'out_of_budget')).toHaveLength(30)
  expect(await calls.budgetMetBy(wanted.turnId)).toBe('job_tokens')
  expect(await month(wanted.projectId)).toMatchObject({ tokens: 10_000, called: 10_000 })
})

test("a project's jobs at once use exactly what the month has, in tokens and in money", async () => {
  for (const [budget, limit] of [
    ['month_tokens', { maxTokensPerMonth: 5_000 }],
    ['month_usd', { maxUsdPerMonth: 5 * 0.004875 }],
  ] as const) {
    const projectId = await newProject()
    const wanted: WantedCall[] = []
    while (wanted.length < 5) wanted.push(await newCall(projectId))
    const tries = wanted.flatMap((each) =>
      [calls, replica, calls].map((gateway) => gateway.reserve(each, { ...plenty, ...limit })),
    )
    const results = await Promise.all(tries)
    expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(5)
    expect(results.filter((result) => result.kind === 'out_of_budget' && result.budget === budget)).toHaveLength(10)
    expect(await month(projectId)).toMatchObject({ tokens: 5_000, called: 5_000 })
  }
})

test("a project's own values come before the operator's, and hold from the next call on", async () => {
  const wanted = await newCall(await newProject())
  await budgets.set(
    wanted.projectId,
    { maxTokensPerJob: 1_500, maxTokensPerMonth: null, maxUsdPerMonth: null },
    operator,
  )
  const first = await reserve(wanted)
  expect(await calls.reserve(wanted, plenty)).toEqual({ kind: 'out_of_budget', budget: 'job_tokens' })
  await calls.settle(first, { ...nothing, inputTokens: 100 })
  await reserve(wanted)
  await budgets.set(wanted.projectId, { maxTokensPerJob: null, maxTokensPerMonth: 0, maxUsdPerMonth: null }, operator)
  expect(await calls.reserve(wanted, plenty)).toEqual({ kind: 'out_of_budget', budget: 'month_tokens' })
  const entries = await instance.stores.audit.list(wanted.projectId, { limit: 10, before: undefined })
  expect(entries.filter(({ action }) => action === 'budget.changed')).toHaveLength(2)
})

test('a call whose gateway died counts as it was reserved: at once for budgets, after an hour as used', async () => {
  const wanted = await newCall(await newProject())
  const { id } = await reserve(wanted)
  const budget = { ...plenty, maxTokensPerJob: 1_999 }
  expect((await calls.reserve(wanted, budget)).kind).toBe('out_of_budget')
  const usage = () => usageOfJob(wanted.projectId, wanted.jobId)
  expect(await usage()).toMatchObject({ inputTokens: 0, outputTokens: 0 })
  await instance.pool.query(`UPDATE model_call SET reserved_at = reserved_at - interval '61 minutes' WHERE id = $1`, [
    id,
  ])
  expect(await usage()).toEqual({ inputTokens: 900, outputTokens: 100, costUsd: 0.004875 })
})

test('calls that the provider refuses use nothing, and yet cannot be made without end', async () => {
  const wanted = await newCall(await newProject())
  for (let made = 0; made < 60; made++) await calls.settle(await reserve(wanted), nothing)
  expect(await calls.reserve(wanted, plenty)).toEqual({ kind: 'too_many_failures' })
  await instance.pool.query(`UPDATE model_call SET settled_at = settled_at - interval '1 minute' WHERE job_id = $1`, [
    wanted.jobId,
  ])
  await reserve(wanted)
  expect(await calls.budgetMetBy(wanted.turnId)).toBeUndefined()
})
