import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import type { Id } from '../platform/ids.ts'
import type { Job } from './job.ts'
import type { DuePullRequest } from './pull-request-store.ts'
import { TurnStore } from './turn-store.ts'
import { CommentAlreadyProcessedError } from './work-acceptor.ts'

let instance: TestInstance
let turns: TurnStore
let projectId: Id<'prj'>
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'pull-requests')
  turns = new TurnStore(instance.database)
  projectId = (await instance.stores.projects.create('Docs', { kind: 'operator' })).id
})
afterAll(() => instance.drop())

const request = { actor: { kind: 'operator' }, idempotency: undefined, present: (job: Job) => job } as const
const written = { title: 'T', body: 'B' }
const openPullRequest = (number: number) =>
  ({ url: `https://git.example.com/${number}`, number, branch: 'b', state: 'open', written }) as const
const failedCheck = { id: 'c1', name: 'build', status: 'failed', url: null, summary: 'broken' } as const

async function publish(jobId: Id<'job'>, number: number): Promise<void> {
  const turn = await turns.takeNext(jobId)
  if (!turn) throw new Error('the job has no turn')
  const outcome = {
    outcome: 'pull_request',
    reply: null,
    title: null,
    checks: [],
    pullRequest: { ...openPullRequest(number), commit: undefined },
  } as const
  await turns.finish(turn.turnId, { ...outcome, checks: [] })
}

async function createJobWithPullRequest(number: number): Promise<{ jobId: Id<'job'>; due: DuePullRequest }> {
  const where = { repository: 'docs/site', ref: 'main', model: 'default', title: null, draft: false, topic: null }
  const input = { ...where, prompt: 'Do it.', publish: 'pull_request', metadata: {} } as const
  const { id: jobId } = (await instance.stores.jobs.create(projectId, input, request)).body
  await publish(jobId, number)
  const due = (await instance.stores.pullRequests.claimDue(60, 10)).find((pullRequest) => pullRequest.jobId === jobId)
  if (!due) throw new Error('the new pull request is not due')
  return { jobId, due }
}

const readPullRequest = async (jobId: Id<'job'>) => (await instance.stores.jobs.get(projectId, jobId)).pullRequest

test('stores what a poll found, omits logs in lists, and updates the job only on a change', async () => {
  const { pullRequests, jobs } = instance.stores
  const { jobId, due } = await createJobWithPullRequest(1)
  const before = await jobs.get(projectId, jobId)
  expect(before.pullRequest).toMatchObject({ hasConflicts: null, previewUrl: null, checks: [] })
  await pullRequests.recordState(due, { state: 'open', hasConflicts: true })
  const observed = {
    commit: 'a',
    checks: [failedCheck],
    logs: { c1: 'line 1' },
    previewUrl: 'https://preview.example.com',
  }
  await pullRequests.recordChecks(due, observed)
  const after = await jobs.get(projectId, jobId)
  const { id: _, ...shownCheck } = failedCheck
  const withLog = { checks: [{ ...shownCheck, log: 'line 1' }] }
  expect(after.pullRequest).toMatchObject({ hasConflicts: true, previewUrl: observed.previewUrl, ...withLog })
  expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime())
  const all = { status: undefined, outcome: undefined, search: undefined, limit: 10, before: undefined }
  expect((await jobs.list(projectId, all))[0]?.pullRequest).toMatchObject({ checks: [{ ...shownCheck, log: null }] })

  await pullRequests.recordState(due, { state: 'open', hasConflicts: null })
  await pullRequests.recordChecks(due, observed)
  expect(await jobs.get(projectId, jobId)).toEqual(after)
})

