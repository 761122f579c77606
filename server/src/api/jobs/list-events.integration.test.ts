/** What a runner uploads is what a client reads, page by page and live, without a gap or a repeat. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../../dev-services/test-instance.ts'
import { AttemptStore, type LiveAttempt } from '../../jobs/attempt-store.ts'
import type { Job } from '../../jobs/job.ts'
import type { JobTables } from '../../jobs/tables.ts'
import { TurnStore } from '../../jobs/turn-store.ts'
import { type Id, newId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createDatabase } from '../../platform/postgres.ts'
import { createFollowJobs } from './follow-jobs.ts'

let instance: TestInstance
let projectId: Id<'prj'>
let turns: TurnStore
let attempts: AttemptStore
const operator = { kind: 'operator' } as const
const limits = { deadlineSeconds: 60, maxAgentFailures: 2, noRunnerSeconds: 60, maxConcurrentPerProject: 5 }

beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'list-events')
  projectId = (await instance.stores.projects.create('Docs', operator)).id
  const database = createDatabase<JobTables>(instance.pool)
  turns = new TurnStore(database)
  attempts = new AttemptStore(database)
})
afterAll(() => instance.drop())

async function jobInHand(): Promise<{ job: Job; live: LiveAttempt; again: () => Promise<LiveAttempt> }> {
  const wanted = {
    repository: 'docs',
    ref: 'main',
    model: 'default',
    title: null,
    draft: false,
    topic: null,
    metadata: {},
  }
  const { body: job } = await instance.stores.jobs.create(
    projectId,
    { ...wanted, prompt: 'Work.', publish: 'pull_request' },
    { actor: operator, idempotency: undefined, body: (made: Job) => made },
  )
  const turn = await turns.takeNext(job.id)
  if (!turn) throw new Error('nothing to do')
  const again = async () => {
    const runner = await instance.stores.runners.create('runner', crypto.getRandomValues(Buffer.alloc(32)), [projectId])
    const token = crypto.getRandomValues(Buffer.alloc(32))
    await attempts.offer(turn.turnId, crypto.getRandomValues(Buffer.alloc(8)), limits)
    await attempts.claim({ id: runner.id, projectIds: [projectId] }, token, limits)
    const live = await attempts.findLive(token)
    if (!live) throw new Error('not claimed')
    return live
  }
  return { job, live: await again(), again }
}

const text = (words: string) => ({ type: 'text', at: '2026-01-01T00:00:00Z', text: words })
const who = { id: newId('key'), recheck: async () => {} }
const beginning = { turn: 0, attempt: 0, index: -1 }

test('uploads are kept once and in order, whatever is repeated; a try that is over adds nothing', async () => {
  const { events } = instance.stores
  const { job, live, again } = await jobInHand()
  expect(await events.append(live, 0, [text('one'), text('two\u0000')])).toBe(true)
  expect(await events.append(live, 0, [text('one'), text('two')])).toBe(true)
  expect(await events.append(live, 5, [text('gap')])).toBe(false)
  expect(await events.append(live, 2, [text('three')])).toBe(true)
  const newer = await again()
  expect(await events.append(live, 3, [text('too late')])).toBe(false)
  expect(await events.append(newer, 0, [text('anew')])).toBe(true)

  const read = async (after = beginning) =>
    (await events.read({ projectId, jobId: job.id, after }, 100)).map(({ event }) => event.text)
  expect(await read()).toEqual(['one', 'two\ufffd', 'three', 'anew'])
  expect(await read({ turn: 1, attempt: 1, index: 0 })).toEqual(['two\ufffd', 'three', 'anew'])
  expect(await read({ turn: 1, attempt: 2, index: 0 })).toEqual([])
})

test('an agent that talks without end is cut off with a word, also over several tries', async () => {
  const { events } = instance.stores
  const { job, live, again } = await jobInHand()
  const much = Array.from({ length: 11 }, () => text('x'.repeat(1024 * 1024)))
  expect(await events.append(live, 0, much)).toBe(true)
  const newer = await again()
  expect(await events.append(newer, 0, much)).toBe(true)
  expect(await events.append(newer, much.length, [text('more')])).toBe(true)
  const kept = await events.read({ projectId, jobId: job.id, after: beginning }, 100)
  expect(kept.map(({ event }) => event.type)).toEqual([...much.map(() => 'text'), 'notice'])
  expect(kept.at(-1)?.event.text).toContain('not shown')
})

test('a stream that is cut goes on from where it was, and ends with the job', async () => {
  const { events } = instance.stores
  const { job, live } = await jobInHand()
  const following = createFollowJobs(events, createLog('test', { level: 'error' }))
  const received: string[] = []
  let ended = false
  let lastId: string | undefined
  const open = () => {
    const [turn = 0, attempt = 0, index = -1] = lastId?.split('.').map(Number) ?? []
    const stream = following.followJobs({ projectId, jobId: job.id, after: { turn, attempt, index } }, who)
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      for (const [, id] of chunk.matchAll(/^id: (.*)$/gm)) {
        lastId = id
        received.push(id ?? '')
      }
      ended ||= chunk.includes('event: end')
    })
    return stream
  }
  let stream = open()
  for (let index = 0; index < 12; index++) {
    await events.append(live, index, [text(String(index))])
    await sleep(200)
    if (index % 5 === 4) {
      stream.destroy()
      stream = open()
    }
  }
  await instance.stores.jobs.cancel(projectId, job.id, operator)
  await turns.fail(live.turnId, { code: 'cancelled', message: '' })
  await once(stream, 'end')
  expect(ended).toBe(true)
  expect(received).toEqual(Array.from({ length: 12 }, (_, index) => `1.1.${index}`))
  following.stop()
})

test('a caller has at most 20 open streams', async () => {
  const { job } = await jobInHand()
  const following = createFollowJobs(instance.stores.events, createLog('test', { level: 'error' }))
  const follow = () => following.followJobs({ projectId, jobId: job.id, after: beginning }, who)
  const streams = Array.from({ length: 20 }, follow)
  expect(follow).toThrow('At most 20 open streams')
  streams[0]?.destroy()
  await sleep(10)
  expect(follow).not.toThrow()
  following.stop()
})
