import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import type { Id } from '../platform/ids.ts'
import { createDatabase } from '../platform/postgres.ts'
import { AttemptStore } from './attempt-store.ts'
import type { Job } from './job.ts'
import type { JobTables } from './tables.ts'
import { TurnStore } from './turn-store.ts'

let instance: TestInstance
let turns: TurnStore
let attempts: AttemptStore
let projectId: Id<'prj'>
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'turn-store')
  const database = createDatabase<JobTables>(instance.pool)
  turns = new TurnStore(database)
  attempts = new AttemptStore(database)
  projectId = (await instance.stores.projects.create('Docs', { kind: 'operator' })).id
})
afterAll(() => instance.drop())

const actor = { kind: 'operator' } as const
const request = { actor, idempotency: undefined, body: (job: Job) => job } as const
const limits = { deadlineSeconds: 60, maxAgentFailures: 2, noRunnerSeconds: 60 }
const broken = { code: 'agent_failed', message: 'It broke.' }

async function createAndTake(inProject = projectId): Promise<{ jobId: Id<'job'>; turnId: Id<'trn'> }> {
  const fixed = {
    repository: 'docs/site',
    ref: 'main',
    model: 'default',
    title: null,
    draft: false,
    topic: null,
  } as const
  const wanted = { ...fixed, prompt: 'Do it.', publish: 'pull_request', metadata: {} } as const
  const { body } = await instance.stores.jobs.create(inProject, wanted, request)
  const turn = await turns.takeNext(body.id)
  if (!turn) throw new Error('a new job has a turn')
  return turn
}

test('a turn that fails while a message waits gives way to it', async () => {
  const { jobId, turnId } = await createAndTake()
  await instance.stores.jobs.message(projectId, jobId, { prompt: 'Then do this.' }, request)
  await turns.fail(turnId, broken)
  expect(await instance.stores.jobs.get(projectId, jobId)).toMatchObject({ status: 'active', error: null })
  expect(await instance.stores.jobs.messages(projectId, jobId)).toMatchObject([
    { status: 'failed', outcome: 'error', error: { code: 'agent_failed' } },
    { status: 'queued' },
  ])
})

test('a turn that was asked to stop is cancelled, whatever else ended it', async () => {
  const { jobId, turnId } = await createAndTake()
  await instance.stores.jobs.cancel(projectId, jobId, actor)
  await turns.fail(turnId, broken)
  expect(await instance.stores.jobs.get(projectId, jobId)).toMatchObject({
    status: 'failed',
    outcome: 'cancelled',
    error: null,
  })
})

test('a job is found by the title that its agent gave it, and each step has its time', async () => {
  const { jobId, turnId } = await createAndTake()
  const ended = { outcome: 'no_changes', reply: 'Done.', pullRequest: null } as const
  await turns.finish(turnId, { ...ended, checks: [], title: 'Explain Proxies' })
  const any = { status: undefined, outcome: undefined, limit: 10, before: undefined }
  const found = await instance.stores.jobs.list(projectId, { ...any, words: 'explain proxies' })
  expect(found).toMatchObject([{ id: jobId, title: 'Explain Proxies', promptPreview: 'Do it.' }])
  expect(await instance.stores.jobs.messages(projectId, jobId)).toMatchObject([
    { startedAt: expect.any(Date), claimedAt: null, publishingStartedAt: null, endedAt: expect.any(Date) },
  ])
})

test('a cancellation that nobody asked for ends nothing', async () => {
  const { jobId, turnId } = await createAndTake()
  await turns.fail(turnId, { code: 'cancelled', message: 'It was cancelled.' })
  expect(await instance.stores.jobs.get(projectId, jobId)).toMatchObject({ status: 'active' })
  await turns.fail(turnId, broken)
})

test('a runner that died with its turn takes no place of its project', async () => {
  const tokens = randomBytes(32)
  const runner = await instance.stores.runners.create('runner', randomBytes(32), null)
  const settings = { deadlineSeconds: 60, maxConcurrentPerProject: 1 }
  const claim = () => attempts.claim(runner, randomBytes(32), settings)

  const lost = await createAndTake()
  await attempts.offer(lost.turnId, tokens, limits)
  expect(await claim()).toMatchObject({ turnId: lost.turnId })
  const next = await createAndTake()
  await attempts.offer(next.turnId, tokens, limits)
  expect(await claim()).toBeUndefined()

  await turns.fail(lost.turnId, broken)
  expect(await claim()).toMatchObject({ turnId: next.turnId })
})

test('an offer that nobody took ends with its turn', async () => {
  const { turnId } = await createAndTake()
  const runner = await instance.stores.runners.create('runner', randomBytes(32), null)
  await attempts.offer(turnId, randomBytes(32), limits)
  await turns.fail(turnId, broken)
  expect(
    await attempts.claim(runner, randomBytes(32), { deadlineSeconds: 60, maxConcurrentPerProject: 100 }),
  ).toBeUndefined()
})

test('claims at once do not go past what a project may run', async () => {
  const { id: busyId } = await instance.stores.projects.create('Busy', actor)
  const runner = await instance.stores.runners.create('one of many', randomBytes(32), [busyId])
  for (let job = 0; job < 6; job++) {
    const { turnId } = await createAndTake(busyId)
    await attempts.offer(turnId, randomBytes(32), limits)
  }
  const settings = { deadlineSeconds: 60, maxConcurrentPerProject: 2 }
  const claims = await Promise.all(Array.from({ length: 8 }, () => attempts.claim(runner, randomBytes(32), settings)))
  expect(claims.filter((claimed) => claimed !== undefined)).toHaveLength(2)
})
