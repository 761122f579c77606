/** The hourly limit is exact over any rolling hour and all replicas; an idempotency key makes repeats harmless. */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeProject } from '../dev-services/colophon.ts'
import { connectExampleRepository } from './kit/example-repository.ts'
import { type Answer, bearer, call } from './kit/http-call.ts'
import { runningService } from './kit/running-service.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'At most 100 jobs and 100 messages an hour per project, exactly, whatever comes at once'

const maxPerHour = 100
const maxQueuedMessages = 20

interface Project {
  projectId: string
  key: string
}

interface Stage {
  run: ProofRun
  replicas: readonly string[]
  parallel: number
  /** Each request on a connection of its own: all of them are there at once. */
  agent: Agent
  database: pg.Pool
}

export async function prove(run: ProofRun): Promise<void> {
  const service = await runningService(run, 'hourly_limit')
  const apis = await Promise.all([service.startApi(), service.startApi(), service.startApi()])
  const parallel = { ci: 300, stated: 1_000, full: 3_000 }[run.size]
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const database = new pg.Pool({ connectionString: service.instance.postgresUrl, max: 1 })
  run.cleanUp(() => database.end())
  const stage: Stage = { run, replicas: apis.map(({ url }) => url), parallel, agent, database }
  const newProject = async () => {
    const project = await makeProject(service.environment, 'Limited')
    await connectExampleRepository(service, project.projectId)
    return project
  }
  const [first, second, third] = await Promise.all([newProject(), newProject(), newProject()])
  await besides(stage, third, async () => {
    await jobsAtOnce(stage, first)
    await messagesAtOnce(stage, first)
  })
  await oneKeyAtOnce(stage, second)
  await theSameKeyElsewhere(stage, second, third)
  await theLastOfTheHourAtOnce(stage, third)
}

interface Post {
  project: Project
  /** Below the project's own. */
  path: string
  body: unknown
  idempotencyKey?: string
}

const post = ({ replicas, agent }: Stage, { project, path, body, idempotencyKey }: Post, index = 0): Promise<Answer> =>
  call({
    method: 'POST',
    url: `${replicas[index % replicas.length]}/v2/agent/${project.projectId}/${path}`,
    headers: [
      ...bearer(project.key),
      'content-type',
      'application/json',
      ...(idempotencyKey === undefined ? [] : ['idempotency-key', idempotencyKey]),
    ],
    body: JSON.stringify(body),
    agent,
  })

/** Over all replicas. */
const postAtOnce = (stage: Stage, count: number, nth: (index: number) => Post): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => post(stage, nth(index), index)))

const isAccepted = ({ status }: Answer) => status === 200 || status === 201
const codeOf = ({ text }: Answer) => (JSON.parse(text) as { code?: string }).code

async function jobIdsOf({ database }: Stage, { projectId }: Project): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>('SELECT id FROM job WHERE project_id = $1', [projectId])
  return rows.map(({ id }) => id)
}

/** The hour is not made shorter: the first of its rows is made older. */
async function letTheFirstLeaveTheHour({ database }: Stage, { projectId }: Project, limited: Limited): Promise<void> {
  const table = limited === 'jobs' ? 'job' : 'turn'
  const which = limited === 'jobs' ? '' : 'AND number > 1'
  await database.query(
    `UPDATE ${table} SET created_at = created_at - interval '1 hour' WHERE id = (
       SELECT id FROM ${table} WHERE project_id = $1 ${which} ORDER BY created_at LIMIT 1)`,
    [projectId],
  )
}

type Limited = 'jobs' | 'messages'

/** A flood is its project's own affair: somebody else goes on asking meanwhile. */
async function besides({ run, replicas, agent }: Stage, { projectId, key }: Project, flood: () => Promise<void>) {
  let flooding = true
  let asked = 0
  let failed = 0
  let slowestMs = 0
  const asking = replicas.map(async (replica) => {
    while (flooding) {
      const startedAt = performance.now()
      const url = `${replica}/v2/agent/${projectId}/jobs`
      const { status } = await call({ method: 'GET', url, headers: bearer(key), agent })
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      asked++
      if (status !== 200) failed++
      await sleep(200)
    }
  })
  await flood()
  flooding = false
  await Promise.all(asking)
  run.check(failed === 0, `another project is served meanwhile (${failed} of ${asked} requests failed)`)
  run.figure(
    "another project's requests meanwhile, failed; slowest in ms",
    `${asked}, ${failed}; ${slowestMs.toFixed(0)}`,
  )
}

const jobsAtOnce = (stage: Stage, project: Project) =>
  exactlyTheLimit(stage, project, 'jobs', (index) => ({ project, path: 'job', body: { prompt: `number ${index}` } }))

async function messagesAtOnce(stage: Stage, project: Project): Promise<void> {
  // To so many jobs that no queue is full before the hour is.
  const jobIds = (await jobIdsOf(stage, project)).slice(0, stage.parallel / maxQueuedMessages + 1)
  await exactlyTheLimit(stage, project, 'messages', (index) => ({
    project,
    path: `job/${jobIds[index % jobIds.length]}/message`,
    body: { prompt: `number ${index}` },
  }))
  const nowhere = await post(stage, {
    project,
    path: 'job/job_01m7etws0aexr82g7pkmt6jtjr/message',
    body: { prompt: 'x' },
  })
  stage.run.check(nowhere.status === 404, `a full hour hides nothing: no such job is 404 (${nowhere.status})`)
}

