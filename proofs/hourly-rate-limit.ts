/** The hourly limit is exact over any rolling hour and all replicas, and retries with an idempotency key count once. */

import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { prepareColophon } from '../testing/harness/colophon.ts'
import { formatBearerHeader, type HttpResponse, sendHttpRequest } from '../testing/harness/http-call.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'At most 100 jobs and 100 messages per project in any rolling hour, exactly, across all replicas'

const maxPerHour = 100
const maxQueuedMessages = 20

interface Project {
  projectId: string
  key: string
}

interface Fixture {
  run: ProofRun
  replicas: readonly string[]
  parallel: number
  /** Uses a new connection for each request, so that all of them arrive at the same time. */
  agent: Agent
  database: pg.Pool
}

export async function prove(run: ProofRun): Promise<void> {
  const colophon = await prepareColophon(run, 'hourly_limit')
  const apis = await Promise.all([colophon.start('api'), colophon.start('api'), colophon.start('api')])
  const parallel = { ci: 300, stated: 1_000, full: 3_000 }[run.size]
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const fixture: Fixture = { run, replicas: apis.map(({ url }) => url), parallel, agent, database: colophon.pool }
  const newProject = () => colophon.connectProject('Limited')
  const [first, second, third] = await Promise.all([newProject(), newProject(), newProject()])
  await withBackgroundRequests(fixture, third, async () => {
    await createJobsInParallel(fixture, first)
    await sendMessagesInParallel(fixture, first)
  })
  await sameKeyInParallel(fixture, second)
  await sameKeyForOtherRequests(fixture, second, third)
  await retryLastJobOfHour(fixture, third)
}

interface Post {
  project: Project
  /** Relative to `/v2/agent/{projectId}/`. */
  path: string
  body: unknown
  idempotencyKey?: string
}

const post = (
  { replicas, agent }: Fixture,
  { project, path, body, idempotencyKey }: Post,
  index = 0,
): Promise<HttpResponse> =>
  sendHttpRequest({
    method: 'POST',
    url: `${replicas[index % replicas.length]}/v2/agent/${project.projectId}/${path}`,
    headers: [
      ...formatBearerHeader(project.key),
      'content-type',
      'application/json',
      ...(idempotencyKey === undefined ? [] : ['idempotency-key', idempotencyKey]),
    ],
    body: JSON.stringify(body),
    agent,
  })

/** Distributes the requests over all replicas. */
const postInParallel = (fixture: Fixture, count: number, requestAt: (index: number) => Post): Promise<HttpResponse[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => post(fixture, requestAt(index), index)))

const isAccepted = ({ status }: HttpResponse) => status === 200 || status === 201
const codeOf = ({ text }: HttpResponse) => (JSON.parse(text) as { code?: string }).code

async function jobIdsOf({ database }: Fixture, { projectId }: Project): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>('SELECT id FROM job WHERE project_id = $1', [projectId])
  return rows.map(({ id }) => id)
}

/** The oldest row of the hour is backdated; the hour itself is not shortened. */
async function moveOldestOutOfHour({ database }: Fixture, { projectId }: Project, limited: Limited): Promise<void> {
  const table = limited === 'jobs' ? 'job' : 'turn'
  const filter = limited === 'jobs' ? '' : 'AND number > 1'
  await database.query(
    `UPDATE ${table} SET created_at = created_at - interval '1 hour' WHERE id = (
       SELECT id FROM ${table} WHERE project_id = $1 ${filter} ORDER BY created_at LIMIT 1)`,
    [projectId],
  )
}

type Limited = 'jobs' | 'messages'