test('watches checks for longer after a requested poll, and polls a closed pull request occasionally', async () => {
  const { pullRequests } = instance.stores
  const { jobId, due } = await createJobWithPullRequest(2)
  await pullRequests.recordChecks(due, { commit: 'a', checks: [], logs: {}, previewUrl: null })
  const claim = async () => (await pullRequests.claimDue(60, 10)).find((pullRequest) => pullRequest.jobId === jobId)
  expect(await claim()).toBeUndefined()
  await pullRequests.requestPoll(projectId, 2)
  const first = await claim()
  await pullRequests.requestPoll(projectId, 2)
  const second = await claim()
  expect(first?.checks?.commit).toBe('a')
  expect(Date.parse(second?.checks?.watchedSince ?? '')).toBeGreaterThan(Date.parse(first?.checks?.watchedSince ?? ''))

  const dueAt = async () =>
    (await instance.pool.query('SELECT pull_request_poll_at AS at FROM job WHERE id = $1', [jobId])).rows[0].at
  await pullRequests.requestBranchPolls(projectId, ['b', 'another'])
  expect((await dueAt()).getTime() - Date.now()).toBeLessThan(6_000)
  await pullRequests.recordState(due, { state: 'closed', hasConflicts: true })
  expect(await readPullRequest(jobId)).toMatchObject({ state: 'closed', hasConflicts: null })
  await pullRequests.requestPoll(projectId, 2)
  await claim()
  await pullRequests.recordState(due, { state: 'closed', hasConflicts: null })
  expect((await dueAt()).getTime() - Date.now(), 'it may be reopened').toBeGreaterThan(3_500_000)
  await instance.pool.query("UPDATE job SET updated_at = now() - interval '31 days' WHERE id = $1", [jobId])
  await pullRequests.recordState(due, { state: 'closed', hasConflicts: null })
  expect(await dueAt(), 'but not forever').toBeNull()
})

test('does not poll a merged pull request again', async () => {
  const { pullRequests } = instance.stores
  const { jobId, due } = await createJobWithPullRequest(7)
  expect(due.wasOpen).toBe(true)
  await pullRequests.recordState(due, { state: 'merged', hasConflicts: null })
  const { rows } = await instance.pool.query('SELECT pull_request_poll_at AS at FROM job WHERE id = $1', [jobId])
  expect(rows).toEqual([{ at: null }])
})

test('limits the rate of requested polls, and polls nothing while backing off', async () => {
  const { pullRequests } = instance.stores
  const { jobId, due } = await createJobWithPullRequest(6)
  const claim = async () => (await pullRequests.claimDue(300, 10)).some((pullRequest) => pullRequest.jobId === jobId)
  const dueInSeconds = async () =>
    (
      await instance.pool.query(
        'SELECT extract(epoch FROM pull_request_poll_at - now())::float AS due FROM job WHERE id = $1',
        [jobId],
      )
    ).rows[0].due
  let polls = 0
  for (let request = 0; request < 20; request++) {
    await pullRequests.requestPoll(projectId, 6)
    if (await claim()) polls++
  }
  expect(polls).toBe(4) // with the first poll, of the new pull request, there were five
  const seconds = await dueInSeconds()
  expect([seconds > 5, seconds <= 15]).toEqual([true, true])
  await pullRequests.backOff(due, 600)
  await pullRequests.requestPoll(projectId, 6)
  await pullRequests.requestBranchPolls(projectId, ['b'])
  expect(await dueInSeconds()).toBeGreaterThan(590)
})

test('clears what it knows of an earlier commit or another pull request', async () => {
  const { pullRequests, jobs } = instance.stores
  const { jobId, due } = await createJobWithPullRequest(3)
  const readUntil = new Date(due.commentsSince.getTime() + 1_000)
  const observed = {
    commit: 'a',
    checks: [failedCheck],
    logs: { c1: 'log' },
    previewUrl: 'https://preview.example.com',
  }
  const readAndPublish = async (number: number) => {
    await pullRequests.recordState(due, { state: 'open', hasConflicts: true })
    await pullRequests.recordChecks(due, observed)
    await pullRequests.recordCommentsRead(due, readUntil)
    await jobs.message(projectId, jobId, { prompt: 'More.' }, request)
    await publish(jobId, number)
    expect(await readPullRequest(jobId)).toMatchObject({ number, hasConflicts: null, previewUrl: null, checks: [] })
    return (await pullRequests.claimDue(60, 10)).find((pullRequest) => pullRequest.jobId === jobId)
  }
  expect(await readAndPublish(3)).toMatchObject({ commentsSince: readUntil, checkLogs: {} })
  expect(await readAndPublish(4)).toMatchObject({ commentsSince: due.commentsSince, number: 4 })
})

test('turns a comment into a message once, even if several polls read it', async () => {
  const { jobs, pullRequests } = instance.stores
  const { jobId, due } = await createJobWithPullRequest(5)
  const comment = { id: 7, author: 'maria', url: 'https://git.example.com/5#7' }
  const send = () =>
    jobs.message(projectId, jobId, { prompt: 'Shorter.', comment }, { ...request, actor: { kind: 'code-host' } })
  const results = await Promise.allSettled([send(), send(), send()])
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(CommentAlreadyProcessedError)
  expect(await pullRequests.findProcessedComments(due, [6, 7])).toEqual(new Set([7]))
  const { id: _, ...shown } = comment
  expect(await jobs.messages(projectId, jobId)).toMatchObject([
    { comment: null },
    { prompt: 'Shorter.', comment: shown, status: 'queued' },
  ])
  const [entry] = await instance.stores.audit.list(projectId, { limit: 1, before: undefined })
  expect(entry).toMatchObject({ actor: 'code-host', action: 'job.message_sent', detail: { author: 'maria' } })
})

