/** The whole control half, on real PostgreSQL and Temporal: workflow, activities, runner API, dispatcher. A test runner plays the runner. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type RunningJobs, startJobs, workerSettings } from '../../../dev-services/running-jobs.ts'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../../proofs/kit/test-runner.ts'
import type { Job } from '../jobs/job.ts'
import type { Id } from '../platform/ids.ts'
import type { ClaimedTurn, TurnReport } from '../runner-wire/runner-wire.ts'

let instance: TestInstance
let jobs: RunningJobs
let projectId: Id<'prj'>
let runner: TestRunner
const claimed: string[] = []
const told = new Map<string, ClaimedTurn>()

const result: TurnReport = {
  kind: 'result',
  baseCommit: 'a'.repeat(40),
  bundle: null,
  session: null,
  title: 'A title',
  summary: null,
  reply: 'Done.',
  checks: [],
}

beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'job-activities')
  jobs = await startJobs(instance, workerSettings(inject('services')))
  projectId = (await instance.stores.projects.create('Docs', { kind: 'operator' })).id
  runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async (turn, stopped) => {
    const { prompt } = turn
    claimed.push(prompt)
    told.set(prompt, turn)
    if (prompt.startsWith('until stopped')) {
      while (!stopped.aborted) await sleep(50)
      return { kind: 'stopped' }
    }
    if (prompt.startsWith('break')) return { kind: 'agent_failed', message: 'broken' }
    if (prompt.startsWith('unpublishable')) return { ...result, bundle: Buffer.from('no bundle') }
    return { ...result, session: Buffer.from(`after ${prompt}`) }
  })
})
afterAll(async () => {
  await runner.stop()
  await jobs.stop()
  await instance.drop()
})

const request = { actor: { kind: 'operator' }, idempotency: undefined, body: (job: Job) => job } as const
const wanted = { repository: 'docs/site', ref: 'main', title: null, draft: false } as const

async function create(prompt: string, { woken = true, model = 'default' } = {}): Promise<Id<'job'>> {
  const accepted = await instance.stores.jobs.create(
    projectId,
    { ...wanted, model, prompt, publish: 'pull_request', topic: null, metadata: {} },
    request,
  )
  if (woken) await jobs.signals.wakeJob(accepted.body.id)
  return accepted.body.id
}

async function ended(jobId: Id<'job'>): Promise<Job> {
  for (;;) {
    const job = await instance.stores.jobs.get(projectId, jobId)
    if (job.status !== 'active') return job
    await sleep(50)
  }
}

const untilClaimed = async (prompt: string) => {
  while (!claimed.includes(prompt)) await sleep(50)
}

test('a job is worked on, and its follow-up too', async () => {
  const id = await create('one')
  expect(await ended(id)).toMatchObject({
    status: 'completed',
    outcome: 'no_changes',
    reply: 'Done.',
    title: 'A title',
  })
  await instance.stores.jobs.message(projectId, id, { prompt: 'two' }, request)
  await jobs.signals.wakeJob(id)
  expect(await ended(id)).toMatchObject({ status: 'completed' })
  expect(claimed).toEqual(['one', 'two'])
})

test('a message to an active job waits its turn', async () => {
  const id = await create('until stopped, first')
  await untilClaimed('until stopped, first')
  await instance.stores.jobs.message(projectId, id, { prompt: 'second' }, request)
  await jobs.signals.wakeJob(id)
  await sleep(500)
  expect(claimed).not.toContain('second')
  await instance.stores.jobs.cancel(projectId, id, request.actor)
  await jobs.signals.stopJob(id)
  expect(await ended(id)).toMatchObject({ status: 'failed', outcome: 'cancelled' })
  expect((await instance.stores.jobs.messages(projectId, id)).map(({ status }) => status)).toEqual([
    'failed',
    'dropped',
  ])
})

test('an active job that is archived stops, and is never seen as failed', async () => {
  const id = await create('until stopped, archived')
  await untilClaimed('until stopped, archived')
  await instance.stores.jobs.archive(projectId, id, request.actor)
  await jobs.signals.stopJob(id)
  expect(await ended(id)).toMatchObject({ status: 'archived' })
})

test('a cancel that nobody hears of is heard by the next sign of life', async () => {
  const id = await create('until stopped, unheard')
  await untilClaimed('until stopped, unheard')
  await instance.stores.jobs.cancel(projectId, id, request.actor)
  expect(await ended(id)).toMatchObject({ status: 'failed', outcome: 'cancelled' })
})

test('an engine that breaks is tried twice, and then the job says why it failed', async () => {
  expect(await ended(await create('break'))).toMatchObject({
    status: 'failed',
    outcome: 'error',
    error: { code: 'agent_failed', message: expect.stringContaining('Send a message') },
  })
  expect(claimed.filter((prompt) => prompt === 'break')).toHaveLength(2)
})

test('a runner is told what the turn, the project and the operator have to say', async () => {
  await instance.stores.projects.setInstructions(projectId, 'Be brief.', request.actor)
  const id = await create('told')
  await ended(id)
  expect(told.get('told')).toMatchObject({
    docsFolder: '',
    instructions: 'Be brief.',
    session: null,
    notDone: [],
    failedCheck: null,
    model: 'test-model',
    modelSettings: { wire: 'anthropic-messages', contextTokens: 200_000, maxOutputTokens: 64_000 },
  })
  const say = async (prompt: string) => {
    await instance.stores.jobs.message(projectId, id, { prompt }, request)
    await jobs.signals.wakeJob(id)
    return ended(id)
  }
  const failed = await say('unpublishable')
  expect(told.get('unpublishable')).toMatchObject({ session: Buffer.from('after told').toString('base64') })
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'project_not_ready' } })
  await say('told again')
  const again = {
    session: Buffer.from('after told').toString('base64'),
    notDone: [{ prompt: 'unpublishable', reason: failed.error?.message }],
  }
  expect(told.get('told again')).toMatchObject(again)
  await say('told at last')
  const last = { session: Buffer.from('after told again').toString('base64'), notDone: [] }
  expect(told.get('told at last')).toMatchObject(last)
})

test('a job whose model is gone fails, and says so', async () => {
  expect(await ended(await create('for a model', { model: 'gone' }))).toMatchObject({
    status: 'failed',
    outcome: 'error',
    error: { code: 'model_unavailable' },
  })
  expect(claimed).not.toContain('for a model')
})

test('a job that missed its wake-up is woken', async () => {
  expect(await ended(await create('unwoken', { woken: false }))).toMatchObject({ status: 'completed' })
})

test('an ended job that nobody touched for a month is archived', async () => {
  const id = await create('idle')
  await ended(id)
  await instance.pool.query("UPDATE job SET updated_at = now() - interval '31 days' WHERE id = $1", [id])
  while ((await instance.stores.jobs.get(projectId, id)).status !== 'archived') await sleep(200)
})
