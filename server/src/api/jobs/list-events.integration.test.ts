/** Clients read the events that a runner uploads, in pages and live, without gaps or duplicates. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createClaimingRunner, newQueueingActivity, testTurnLimits } from '../../../../testing/harness/claimed-turn.ts'
import { createTestInstance, type TestInstance } from '../../../../testing/harness/test-instance.ts'
import type { StoredAgentEvent } from '../../jobs/agent-event-store.ts'
import { AttemptStore, type LiveAttempt } from '../../jobs/attempt-store.ts'
import type { Job } from '../../jobs/job.ts'
import { TurnStore } from '../../jobs/turn-store.ts'
import { type Id, newId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createJobEventStreams } from './job-event-streams.ts'

let instance: TestInstance
let projectId: Id<'prj'>
let turns: TurnStore
let attempts: AttemptStore
const operator = { kind: 'operator' } as const

beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'list-events')
  projectId = (await instance.stores.projects.create('Docs', operator)).id
  const database = instance.database
  turns = new TurnStore(database)
  attempts = new AttemptStore(database)
})
afterAll(() => instance.drop())

async function startJob(): Promise<{ job: Job; live: LiveAttempt; restart: () => Promise<LiveAttempt> }> {
  const options = {
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
    { ...options, prompt: 'Work.', publish: 'pull_request' },
    { actor: operator, idempotency: undefined, present: (created: Job) => created },
  )
  const turn = await turns.takeNext(job.id)
  if (!turn) throw new Error('no turn is queued')
  const restart = async () => {
    const token = crypto.getRandomValues(Buffer.alloc(32))
    await attempts.enqueue(turn.turnId, newQueueingActivity(), testTurnLimits)
    await attempts.claim(await createClaimingRunner(instance, projectId), token, testTurnLimits)
    const live = await attempts.findLive(token)
    if (!live) throw new Error('not claimed')
    return live
  }
  return { job, live: await restart(), restart }
}

async function readAllEvents({ id: jobId }: Job) {
  const all: StoredAgentEvent[] = []
  for (let hasMore = true; hasMore; ) {
    const next = await instance.stores.events.read({ projectId, jobId, after: all.at(-1)?.position ?? beginning }, 100)
    all.push(...next.events)
    hasMore = next.hasMore
  }
  return all
}

const textEvent = (text: string) => ({ type: 'text', at: '2026-01-01T00:00:00Z', text })
const subscriber = { id: newId('key'), recheckAccess: async () => {} }
const beginning = { turn: 0, attempt: 0, index: -1 }

test('stores repeated uploads once and in order, and rejects those of an ended attempt', async () => {
  const { events } = instance.stores
  const { job, live, restart } = await startJob()
  expect(await events.append(live, 0, [textEvent('one'), textEvent('two\u0000')])).toBe(true)
  expect(await events.append(live, 0, [textEvent('one'), textEvent('two')])).toBe(true)
  expect(await events.append(live, 5, [textEvent('gap')])).toBe(false)
  expect(await events.append(live, 2, [textEvent('three')])).toBe(true)
  const newer = await restart()
  expect(await events.append(live, 3, [textEvent('too late')])).toBe(false)
  expect(await events.append(newer, 0, [textEvent('second attempt')])).toBe(true)

  const read = async (after = beginning) =>
    (await events.read({ projectId, jobId: job.id, after }, 100)).events.map(({ event }) => event.text)
  expect(await read()).toEqual(['one', 'two\ufffd', 'three', 'second attempt'])
  expect(await read({ turn: 1, attempt: 1, index: 0 })).toEqual(['two\ufffd', 'three', 'second attempt'])
  expect(await read({ turn: 1, attempt: 2, index: 0 })).toEqual([])
})

test('limits the events of a turn over all its attempts, and ends them with a notice', async () => {
  const { events } = instance.stores
  const { job, live, restart } = await startJob()
  const large = Array.from({ length: 11 }, () => textEvent('x'.repeat(1024 * 1024)))
  expect(await events.append(live, 0, large)).toBe(true)
  const newer = await restart()
  expect(await events.append(newer, 0, large)).toBe(true)
  expect(await events.append(newer, large.length, [textEvent('more')])).toBe(true)
  const stored = await readAllEvents(job)
  expect(stored.map(({ event }) => event.type)).toEqual([...large.map(() => 'text'), 'notice'])
  expect(stored.at(-1)?.event.text).toContain('not shown')
})

test('a stream resumes after a disconnect and ends with the job', async () => {
  const { events } = instance.stores
  const { job, live } = await startJob()
  const streaming = createJobEventStreams(events, createLog('test', { level: 'error' }))
  const received: string[] = []
  let ended = false
  let lastId: string | undefined
  const open = () => {
    const [turn = 0, attempt = 0, index = -1] = lastId?.split('.').map(Number) ?? []
    const stream = streaming.streamJobEvents({ projectId, jobId: job.id, after: { turn, attempt, index } }, subscriber)
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
    await events.append(live, index, [textEvent(String(index))])
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
  streaming.stop()
})

test('limits a caller to 20 open streams', async () => {
  const { job } = await startJob()
  const streaming = createJobEventStreams(instance.stores.events, createLog('test', { level: 'error' }))
  const follow = () => streaming.streamJobEvents({ projectId, jobId: job.id, after: beginning }, subscriber)
  const streams = Array.from({ length: 20 }, follow)
  expect(follow).toThrow('The limit is 20 open streams')
  streams[0]?.destroy()
  await sleep(10)
  expect(follow).not.toThrow()
  streaming.stop()
})

test('limits a project to 200 open streams, however many keys it has', async () => {
  const { job } = await startJob()
  const streaming = createJobEventStreams(instance.stores.events, createLog('test', { level: 'error' }))
  const follow = (follower: typeof subscriber, followedProjectId = projectId) =>
    streaming.streamJobEvents({ projectId: followedProjectId, jobId: job.id, after: beginning }, follower)
  for (let key = 0; key < 10; key++) {
    const follower = { ...subscriber, id: newId('key') }
    for (let stream = 0; stream < 20; stream++) follow(follower)
  }
  const newKey = { ...subscriber, id: newId('key') }
  expect(() => follow(newKey)).toThrow('The limit is 200 open streams per project')
  expect(() => follow(newKey, newId('prj'))).not.toThrow()
  streaming.stop()
})

test('a page ends after 128 KB, however many events were asked for and uploaded at once', async () => {
  const { job, live } = await startJob()
  const store = instance.stores.events
  const upload = Array.from({ length: 10 }, (_, index) => textEvent(`${index} ${'x'.repeat(30_000)}`))
  expect(await store.append(live, 0, upload)).toBe(true)
  const watched = { projectId, jobId: job.id, after: beginning }
  const first = await store.read(watched, 1_000)
  expect(first).toMatchObject({ events: { length: 4 }, hasMore: true })
  const after = first.events.at(-1)?.position ?? beginning
  const second = await store.read({ ...watched, after }, 1_000)
  expect(second).toMatchObject({ events: { length: 4 }, hasMore: true })
  const last = await store.read({ ...watched, after: second.events.at(-1)?.position ?? beginning }, 1_000)
  expect(last).toMatchObject({ events: { length: 2 }, hasMore: false })
  expect((await readAllEvents(job)).map(({ event }) => event)).toEqual(upload)
})
