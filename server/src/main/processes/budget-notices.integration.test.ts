import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createClaimedTurn } from '../../../../testing/harness/claimed-turn.ts'
import { createTestInstance, type TestInstance } from '../../../../testing/harness/test-instance.ts'
import type { ConfiguredCeilings } from '../../models/budget.ts'
import { createLog } from '../../platform/log.ts'
import type { Mailer } from '../../platform/mailer.ts'
import { type BudgetNoticeDeps, mailNotices, recordNotices } from './budget-notices.ts'

let instance: TestInstance
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'budget-notices')
})
afterAll(() => instance.drop())

const operator = { kind: 'operator' } as const
const month = new Date().toISOString().slice(0, 7)
const perProject = {
  maxTokensPerMonth: 1_000,
  maxUsdPerMonth: 10,
  maxTokensPerHour: 'none',
  maxUsdPerHour: 'none',
} as const
const ceilings: ConfiguredCeilings = {
  project: { ...perProject, maxTokensPerJob: 1_000 },
  instance: { ...perProject, maxTokensPerMonth: 'none', maxUsdPerMonth: 1_000 },
}

type Sent = Parameters<Mailer['send']>[0]

function depsWith(send: Mailer['send']): BudgetNoticeDeps {
  const { stores } = instance
  const log = createLog('test', { level: 'error' })
  return {
    ...stores,
    notices: stores.budgetNotices,
    ceilings,
    mailer: { send, close() {} },
    publicUrl: 'https://colophon.example.com',
    log,
  }
}

async function createProjectWithOwner(email: string) {
  const { id } = await instance.stores.projects.create('Handbook', operator)
  const { token } = await instance.stores.invitations.create(id, { email, role: 'owner' }, operator)
  await instance.stores.invitations.acceptAsNew(
    token,
    { name: 'An Owner', password: 'correct horse battery' },
    { requestId: 'test', ipAddress: '127.0.0.1' },
  )
  await instance.stores.members.add(id, { email: `not-joined-${email}`, role: 'owner' }, operator)
  return id
}

const setUsage = (scope: string, tokens: number, costUsd: number) =>
  instance.pool.query(
    scope === 'instance'
      ? `INSERT INTO model_period VALUES ($1, 'month', date_trunc('month', now(), 'UTC'), $2, $3)
         ON CONFLICT (scope, period, starts_at) DO UPDATE SET tokens = $2, cost_usd = $3`
      : `INSERT INTO model_month VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, $2, $3)
         ON CONFLICT (project_id, month) DO UPDATE SET tokens = $2, cost_usd = $3`,
    [scope, tokens, costUsd],
  )

const percentsOf = async (scope: Parameters<typeof instance.stores.budgetNotices.list>[0]) =>
  (await instance.stores.budgetNotices.list(scope, month)).map(({ percent }) => percent)

test('records each share once, and mails the highest new one to the owners who have joined', async () => {
  const projectId = await createProjectWithOwner('owner@example.com')
  const sent: Sent[] = []
  const deps = depsWith(async (email) => void sent.push(email))
  const round = async () => {
    await Promise.all([recordNotices(deps), recordNotices(deps), recordNotices(deps)])
    await Promise.all([mailNotices(deps), mailNotices(deps)])
  }
  await setUsage(projectId, 499, 4.9)
  await round()
  expect(await percentsOf(projectId)).toEqual([])
  await setUsage(projectId, 499, 8.1)
  await round()
  await round()
  expect(await percentsOf(projectId)).toEqual([50, 80])
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({ to: 'owner@example.com', subject: '80% of the model budget of Handbook is used' })
  expect(sent[0]?.text).toContain('has used $8.10 of $10.00')
  expect(sent[0]?.text).toContain(`https://colophon.example.com/projects/${projectId}/spend`)
  await setUsage(projectId, 1_000, 8.2)
  await round()
  expect(await percentsOf(projectId)).toEqual([50, 80, 100])
  expect(sent.map(({ subject }) => subject)).toEqual([
    '80% of the model budget of Handbook is used',
    '100% of the model budget of Handbook is used',
  ])
})

test('notifies operators about the instance', async () => {
  const projectId = await createProjectWithOwner('operator@example.com')
  await instance.stores.accounts.setOperator(
    await instance.stores.accounts.findIdByEmail('operator@example.com'),
    true,
    { kind: 'operator' },
  )
  const sent: Sent[] = []
  const deps = depsWith(async (email) => void sent.push(email))
  await setUsage('instance', 1, 500)
  await recordNotices(deps)
  await mailNotices(deps)
  expect(await percentsOf('instance')).toEqual([50])
  expect(await percentsOf(projectId)).toEqual([])
  expect(sent).toMatchObject([
    { to: 'operator@example.com', subject: '50% of the model budget of this Colophon instance is used' },
  ])
})

test('sends an email again later if that failed', async () => {
  const projectId = await createProjectWithOwner('retry@example.com')
  await setUsage(projectId, 0, 5)
  const failing = depsWith(() => Promise.reject(new Error('the SMTP server is down')))
  await recordNotices(failing)
  await mailNotices(failing)
  const sent: Sent[] = []
  const working = depsWith(async (email) => void sent.push(email))
  await mailNotices(working)
  expect(sent, 'not at once').toEqual([])
  await instance.pool.query('UPDATE budget_notice_email SET due_at = now()')
  await mailNotices(working)
  await instance.pool.query('UPDATE budget_notice_email SET due_at = now()')
  await mailNotices(working)
  expect(sent.map(({ to }) => to)).toEqual(['retry@example.com'])
})

test('does not count calls in progress, and counts a denied call as 100 %', async () => {
  const projectId = await createProjectWithOwner('denied@example.com')
  const { jobId, turnId } = await createClaimedTurn(instance, projectId, 'm')
  const deps = depsWith(async () => {})
  const prices = { input: '1', output: '1', cacheRead: null, cacheWrite: null }
  const call = {
    projectId,
    jobId,
    turnId,
    model: { name: 'm', prices },
    maxUsage: { inputTokens: 900, outputTokens: 50 },
  }
  const limits = { ...ceilings, instance: { ...ceilings.instance, maxUsdPerMonth: 'none' as const } }
  expect(await instance.stores.modelCalls.reserve(call, limits)).toMatchObject({ kind: 'reserved' })
  await recordNotices(deps)
  expect(await percentsOf(projectId)).toEqual([])
  const denied = await instance.stores.modelCalls.reserve(
    { ...call, maxUsage: { inputTokens: 51, outputTokens: 0 } },
    { ...limits, project: { ...limits.project, maxTokensPerJob: 1e6 } },
  )
  expect(denied).toEqual({ kind: 'out_of_budget', budget: 'month_tokens' })
  await recordNotices(deps)
  expect(await percentsOf(projectId)).toEqual([50, 80, 100])
})
