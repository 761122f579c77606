import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import type { Id } from '../platform/ids.ts'
import { createDatabase } from '../platform/postgres.ts'
import type { Job } from './job.ts'
import { CommentTaken } from './job-store.ts'
import type { DuePullRequest } from './pull-request-store.ts'
import type { JobTables } from './tables.ts'
import { TurnStore } from './turn-store.ts'

let instance: TestInstance
let turns: TurnStore
let projectId: Id<'prj'>
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'pull-requests')
  turns = new TurnStore(createDatabase<JobTables>(instance.pool))
  projectId = (await instance.stores.projects.create('Docs', { kind: 'operator' })).id
})
afterAll(() => instance.drop())

const request = { actor: { kind: 'operator' }, idempotency: undefined, body: (job: Job) => job } as const
const written = { title: 'T', body: 'B' }
const open = (number: number) =>
  ({ url: `https://git.example.com/${number}`, number, branch: 'b', state: 'open', written }) as const
const fails = { id: 'c1', name: 'build', status: 'failed', url: null, summary: 'broken' } as const

async function publish(jobId: Id<'job'>, number: number): Promise<void> {
  const turn = await turns.takeNext(jobId)
  if (!turn) throw new Error('the job has a turn')
  const outcome = { outcome: 'pull_request', reply: null, title: null, checks: [], pullRequest: open(number) } as const
  await turns.finish(turn.turnId, { ...outcome, checks: [] })
}

async function jobWith(number: number): Promise<{ jobId: Id<'job'>; due: DuePullRequest }> {
  const where = { repository: 'docs/site', ref: 'main', model: 'default', title: null, draft: false, topic: null }
  const wanted = { ...where, prompt: 'Do it.', publish: 'pull_request', metadata: {} } as const
  const { id: jobId } = (await instance.stores.jobs.create(projectId, wanted, request)).body
  await publish(jobId, number)
  const due = (await instance.stores.pullRequests.takeDue(60, 10)).find((one) => one.jobId === jobId)
  if (!due) throw new Error('a new pull request is due')
  return { jobId, due }
}

const pullRequestOf = async (jobId: Id<'job'>) => (await instance.stores.jobs.get(projectId, jobId)).pullRequest

test('what a look found is told, with logs but for lists, and counts as a change only when it is one', async () => {
  const { pullRequests, jobs } = instance.stores
  const { jobId, due } = await jobWith(1)
  const before = await jobs.get(projectId, jobId)
  expect(before.pullRequest).toMatchObject({ hasConflicts: null, previewUrl: null, checks: [] })
  await pullRequests.record(due, { state: 'open', hasConflicts: true })
  const seen = { commit: 'a', checks: [fails], logs: { c1: 'line 1' }, previewUrl: 'https://preview.example.com' }
  await pullRequests.recordChecks(due, seen)
  const after = await jobs.get(projectId, jobId)
  const { id: _, ...told } = fails
  const withLog = { checks: [{ ...told, log: 'line 1' }] }
  expect(after.pullRequest).toMatchObject({ hasConflicts: true, previewUrl: seen.previewUrl, ...withLog })
  expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime())
  const all = { status: undefined, outcome: undefined, words: undefined, limit: 10, before: undefined }
  expect((await jobs.list(projectId, all))[0]?.pullRequest).toMatchObject({ checks: [{ ...told, log: null }] })

  await pullRequests.record(due, { state: 'open', hasConflicts: null })
  await pullRequests.recordChecks(due, seen)
  expect(await jobs.get(projectId, jobId)).toEqual(after)
})

test('a hint has the checks watched for longer, and a closed one is asked for now and then', async () => {
  const { pullRequests } = instance.stores
  const { jobId, due } = await jobWith(2)
  await pullRequests.recordChecks(due, { commit: 'a', checks: [], logs: {}, previewUrl: null })
  const take = async () => (await pullRequests.takeDue(60, 10)).find((one) => one.jobId === jobId)
  expect(await take()).toBeUndefined()
  await pullRequests.hint(projectId, 2)
  const first = await take()
  await pullRequests.hint(projectId, 2)
  const second = await take()
  expect(first?.seen?.commit).toBe('a')
  expect(Date.parse(second?.seen?.watchedSince ?? '')).toBeGreaterThan(Date.parse(first?.seen?.watchedSince ?? ''))

  const dueAt = async () =>
    (await instance.pool.query('SELECT pull_request_poll_at AS at FROM job WHERE id = $1', [jobId])).rows[0].at
  await pullRequests.hintBranches(projectId, ['b', 'another'])
  expect((await dueAt()).getTime() - Date.now()).toBeLessThan(6_000)
  await pullRequests.record(due, { state: 'closed', hasConflicts: true })
  expect(await pullRequestOf(jobId)).toMatchObject({ state: 'closed', hasConflicts: null })
  await pullRequests.hint(projectId, 2)
  await take()
  await pullRequests.record(due, { state: 'closed', hasConflicts: null })
  expect((await dueAt()).getTime() - Date.now(), 'it may be opened again').toBeGreaterThan(3_500_000)
  await instance.pool.query("UPDATE job SET updated_at = now() - interval '31 days' WHERE id = $1", [jobId])
  await pullRequests.record(due, { state: 'closed', hasConflicts: null })
  expect(await dueAt(), 'not for ever').toBeNull()
})