/** Another project sends requests during the flood, and must not notice it. */
async function withBackgroundRequests(
  { run, replicas, agent }: Fixture,
  { projectId, key }: Project,
  flood: () => Promise<void>,
) {
  let flooding = true
  let sent = 0
  let failed = 0
  let slowestMs = 0
  const sending = replicas.map(async (replica) => {
    while (flooding) {
      const startedAt = performance.now()
      const url = `${replica}/v2/agent/${projectId}/jobs`
      const { status } = await sendHttpRequest({ method: 'GET', url, headers: formatBearerHeader(key), agent })
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      sent++
      if (status !== 200) failed++
      await sleep(200)
    }
  })
  await flood()
  flooding = false
  await Promise.all(sending)
  run.check(failed === 0, `requests of another project succeed during the flood (${failed} of ${sent} failed)`)
  run.figure(
    'requests of another project during the flood',
    `${sent} (${failed} failed, slowest ${slowestMs.toFixed(0)} ms)`,
  )
}

const createJobsInParallel = (fixture: Fixture, project: Project) =>
  acceptsExactlyTheLimit(fixture, project, 'jobs', (index) => ({
    project,
    path: 'job',
    body: { prompt: `number ${index}` },
  }))

async function sendMessagesInParallel(fixture: Fixture, project: Project): Promise<void> {
  // Spread over enough jobs that no message queue fills up before the hourly limit is reached.
  const jobIds = (await jobIdsOf(fixture, project)).slice(0, fixture.parallel / maxQueuedMessages + 1)
  await acceptsExactlyTheLimit(fixture, project, 'messages', (index) => ({
    project,
    path: `job/${jobIds[index % jobIds.length]}/message`,
    body: { prompt: `number ${index}` },
  }))
  const unknownJob = await post(fixture, {
    project,
    path: 'job/job_01m7etws0aexr82g7pkmt6jtjr/message',
    body: { prompt: 'x' },
  })
  fixture.run.check(
    unknownJob.status === 404,
    `an unknown job is 404 even when the limit is reached (${unknownJob.status})`,
  )
}

async function acceptsExactlyTheLimit(
  fixture: Fixture,
  project: Project,
  limited: Limited,
  requestAt: (index: number) => Post,
): Promise<void> {
  const { run, parallel, replicas } = fixture
  const responses = await postInParallel(fixture, parallel, requestAt)
  const accepted = responses.filter(isAccepted)
  const rejected = responses.filter((response) => response.status === 429 && codeOf(response) === 'rate_limited')
  const others = responses.filter((response) => !accepted.includes(response) && !rejected.includes(response))
  run.check(
    accepted.length === maxPerHour,
    `exactly ${maxPerHour} of ${parallel} concurrent ${limited} are accepted (${accepted.length})`,
  )
  run.check(
    others.length === 0,
    `all other ${limited} are rejected with 429 (${others.length} are not: ${others[0]?.text})`,
  )
  run.check(
    rejected.every(({ headers }) => Number(headers['retry-after']) > 3_000 && reportsRemaining(headers, limited, 0)),
    `all rejected ${limited} carry Retry-After and RateLimit headers`,
  )
  const remaining = accepted.map(({ headers }) => Number(String(headers.ratelimit).match(/;r=(\d+);/)?.[1]))
  run.check(
    remaining.toSorted((a, b) => a - b).every((count, index) => count === index),
    `the accepted ${limited} report the remaining number, each a different one`,
  )

  await moveOldestOutOfHour(fixture, project, limited)
  const acceptedLater = (await postInParallel(fixture, 30, requestAt)).filter(isAccepted).length
  run.check(acceptedLater === 1, `one more is accepted after the oldest has left the hour (${acceptedLater})`)
  run.log(`${limited}: ${parallel} concurrent requests to ${replicas.length} replicas`)
  run.figure(
    `concurrent ${limited}`,
    `${parallel} (${accepted.length} accepted, ${acceptedLater} more after the oldest left the hour)`,
  )
}

const reportsRemaining = (headers: HttpResponse['headers'], limited: Limited, remaining: number) =>
  headers['ratelimit-policy'] === `"${limited}";q=${maxPerHour};w=3600` &&
  String(headers.ratelimit).startsWith(`"${limited}";r=${remaining};t=`)

const sharedIdempotencyKey = 'the same one'

