/** Tests the worker's gateway with PostgreSQL, Temporal, Gitea and the scripted model: what a turn gets there, and what ends it. */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connectTestRepository } from '../../../testing/harness/connect-test-repository.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { type ExecuteTurn, startTestRunner, type TestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker, type TestWorker } from '../../../testing/harness/test-worker.ts'
import { createGiteaTestRepository, type GiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import type { Job } from '../jobs/job.ts'
import type { Model } from '../models/model.ts'
import type { Id } from '../platform/ids.ts'
import type { ClaimedTurn, TurnReport } from '../runner-wire/runner-wire.ts'
import { buildModelRequest, createScriptedPrompt } from './model/testing/model-gateway.ts'

const { gitea, modelUrl } = inject('services')
const operator = { kind: 'operator' } as const
const model: Model = {
  name: 'scripted',
  format: 'anthropic-messages',
  baseUrl: `${modelUrl}/v1`,
  providerModel: 'scripted/answer',
  contextWindowTokens: 200_000,
  maxOutputTokens: 4_000,
  projectIds: null,
  isDefault: false,
  prices: { input: '3', output: '15', cacheRead: null, cacheWrite: null },
}

let instance: TestInstance
let jobs: TestWorker
/** Two runners, with one turn at a time each. */
let runners: TestRunner[] = []
let repository: GiteaTestRepository
let projectId: Id<'prj'>
/** What the runner does, by the prompt of the job. */
const workByPrompt = new Map<string, ExecuteTurn>()
const claimedTurns: ClaimedTurn[] = []

beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'gateway')
  repository = await createGiteaTestRepository(gitea)
  projectId = (await instance.createProject()).projectId
  await connectTestRepository(instance, projectId, repository)
  await instance.addModel(model, 'sk-of-the-operator')
  jobs = await startTestWorker(instance)
  const work: ExecuteTurn = async (turn, stopped) => {
    claimedTurns.push(turn)
    return (await workByPrompt.get(turn.prompt)?.(turn, stopped)) ?? failed
  }
  runners = [1, 2].map(() => startTestRunner(jobs.gatewayUrl, jobs.runnerToken, work))
})
afterAll(async () => {
  await Promise.all(runners.map((runner) => runner.stop()))
  await jobs.stop()
  await repository.remove()
  await instance.drop()
})

const done: TurnReport = {
  kind: 'result',
  baseCommit: 'a'.repeat(40),
  bundle: null,
  session: null,
  title: null,
  summary: null,
  reply: 'Done.',
  checks: [],
}
const failed: TurnReport = { kind: 'agent_failed', message: 'The model did not answer.' }

async function create(prompt: string, work: ExecuteTurn): Promise<Id<'job'>> {
  workByPrompt.set(prompt, work)
  const input = { repository: 'docs', ref: 'main', model: 'scripted', title: null, draft: false, topic: null }
  const { body } = await instance.stores.jobs.create(
    projectId,
    { ...input, prompt, publish: 'pull_request', metadata: {} },
    { actor: operator, idempotency: undefined, present: (job: Job) => job },
  )
  await jobs.signals.wakeJob(body.id)
  return body.id
}

const read = (id: Id<'job'>) => instance.stores.jobs.get(projectId, id)

async function ended(id: Id<'job'>): Promise<Job> {
  for (let job = await read(id); ; job = await read(id)) {
    if (job.status !== 'active') return job
    await sleep(50)
  }
}

const attemptsOf = (prompt: string) => claimedTurns.filter((turn) => turn.prompt === prompt).length

const callModel = ({ attemptToken }: ClaimedTurn, usage = { inputTokens: 1_000, outputTokens: 50 }) =>
  fetch(`${jobs.gatewayUrl}/model/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${attemptToken}` },
    body: JSON.stringify(buildModelRequest('anthropic-messages', createScriptedPrompt([{ say: 'Yes.', usage }]))),
  })

const readRepository = ({ attemptToken }: ClaimedTurn) =>
  promisify(execFile)('git', [
    '-c',
    `http.extraHeader=Authorization: Bearer ${attemptToken}`,
    'ls-remote',
    `${jobs.gatewayUrl}/git`,
  ])

const untilStopped = async (stopped: AbortSignal): Promise<TurnReport> => {
  while (!stopped.aborted) await sleep(50)
  return { kind: 'stopped' }
}