async function exactlyTheLimit(
  stage: Stage,
  project: Project,
  limited: Limited,
  nth: (index: number) => Post,
): Promise<void> {
  const { run, parallel, replicas } = stage
  const responses = await postAtOnce(stage, parallel, nth)
  const accepted = responses.filter(isAccepted)
  const refused = responses.filter((response) => response.status === 429 && codeOf(response) === 'rate_limited')
  const others = responses.filter((response) => !accepted.includes(response) && !refused.includes(response))
  run.check(
    accepted.length === maxPerHour,
    `exactly ${maxPerHour} ${limited} are accepted of ${parallel} at once (${accepted.length})`,
  )
  run.check(others.length === 0, `all other ${limited} are 429 (${others.length} are not: ${others[0]?.text})`)
  run.check(
    refused.every(({ headers }) => Number(headers['retry-after']) > 3_000 && saysWhatIsLeft(headers, limited, 0)),
    `one of the ${limited} that is refused says when to come back`,
  )
  const left = accepted.map(({ headers }) => Number(String(headers.ratelimit).match(/;r=(\d+);/)?.[1]))
  run.check(
    left.toSorted((one, other) => one - other).every((remaining, index) => remaining === index),
    `each of the ${limited} that are accepted says what is left, and no two say the same`,
  )

  await letTheFirstLeaveTheHour(stage, project, limited)
  const more = (await postAtOnce(stage, 30, nth)).filter(isAccepted).length
  run.check(more === 1, `one more is accepted when the first has left the hour (${more})`)
  run.say(`${limited}: ${parallel} at once to ${replicas.length} replicas`)
  run.figure(
    `${limited} at once, accepted; more when the first has left the hour`,
    `${parallel}, ${accepted.length}; ${more}`,
  )
}

const saysWhatIsLeft = (headers: Answer['headers'], limited: Limited, remaining: number) =>
  headers['ratelimit-policy'] === `"${limited}";q=${maxPerHour};w=3600` &&
  String(headers.ratelimit).startsWith(`"${limited}";r=${remaining};t=`)

const onceKey = 'the same one'

async function oneKeyAtOnce(stage: Stage, project: Project): Promise<void> {
  const { run, parallel } = stage
  const once: Post = { project, path: 'job', body: { prompt: 'once' }, idempotencyKey: onceKey }
  const responses = await postAtOnce(stage, parallel, () => once)
  const different = new Set(responses.map(({ status, headers, text }) => `${status} ${headers.location} ${text}`))
  const jobs = await jobIdsOf(stage, project)
  run.check(
    responses[0]?.status === 201,
    `a create with a key is accepted (${responses[0]?.status} ${responses[0]?.text})`,
  )
  run.check(different.size === 1, `${parallel} creates with one key give one answer (${[...different].slice(0, 3)})`)
  run.check(jobs.length === 1, `and one job (${jobs.length})`)

  const message: Post = { ...once, path: `job/${jobs[0]}/message`, idempotencyKey: 'another' }
  const replies = await postAtOnce(stage, parallel, () => message)
  const differentReplies = new Set(replies.map(({ status, text }) => `${status} ${text}`))
  const queued = (JSON.parse(replies[0]?.text ?? '{}') as { queuedMessages?: number }).queuedMessages
  run.check(differentReplies.size === 1 && queued === 1, `the same for messages (${[...differentReplies].slice(0, 3)})`)
  run.say(`one Idempotency-Key: ${parallel} creates and ${parallel} messages at once`)
  run.figure(
    'creates with one Idempotency-Key, jobs, different answers',
    `${parallel}, ${jobs.length}, ${different.size}`,
  )
}

async function theSameKeyElsewhere(stage: Stage, project: Project, other: Project): Promise<void> {
  const { run } = stage
  const [jobId] = await jobIdsOf(stage, project)
  const once: Post = { project, path: 'job', body: { prompt: 'once' }, idempotencyKey: onceKey }
  const refused: [what: string, asked: Post][] = [
    ['another body', { ...once, body: { prompt: 'other' } }],
    ['another route', { ...once, path: `job/${jobId}/message` }],
  ]
  for (const [what, asked] of refused) {
    const response = await post(stage, asked)
    const isRefused = response.status === 422 && codeOf(response) === 'idempotency_key_reused'
    run.check(isRefused, `the same key with ${what} is 422 (${response.status} ${response.text})`)
  }
  const elsewhere = await post(stage, { ...once, project: other })
  run.check(elsewhere.status === 201, `in another project it is another key (${elsewhere.status} ${elsewhere.text})`)
  run.check((await jobIdsOf(stage, project)).length === 1, 'what was refused made no job')
}

/** Its own answer comes first: the job that fills the hour must not be the reason why its repeats are refused. */
async function theLastOfTheHourAtOnce(stage: Stage, project: Project): Promise<void> {
  const { run, parallel } = stage
  const taken = (await jobIdsOf(stage, project)).length
  await postAtOnce(stage, maxPerHour - 1 - taken, () => ({ project, path: 'job', body: { prompt: 'before' } }))
  const last: Post = { project, path: 'job', body: { prompt: 'last' }, idempotencyKey: 'of the last' }
  const responses = await postAtOnce(stage, parallel, () => last)
  const different = new Set(responses.map(({ status, text }) => `${status} ${text}`))
  run.check(
    different.size === 1 && responses[0]?.status === 201,
    `the last job of an hour too (${different.size} answers)`,
  )
  const jobs = (await jobIdsOf(stage, project)).length
  run.check(jobs === maxPerHour, `and the hour has ${maxPerHour} (${jobs})`)
  run.figure('creates of the last job of an hour with one key, different answers', `${parallel}, ${different.size}`)
}