test('a merged one is asked for no more', async () => {
  const { pullRequests } = instance.stores
  const { jobId, due } = await jobWith(7)
  expect(due.wasOpen).toBe(true)
  await pullRequests.record(due, { state: 'merged', hasConflicts: null })
  const { rows } = await instance.pool.query('SELECT pull_request_poll_at AS at FROM job WHERE id = $1', [jobId])
  expect(rows).toEqual([{ at: null }])
})

test('many hints make few looks, and none while the host wants to be left alone', async () => {
  const { pullRequests } = instance.stores
  const { jobId, due } = await jobWith(6)
  const take = async () => (await pullRequests.takeDue(300, 10)).some((one) => one.jobId === jobId)
  const dueInSeconds = async () =>
    (
      await instance.pool.query(
        'SELECT extract(epoch FROM pull_request_poll_at - now())::float AS due FROM job WHERE id = $1',
        [jobId],
      )
    ).rows[0].due
  let looks = 0
  for (let hints = 0; hints < 20; hints++) {
    await pullRequests.hint(projectId, 6)
    if (await take()) looks++
  }
  expect(looks).toBe(4) // the first look was the fifth
  const seconds = await dueInSeconds()
  expect([seconds > 5, seconds <= 15]).toEqual([true, true])
  await pullRequests.rest(due, 600)
  await pullRequests.hint(projectId, 6)
  await pullRequests.hintBranches(projectId, ['b'])
  expect(await dueInSeconds()).toBeGreaterThan(590)
})

test('what was said of an earlier commit, or another pull request, is forgotten', async () => {
  const { pullRequests, jobs } = instance.stores
  const { jobId, due } = await jobWith(3)
  const readUntil = new Date(due.commentsSince.getTime() + 1_000)
  const found = { commit: 'a', checks: [fails], logs: { c1: 'log' }, previewUrl: 'https://preview.example.com' }
  const readAndPublish = async (number: number) => {
    await pullRequests.record(due, { state: 'open', hasConflicts: true })
    await pullRequests.recordChecks(due, found)
    await pullRequests.recordCommentsRead(due, readUntil)
    await jobs.message(projectId, jobId, { prompt: 'More.' }, request)
    await publish(jobId, number)
    expect(await pullRequestOf(jobId)).toMatchObject({ number, hasConflicts: null, previewUrl: null, checks: [] })
    return (await pullRequests.takeDue(60, 10)).find((one) => one.jobId === jobId)
  }
  expect(await readAndPublish(3)).toMatchObject({ commentsSince: readUntil, logs: {} })
  expect(await readAndPublish(4)).toMatchObject({ commentsSince: due.commentsSince, number: 4 })
})

test('a comment is a message once, whoever else reads it', async () => {
  const { jobs, pullRequests } = instance.stores
  const { jobId, due } = await jobWith(5)
  const comment = { id: 7, author: 'maria', url: 'https://git.example.com/5#7' }
  const take = () =>
    jobs.message(projectId, jobId, { prompt: 'Shorter.', comment }, { ...request, actor: { kind: 'code-host' } })
  const taken = await Promise.allSettled([take(), take(), take()])
  expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const one of taken) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(CommentTaken)
  expect(await pullRequests.knownComments(due, [6, 7])).toEqual(new Set([7]))
  const { id: _, ...shown } = comment
  expect(await jobs.messages(projectId, jobId)).toMatchObject([
    { comment: null },
    { prompt: 'Shorter.', comment: shown, status: 'queued' },
  ])
  const [entry] = await instance.stores.audit.list(projectId, { limit: 1, before: undefined })
  expect(entry).toMatchObject({ actor: 'code-host', action: 'job.message_sent', detail: { author: 'maria' } })
})

test('a comment that was refused is no message later', async () => {
  const { jobs, pullRequests } = instance.stores
  const { jobId, due } = await jobWith(7)
  const comment = { id: 8, author: 'eve', url: 'https://git.example.com/7#8' }
  await pullRequests.refuseComment(due, comment)
  await pullRequests.refuseComment(due, comment)
  expect(await pullRequests.knownComments(due, [8, 9])).toEqual(new Set([8]))
  const taken = jobs.message(
    projectId,
    jobId,
    { prompt: 'Now.', comment },
    { ...request, actor: { kind: 'code-host' } },
  )
  await expect(taken).rejects.toBeInstanceOf(CommentTaken)
  expect(await jobs.messages(projectId, jobId)).toHaveLength(1)
})

test('of each project one is taken, and none of a busy one', async () => {
  const { pullRequests, projects } = instance.stores
  await instance.pool.query('UPDATE job SET pull_request_poll_at = now() WHERE pull_request_state IS NOT NULL')
  const other = (await projects.create('Other', { kind: 'operator' })).id
  expect(await pullRequests.takeDue(60, 10, [projectId, other])).toEqual([])
  expect(await pullRequests.takeDue(60, 10, [other])).toHaveLength(1)
  expect(await pullRequests.takeDue(60, 10)).toHaveLength(1)
})
