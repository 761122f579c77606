import { randomBytes } from 'node:crypto'
import { afterAll, expect, inject, test } from 'vitest'
import { createClaimingRunner, newQueueingActivity, testTurnLimits } from '../../../testing/harness/claimed-turn.ts'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
import { AttemptStore } from './attempt-store.ts'
import type { Job } from './job.ts'
import { createTurnFailure } from './turn-errors.ts'
import { readFailedMessagesBefore, readLastAgentSession, readTurnResult, readUnpublishedWork } from './turn-results.ts'
import { TurnStore } from './turn-store.ts'

const instance = await createTestInstance(inject('services'), 'turn-results')
afterAll(() => instance.drop())
const database = instance.database
const turns = new TurnStore(database)
const attempts = new AttemptStore(database)
const actor = { kind: 'operator' } as const
const request = { actor, idempotency: undefined, present: (job: Job) => job } as const
const { id: projectId } = await instance.stores.projects.create('Docs', actor)
const runner = await createClaimingRunner(instance, projectId)

const emptyResult = { mergedCommit: null, title: null, summary: null, reply: null, checks: [] }

async function createJob(): Promise<Job> {
  const defaults = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
  const more = { prompt: 'Do it.', publish: 'diff', metadata: {} } as const
  return (await instance.stores.jobs.create(projectId, { ...defaults, ...more }, request)).body
}

/** Runs the next turn up to the point where its result is published. */
async function report(job: Job, parts: { bundle: Buffer | null; session: Buffer | null }) {
  const turn = await turns.takeNext(job.id)
  if (!turn) throw new Error('the job has no queued turn')
  const token = randomBytes(32)
  await attempts.enqueue(turn.turnId, newQueueingActivity(), testTurnLimits)
  const claimed = await attempts.claim(runner, token, testTurnLimits)
  await attempts.storeResult(token, { ...emptyResult, ...parts, baseCommit: 'a'.repeat(40) })
  await turns.beginPublishing(turn.turnId)
  return { turnId: turn.turnId, claimed }
}

const accept = (turnId: Parameters<TurnStore['finish']>[0]) =>
  turns.finish(turnId, { ...emptyResult, outcome: 'diff', pullRequest: null })

test('returns large bundles and sessions unchanged, from the last completed turn that has one', async () => {
  const bundle = randomBytes(2_500_001)
  const session = randomBytes(1_048_577)
  const job = await createJob()
  const { turnId } = await report(job, { bundle, session })
  expect((await readTurnResult(database, turnId))?.bundle?.equals(bundle)).toBe(true)
  expect(await readLastAgentSession(database, job.id)).toBeNull()
  await accept(turnId)

  await instance.stores.jobs.message(projectId, job.id, { prompt: 'More.' }, request)
  const second = await report(job, { bundle: null, session: null })
  expect(second.claimed?.session?.equals(session)).toBe(true)
  expect(second.claimed?.unpublishedWork?.bundle.equals(bundle)).toBe(true)
  await accept(second.turnId)
  expect((await readLastAgentSession(database, job.id))?.equals(session)).toBe(true)
  expect((await readUnpublishedWork(database, job.id, 'diff'))?.baseCommit).toBe('a'.repeat(40))
})

test('lists failed turns until a later turn completes', async () => {
  const job = await createJob()
  const { turnId } = await report(job, { bundle: null, session: null })
  const refused = createTurnFailure('result_refused')
  await turns.fail(turnId, refused)
  const first = { prompt: expect.any(String), reason: refused.message }
  expect(await readFailedMessagesBefore(database, job.id, 2)).toEqual([first])
  expect(await readFailedMessagesBefore(database, job.id, 1)).toEqual([])

  await instance.stores.jobs.message(projectId, job.id, { prompt: 'Again.' }, request)
  const second = await report(job, { bundle: null, session: null })
  expect(second.claimed?.failedMessages).toEqual([first])
  await turns.fail(second.turnId, createTurnFailure('deadline_exceeded'))
  await instance.stores.jobs.message(projectId, job.id, { prompt: 'Once more.' }, request)
  const third = await report(job, { bundle: null, session: null })
  expect(third.claimed?.failedMessages.map(({ prompt }) => prompt)).toEqual([expect.any(String), 'Again.'])
  await accept(third.turnId)
  expect(await readFailedMessagesBefore(database, job.id, 4)).toEqual([])
})

test('keeps one session and one bundle per job, those of the last completed turn that has one', async () => {
  const job = await createJob()
  const message = () => instance.stores.jobs.message(projectId, job.id, { prompt: 'More.' }, request)
  const countChunks = async () => {
    const { rows } = await instance.pool.query(
      `SELECT part, count(DISTINCT turn_id)::int AS turns FROM turn_result_chunk JOIN turn ON turn.id = turn_id
       WHERE job_id = $1 GROUP BY part ORDER BY part`,
      [job.id],
    )
    return rows
  }
  const both = [
    { part: 'bundle', turns: 1 },
    { part: 'session', turns: 1 },
  ]
  for (const text of ['first', 'second', 'third']) {
    await accept((await report(job, { bundle: Buffer.from(text), session: Buffer.from(text) })).turnId)
    await message()
  }
  expect(await countChunks()).toEqual(both)
  await accept((await report(job, { bundle: null, session: Buffer.from('fourth') })).turnId)
  expect(await countChunks()).toEqual(both)
  expect(await readLastAgentSession(database, job.id)).toEqual(Buffer.from('fourth'))
  expect((await readUnpublishedWork(database, job.id, 'diff'))?.bundle).toEqual(Buffer.from('third'))
})
