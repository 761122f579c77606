import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createClaimingRunner, newQueueingActivity, testTurnLimits } from '../../../testing/harness/claimed-turn.ts'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import type { Id } from '../platform/ids.ts'
import type { AttemptStore } from './attempt-store.ts'
import type { Job } from './job.ts'
import type { TurnStore } from './turn-store.ts'

let instance: TestInstance
let turns: TurnStore
let attempts: AttemptStore
let projectId: Id<'prj'>
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'turn-store')
  turns = instance.stores.turns
  attempts = instance.stores.attempts
  projectId = (await instance.stores.projects.create('Docs', { kind: 'operator' })).id
})
afterAll(() => instance.drop())

const actor = { kind: 'operator' } as const
const request = { actor, idempotency: undefined, present: (job: Job) => job } as const
const failure = { code: 'agent_failed' as const, message: 'It failed.' }

async function createAndTake(inProject = projectId): Promise<{ jobId: Id<'job'>; turnId: Id<'trn'> }> {
  const defaults = {
    repository: 'docs/site',
    ref: 'main',
    model: 'default',
    title: null,
    draft: false,
    topic: null,
  } as const
  const input = { ...defaults, prompt: 'Do it.', publish: 'pull_request', metadata: {} } as const
  const { body } = await instance.stores.jobs.create(inProject, input, request)
  const turn = await turns.takeNext(body.id)
  if (!turn) throw new Error('the new job has no turn')
  return turn
}

test('continues with a queued message after a failed turn', async () => {
  const { jobId, turnId } = await createAndTake()
  await instance.stores.jobs.message(projectId, jobId, { prompt: 'Then do this.' }, request)
  await turns.fail(turnId, failure)
  expect(await instance.stores.jobs.get(projectId, jobId)).toMatchObject({ status: 'active', error: null })
  expect(await instance.stores.jobs.messages(projectId, jobId)).toMatchObject([
    { status: 'failed', outcome: 'error', error: { code: 'agent_failed' } },
    { status: 'queued' },
  ])
})

test('records a turn with a requested stop as cancelled, even if it failed for another reason', async () => {
  const { jobId, turnId } = await createAndTake()
  await instance.stores.jobs.cancel(projectId, jobId, actor)
  await turns.fail(turnId, failure)
  expect(await instance.stores.jobs.get(projectId, jobId)).toMatchObject({
    status: 'failed',
    outcome: 'cancelled',
    error: null,
  })
})

test('finds a job by the title from its agent, and records the time of each step', async () => {
  const { jobId, turnId } = await createAndTake()
  const ended = { outcome: 'no_changes', reply: 'Done.', pullRequest: null } as const
  await turns.finish(turnId, { ...ended, checks: [], title: 'Explain Proxies' })
  const anyJob = { status: undefined, outcome: undefined, limit: 10, before: undefined }
  const found = await instance.stores.jobs.list(projectId, { ...anyJob, search: 'explain proxies' })
  expect(found).toMatchObject([{ id: jobId, title: 'Explain Proxies', promptPreview: 'Do it.' }])
  expect(await instance.stores.jobs.messages(projectId, jobId)).toMatchObject([
    { startedAt: expect.any(Date), claimedAt: null, publishingStartedAt: null, endedAt: expect.any(Date) },
  ])
})

test('ignores a cancellation that was not requested', async () => {
  const { jobId, turnId } = await createAndTake()
  await turns.fail(turnId, { code: 'cancelled', message: 'It was cancelled.' })
  expect(await instance.stores.jobs.get(projectId, jobId)).toMatchObject({ status: 'active' })
  await turns.fail(turnId, failure)
})

test('frees the slot of an attempt whose runner died with its turn', async () => {
  const runner = await createClaimingRunner(instance, projectId)
  const settings = { deadlineSeconds: 60, maxConcurrentPerProject: 1 }
  const claim = () => attempts.claim(runner, randomBytes(32), settings)

  const lost = await createAndTake()
  await attempts.enqueue(lost.turnId, newQueueingActivity(), testTurnLimits)
  expect(await claim()).toMatchObject({ turnId: lost.turnId })
  const next = await createAndTake()
  await attempts.enqueue(next.turnId, newQueueingActivity(), testTurnLimits)
  expect(await claim()).toBeUndefined()

  await turns.fail(lost.turnId, failure)
  expect(await claim()).toMatchObject({ turnId: next.turnId })
})

test('ends a queued attempt with its turn', async () => {
  const { turnId } = await createAndTake()
  const runner = await createClaimingRunner(instance, projectId)
  await attempts.enqueue(turnId, newQueueingActivity(), testTurnLimits)
  await turns.fail(turnId, failure)
  expect(
    await attempts.claim(runner, randomBytes(32), { deadlineSeconds: 60, maxConcurrentPerProject: 100 }),
  ).toBeUndefined()
})

test('does not exceed the concurrency limit of a project with concurrent claims', async () => {
  const { id: busyId } = await instance.stores.projects.create('Busy', actor)
  const runner = await createClaimingRunner(instance, busyId)
  for (let job = 0; job < 6; job++) {
    const { turnId } = await createAndTake(busyId)
    await attempts.enqueue(turnId, newQueueingActivity(), testTurnLimits)
  }
  const settings = { deadlineSeconds: 60, maxConcurrentPerProject: 2 }
  const claims = await Promise.all(Array.from({ length: 8 }, () => attempts.claim(runner, randomBytes(32), settings)))
  expect(claims.filter((claimed) => claimed !== undefined)).toHaveLength(2)
})