test('never turns a rejected comment into a message', async () => {
  const { jobs, pullRequests } = instance.stores
  const { jobId, due } = await createJobWithPullRequest(7)
  const comment = { id: 8, author: 'eve', url: 'https://git.example.com/7#8' }
  await pullRequests.rejectComment(due, comment)
  await pullRequests.rejectComment(due, comment)
  expect(await pullRequests.findProcessedComments(due, [8, 9])).toEqual(new Set([8]))
  const sent = jobs.message(projectId, jobId, { prompt: 'Now.', comment }, { ...request, actor: { kind: 'code-host' } })
  await expect(sent).rejects.toBeInstanceOf(CommentAlreadyProcessedError)
  expect(await jobs.messages(projectId, jobId)).toHaveLength(1)
})

test('claims at most one pull request per project, and none of an excluded project', async () => {
  const { pullRequests, projects } = instance.stores
  await instance.pool.query('UPDATE job SET pull_request_poll_at = now() WHERE pull_request_state IS NOT NULL')
  const other = (await projects.create('Other', { kind: 'operator' })).id
  expect(await pullRequests.claimDue(60, 10, [projectId, other])).toEqual([])
  expect(await pullRequests.claimDue(60, 10, [other])).toHaveLength(1)
  expect(await pullRequests.claimDue(60, 10)).toHaveLength(1)
})

test('polls a pull request less often when nothing has changed for a day, and for a week', async () => {
  const { pullRequests } = instance.stores
  await instance.pool.query('UPDATE job SET pull_request_poll_at = NULL')
  const { jobId } = await createJobWithPullRequest(61)
  const secondsUntilPoll = async (idle: string) => {
    await instance.pool.query(
      `UPDATE job SET updated_at = now() - interval '${idle}', pull_request_poll_at = now() WHERE id = $1`,
      [jobId],
    )
    await pullRequests.claimDue(300, 100)
    const { rows } = await instance.pool.query<{ seconds: number }>(
      'SELECT round(extract(epoch FROM pull_request_poll_at - now()))::int AS seconds FROM job WHERE id = $1',
      [jobId],
    )
    return rows[0]?.seconds
  }
  expect(await secondsUntilPoll('1 hour')).toBe(300)
  expect(await secondsUntilPoll('2 days')).toBe(900)
  expect(await secondsUntilPoll('8 days')).toBe(3_600)
})

test('a rate limit is for all projects of the same installation', async () => {
  const { pullRequests, projects } = instance.stores
  await instance.pool.query('UPDATE job SET pull_request_poll_at = NULL')
  const { due } = await createJobWithPullRequest(62)
  const { id: neighbor } = await projects.create('Neighbor', { kind: 'operator' })
  const { id: stranger } = await projects.create('Stranger', { kind: 'operator' })
  for (const [project, installation] of [
    [projectId, 7],
    [neighbor, 7],
    [stranger, 8],
  ] as const)
    await instance.pool.query(
      `INSERT INTO repository (project_id, host, base_url, owner, name, base_branch, docs_folder, installation_id, host_repository_id, webhook_secret, publishing)
       VALUES ($1, 'github', 'https://github.com', 'docs', $1, 'main', '', $2, 42, 'secret', '{}')`,
      [project, installation],
    )
  const jobs = new Map<Id<'prj'>, Id<'job'>>()
  for (const project of [neighbor, stranger]) {
    const where = { repository: 'docs/site', ref: 'main', model: 'default', title: null, draft: false, topic: null }
    const input = { ...where, prompt: 'Do it.', publish: 'pull_request', metadata: {} } as const
    const { id: jobId } = (await instance.stores.jobs.create(project, input, request)).body
    await publish(jobId, 1)
    jobs.set(project, jobId)
  }
  await pullRequests.backOff(due, 600)
  const { rows } = await instance.pool.query<{ id: Id<'job'> }>(
    "SELECT id FROM job WHERE pull_request_poll_at > now() + interval '9 minutes'",
  )
  const restingJobs = rows.map(({ id }) => id)
  expect(restingJobs).toContain(jobs.get(neighbor))
  expect(restingJobs).not.toContain(jobs.get(stranger))
})
