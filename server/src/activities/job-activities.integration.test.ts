/** Workflow, activities, runner API and dispatcher on real PostgreSQL and Temporal, with a simulated runner. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker, type TestWorker } from '../../../testing/harness/test-worker.ts'
import type { Job } from '../jobs/job.ts'
import type { Id } from '../platform/ids.ts'
import type { ClaimedTurn, TurnReport } from '../runner-wire/runner-wire.ts'

let instance: TestInstance
let jobs: TestWorker
let projectId: Id<'prj'>
let runner: TestRunner
const claimed: string[] = []
const claimedTurns = new Map<string, ClaimedTurn>()

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
  jobs = await startTestWorker(instance)
  projectId = (await instance.stores.projects.create('Docs', { kind: 'operator' })).id
  runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async (turn, stopped) => {
    const { prompt } = turn
    claimed.push(prompt)
    claimedTurns.set(prompt, turn)
    if (prompt.startsWith('until stopped')) {
      while (!stopped.aborted) await sleep(50)
      return { kind: 'stopped' }
    }
    if (prompt.startsWith('fail')) return { kind: 'agent_failed', message: 'failed' }
    if (prompt.startsWith('unpublishable')) return { ...result, bundle: Buffer.from('not a bundle') }
    return { ...result, session: Buffer.from(`after ${prompt}`) }
  })
})
afterAll(async () => {
  await runner.stop()
  await jobs.stop()
  await instance.drop()
})

const request = { actor: { kind: 'operator' }, idempotency: undefined, present: (job: Job) => job } as const
const defaults = { repository: 'docs/site', ref: 'main', title: null, draft: false } as const

async function create(prompt: string, { woken = true, model = 'default' } = {}): Promise<Id<'job'>> {
  const accepted = await instance.stores.jobs.create(
    projectId,
    { ...defaults, model, prompt, publish: 'pull_request', topic: null, metadata: {} },
    request,
  )
  if (woken) await jobs.signals.wakeJob(accepted.body.id)
  return accepted.body.id
}

async function waitForEnd(jobId: Id<'job'>): Promise<Job> {
  for (;;) {
    const job = await instance.stores.jobs.get(projectId, jobId)
    if (job.status !== 'active') return job
    await sleep(50)
  }
}

const waitForClaim = async (prompt: string) => {
  while (!claimed.includes(prompt)) await sleep(50)
}

test('runs a job and its follow-up', async () => {
  const id = await create('one')
  expect(await waitForEnd(id)).toMatchObject({
    status: 'completed',
    outcome: 'no_changes',
    reply: 'Done.',
    title: 'A title',
  })
  await instance.stores.jobs.message(projectId, id, { prompt: 'two' }, request)
  await jobs.signals.wakeJob(id)
  expect(await waitForEnd(id)).toMatchObject({ status: 'completed' })
  expect(claimed).toEqual(['one', 'two'])
})

test('queues a message to an active job', async () => {
  const id = await create('until stopped, first')
  await waitForClaim('until stopped, first')
  await instance.stores.jobs.message(projectId, id, { prompt: 'second' }, request)
  await jobs.signals.wakeJob(id)
  await sleep(500)
  expect(claimed).not.toContain('second')
  await instance.stores.jobs.cancel(projectId, id, request.actor)
  await jobs.signals.stopJob(id)
  expect(await waitForEnd(id)).toMatchObject({ status: 'failed', outcome: 'cancelled' })
  expect((await instance.stores.jobs.messages(projectId, id)).map(({ status }) => status)).toEqual([
    'failed',
    'dropped',
  ])
})

test('stops an active job that is archived, without marking it as failed', async () => {
  const id = await create('until stopped, archived')
  await waitForClaim('until stopped, archived')
  await instance.stores.jobs.archive(projectId, id, request.actor)
  await jobs.signals.stopJob(id)
  expect(await waitForEnd(id)).toMatchObject({ status: 'archived' })
})

test('delivers a cancel with the next heartbeat if its signal is lost', async () => {
  const id = await create('until stopped, signal lost')
  await waitForClaim('until stopped, signal lost')
  await instance.stores.jobs.cancel(projectId, id, request.actor)
  expect(await waitForEnd(id)).toMatchObject({ status: 'failed', outcome: 'cancelled' })
})

test('retries a failed agent once, then fails the job with the reason', async () => {
  expect(await waitForEnd(await create('fail'))).toMatchObject({
    status: 'failed',
    outcome: 'error',
    error: { code: 'agent_failed', message: expect.stringContaining('Send a message') },
  })
  expect(claimed.filter((prompt) => prompt === 'fail')).toHaveLength(2)
})

test('gives the runner the instructions, the session, earlier failures and the model settings', async () => {
  await instance.stores.projects.setInstructions(projectId, 'Be brief.', request.actor)
  const id = await create('first')
  await waitForEnd(id)
  expect(claimedTurns.get('first')).toMatchObject({
    changeRules: { docsFolders: [''] },
    instructions: 'Be brief.',
    session: null,
    failedMessages: [],
    failedCheck: null,
    model: 'test-model',
    modelSettings: { format: 'anthropic-messages', contextTokens: 200_000, maxOutputTokens: 64_000 },
  })
  const send = async (prompt: string) => {
    await instance.stores.jobs.message(projectId, id, { prompt }, request)
    await jobs.signals.wakeJob(id)
    return waitForEnd(id)
  }
  const failed = await send('unpublishable')
  expect(claimedTurns.get('unpublishable')).toMatchObject({ session: Buffer.from('after first').toString('base64') })
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'project_not_ready' } })
  await send('second')
  const second = {
    session: Buffer.from('after first').toString('base64'),
    failedMessages: [{ prompt: 'unpublishable', reason: failed.error?.message }],
  }
  expect(claimedTurns.get('second')).toMatchObject(second)
  await send('third')
  const third = { session: Buffer.from('after second').toString('base64'), failedMessages: [] }
  expect(claimedTurns.get('third')).toMatchObject(third)
})

test('fails a job whose model is unavailable', async () => {
  expect(await waitForEnd(await create('unavailable model', { model: 'removed' }))).toMatchObject({
    status: 'failed',
    outcome: 'error',
    error: { code: 'model_unavailable' },
  })
  expect(claimed).not.toContain('unavailable model')
})

test('wakes a job whose signal was lost', async () => {
  expect(await waitForEnd(await create('not woken', { woken: false }))).toMatchObject({ status: 'completed' })
})

test('archives an ended job that has been idle for a month', async () => {
  const id = await create('idle')
  await waitForEnd(id)
  await instance.pool.query("UPDATE job SET updated_at = now() - interval '31 days' WHERE id = $1", [id])
  while ((await instance.stores.jobs.get(projectId, id)).status !== 'archived') await sleep(200)
})