test('a turn can read its repository and call its model, and the gateway counts its usage', async () => {
  let heads = ''
  const statuses: number[] = []
  const id = await create('read and call', async (turn) => {
    heads = (await readRepository(turn)).stdout
    statuses.push((await callModel(turn)).status)
    return done
  })
  expect(await ended(id)).toMatchObject({
    status: 'completed',
    usage: { inputTokens: 1_000, outputTokens: 50, costUsd: 0.00375 },
  })
  expect(statuses).toEqual([200])
  expect(heads).toContain('refs/heads/main')
  expect(claimedTurns.at(-1)).toMatchObject({
    changeRules: { docsFolders: ['docs'] },
    model: 'scripted',
    startBranch: 'main',
  })
})

test('a turn that exhausts its budget fails with that reason and is not retried, whether agent or runner notices first', async () => {
  await instance.stores.budgets.set(
    projectId,
    { maxTokensPerJob: 7_000, maxTokensPerMonth: null, maxUsdPerMonth: null },
    operator,
  )
  const spend = async (turn: ClaimedTurn) => {
    await (await callModel(turn, { inputTokens: 5_000, outputTokens: 50 })).text()
    return callModel(turn)
  }
  const statuses: number[] = []
  const failedAgent = await create('the agent is denied', async (turn) => {
    statuses.push((await spend(turn)).status)
    return failed
  })
  const stoppedRunner = await create('the runner is told', async (turn, stopped) => {
    await spend(turn)
    return untilStopped(stopped)
  })
  for (const id of [failedAgent, stoppedRunner]) {
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'budget_exhausted' },
      usage: { inputTokens: 5_000, outputTokens: 50 },
    })
  }
  expect(statuses).toEqual([402])
  expect([attemptsOf('the agent is denied'), attemptsOf('the runner is told')]).toEqual([1, 1])
  await instance.stores.budgets.set(
    projectId,
    { maxTokensPerJob: null, maxTokensPerMonth: null, maxUsdPerMonth: null },
    operator,
  )
})

test('pausing a project stops its turns, which wait until it is resumed and do not count as failed', async () => {
  const { pauses } = instance.stores
  let isRunning = false
  let isDenied = false
  const id = await create('paused', async (turn, stopped) => {
    if (attemptsOf('paused') > 1) return done
    isRunning = true
    const report = await untilStopped(stopped)
    isDenied = (await callModel(turn)).status === 403
    return report
  })
  const failing = await create('fails meanwhile', async (turn) => {
    if (attemptsOf('fails meanwhile') > 1) return done
    while ((await callModel(turn)).status !== 403) await sleep(50)
    return failed // because its model calls were denied
  })
  while (!isRunning || attemptsOf('fails meanwhile') === 0) await sleep(50)
  expect(await pauses.pause(projectId, operator)).toBe(true)
  expect(await pauses.pause(projectId, operator)).toBe(false)
  const pausedAt = Date.now()
  while (!isDenied) await sleep(20)
  expect(Date.now() - pausedAt).toBeLessThan(20_000)

  const late = await create('accepted while paused', async () => done)
  await instance.pool.query("UPDATE turn SET deadline_at = now() - interval '1 second' WHERE status = 'running'")
  await instance.pool.query("UPDATE project SET paused_at = paused_at - interval '1 hour' WHERE id = $1", [projectId])
  await sleep(5_000) // long enough to be queued again and seen by the dispatcher
  for (const job of [id, failing, late]) expect((await read(job)).status).toBe('active')
  expect(
    attemptsOf('paused') + attemptsOf('fails meanwhile') + attemptsOf('accepted while paused'),
  ).toBeLessThanOrEqual(2)

  expect(await pauses.resume(projectId, operator)).toBe(true)
  expect(await pauses.resume(projectId, operator)).toBe(false)
  for (const job of [id, failing, late]) expect(await ended(job)).toMatchObject({ status: 'completed' })
  expect([attemptsOf('paused'), attemptsOf('fails meanwhile')]).toEqual([2, 2])
  const failures = await instance.pool.query('SELECT agent_failures FROM turn WHERE job_id = $1', [failing])
  expect(failures.rows).toEqual([{ agent_failures: 0 }])
  const actions = (await instance.stores.audit.list(projectId, { limit: 100, before: undefined })).map(
    ({ action }) => action,
  )
  expect(actions.filter((action) => /paused|resumed/.test(action))).toEqual(['project.resumed', 'project.paused'])
})

test('a waiting job in a paused project can be cancelled', async () => {
  await instance.stores.pauses.pause(projectId, operator)
  const id = await create('cancelled while paused', async () => done)
  await sleep(1_000)
  await instance.stores.jobs.cancel(projectId, id, operator)
  await jobs.signals.stopJob(id)
  expect(await ended(id)).toMatchObject({ status: 'failed', outcome: 'cancelled' })
  expect(attemptsOf('cancelled while paused')).toBe(0)
  await instance.stores.pauses.resume(projectId, operator)
})