async function sameKeyInParallel(fixture: Fixture, project: Project): Promise<void> {
  const { run, parallel } = fixture
  const once: Post = { project, path: 'job', body: { prompt: 'once' }, idempotencyKey: sharedIdempotencyKey }
  const responses = await postInParallel(fixture, parallel, () => once)
  const distinctResponses = new Set(
    responses.map(({ status, headers, text }) => `${status} ${headers.location} ${text}`),
  )
  const jobs = await jobIdsOf(fixture, project)
  run.check(
    responses[0]?.status === 201,
    `a job with an idempotency key is created (${responses[0]?.status} ${responses[0]?.text})`,
  )
  run.check(
    distinctResponses.size === 1,
    `${parallel} creates with one key return one response (${[...distinctResponses].slice(0, 3)})`,
  )
  run.check(jobs.length === 1, `${parallel} creates with one key create one job (${jobs.length})`)

  const message: Post = { ...once, path: `job/${jobs[0]}/message`, idempotencyKey: 'another' }
  const replies = await postInParallel(fixture, parallel, () => message)
  const distinctReplies = new Set(replies.map(({ status, text }) => `${status} ${text}`))
  const queued = (JSON.parse(replies[0]?.text ?? '{}') as { queuedMessages?: number }).queuedMessages
  run.check(
    distinctReplies.size === 1 && queued === 1,
    `${parallel} messages with one key return one response and queue one message (${[...distinctReplies].slice(0, 3)})`,
  )
  run.log(`one Idempotency-Key: ${parallel} concurrent creates and ${parallel} concurrent messages`)
  run.figure(
    'creates with one Idempotency-Key',
    `${parallel} (${jobs.length} job, ${distinctResponses.size} distinct response)`,
  )
}

async function sameKeyForOtherRequests(fixture: Fixture, project: Project, other: Project): Promise<void> {
  const { run } = fixture
  const [jobId] = await jobIdsOf(fixture, project)
  const once: Post = { project, path: 'job', body: { prompt: 'once' }, idempotencyKey: sharedIdempotencyKey }
  const conflicts: [difference: string, request: Post][] = [
    ['another body', { ...once, body: { prompt: 'other' } }],
    ['another route', { ...once, path: `job/${jobId}/message` }],
  ]
  for (const [difference, request] of conflicts) {
    const response = await post(fixture, request)
    const isRejected = response.status === 422 && codeOf(response) === 'idempotency_key_reused'
    run.check(isRejected, `the same key with ${difference} is 422 (${response.status} ${response.text})`)
  }
  const inOtherProject = await post(fixture, { ...once, project: other })
  run.check(
    inOtherProject.status === 201,
    `the same key in another project is independent (${inOtherProject.status} ${inOtherProject.text})`,
  )
  const jobCount = (await jobIdsOf(fixture, project)).length
  run.check(jobCount === 1, `rejected requests create no job (${jobCount} instead of 1)`)
}

/**
 * The stored response has priority over the limit: retries of the job that reaches the limit must not be rejected because of
 * it.
 */
async function retryLastJobOfHour(fixture: Fixture, project: Project): Promise<void> {
  const { run, parallel } = fixture
  const used = (await jobIdsOf(fixture, project)).length
  await postInParallel(fixture, maxPerHour - 1 - used, () => ({ project, path: 'job', body: { prompt: 'before' } }))
  const last: Post = { project, path: 'job', body: { prompt: 'last' }, idempotencyKey: 'last job' }
  const responses = await postInParallel(fixture, parallel, () => last)
  const distinctResponses = new Set(responses.map(({ status, text }) => `${status} ${text}`))
  run.check(
    distinctResponses.size === 1 && responses[0]?.status === 201,
    `retries of the last job in an hour return one response (${distinctResponses.size} distinct, ${responses[0]?.status})`,
  )
  const jobs = (await jobIdsOf(fixture, project)).length
  run.check(jobs === maxPerHour, `the hour has exactly ${maxPerHour} jobs (${jobs})`)
  run.figure('retries of the last job in an hour', `${parallel} (${distinctResponses.size} distinct response)`)
}
