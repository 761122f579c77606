/** Abuse of the runner API: by callers without a token, by runners that lost their turn, and by a runner that has one. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createChangeBundle } from '../../server/src/code-hosts/testing/craft-commit.ts'
import { pageText } from '../../server/src/code-hosts/testing/hostile-result.ts'
import { generateKey } from '../../server/src/keys/key-format.ts'
import type { Id } from '../../server/src/platform/ids.ts'
import { type ClaimedTurn, encodeReport } from '../../server/src/runner-wire/runner-wire.ts'
import type { Colophon } from '../../testing/harness/colophon.ts'
import type { ProofRun } from '../proof.ts'
import type { AttackedProject } from './attacked-project.ts'
import { badReports } from './bad-reports.ts'
import { createRunnerApiClient, type RunnerApiClient, type RunnerRequest } from './runner-api-client.ts'
import { buildHostileReport } from './send-results.ts'

interface TestContext {
  run: ProofRun
  colophon: Colophon
  project: AttackedProject
  calls: RunnerApiClient
  /** The token of an honest runner of the project. */
  token: string
  /** Sends the request and checks that it is rejected with this status and code, and that nothing is stored. */
  checkRejected(name: string, turnId: string, request: RunnerRequest, status: number, code: string): Promise<void>
}

type Rejection = readonly [status: number, code: string]
const notFound: Rejection = [404, 'not_found']
const unauthenticated: Rejection = [401, 'unauthenticated']

export async function sendHostileCalls(
  run: ProofRun,
  colophon: Colophon,
  { project, others, gatewayUrl }: { project: AttackedProject; others: AttackedProject; gatewayUrl: string },
): Promise<void> {
  const calls = createRunnerApiClient(run, colophon, gatewayUrl)
  const token = await project.createRunner('honest')
  let rejections = 0
  const context: TestContext = {
    run,
    colophon,
    project,
    calls,
    token,
    async checkRejected(name, turnId, request, status, code) {
      const before = await calls.turnSnapshot(turnId)
      const response = await calls.send(request)
      run.check(
        response.status === status && response.code === code,
        `${name}: ${status} ${code}, got ${response.status} ${response.code}`,
      )
      run.check((await calls.turnSnapshot(turnId)) === before, `${name}: nothing is stored`)
      rejections += 1
    },
  }
  // One at a time, because these leave turns unclaimed for a while.
  await anotherProjectsRunner(context, others)
  await revokedRunner(context)
  await Promise.all([
    badBodiesAndDuplicates(context),
    oldAttempt(context),
    anotherTurn(context),
    afterCancel(context),
    concurrentResults(context),
    unrequestedStop(context),
  ])
  await endlessEvents(context)
  run.figure('runner API calls rejected, with nothing stored', rejections)
}

async function create({ project: { client, projectId } }: TestContext, prompt: string): Promise<string> {
  return (await client.jobs.create(projectId, { prompt })).id
}

const resultReport = (context: TestContext, reply: string) => ({
  ...buildHostileReport(
    context.project.repository.base.id,
    createChangeBundle(context.project.repository.base, { 'docs/page.md': pageText }),
  ),
  reply,
})

const resultRequest = (context: TestContext, token: string, reply: string): RunnerRequest => ({
  path: 'result',
  token,
  body: encodeReport(resultReport(context, reply)),
})
const heartbeat = (token: string): RunnerRequest => ({
  path: 'events',
  token,
  body: { firstIndex: 0, events: [] },
})

async function waitForEnd({ project: { client, projectId } }: TestContext, jobId: string) {
  const deadline = Date.now() + 300_000
  for (;;) {
    const job = await client.jobs.get(projectId, jobId)
    if (job.status !== 'active' || Date.now() > deadline) return job
    await sleep(500)
  }
}

/** Completes an attacked job with an honest result. */
async function completeJob(context: TestContext, turn: ClaimedTurn, jobId: string, reply: string): Promise<void> {
  const { status } = await context.calls.send(resultRequest(context, turn.attemptToken, reply))
  const job = await waitForEnd(context, jobId)
  context.run.check(
    status === 204 && job.status === 'completed' && job.reply === reply && job.prLink !== null,
    `${reply}: an honest result is accepted afterwards, got ${status}, ${job.status}, ${job.reply}, ${job.error?.message}`,
  )
}

async function waitUntilRequeued({ calls }: TestContext, turnId: string, attempts: number): Promise<void> {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    const [row] = await calls.query<{ number: number }>(
      'SELECT max(number) AS number FROM turn_attempt WHERE turn_id = $1',
      [turnId],
    )
    if ((row?.number ?? 0) >= attempts) return
    await sleep(100)
  }
  throw new Error(`turn ${turnId} was not queued again within 2 minutes`)
}

async function waitForQueuedTurn({ calls }: TestContext, jobId: string): Promise<string> {
  for (;;) {
    const [row] = await calls.query<{ turn_id: string }>(
      'SELECT turn_id FROM turn_attempt JOIN turn ON turn.id = turn_id WHERE job_id = $1',
      [jobId],
    )
    if (row) return row.turn_id
    await sleep(100)
  }
}

async function anotherProjectsRunner(context: TestContext, others: AttackedProject): Promise<void> {
  const { run, calls, token } = context
  const otherRunner = await others.createRunner('other project')
  const jobId = await create(context, "another project's runner")
  const turnId = await waitForQueuedTurn(context, jobId)
  const before = await calls.turnSnapshot(turnId)
  run.check((await calls.claim(otherRunner, 2)) === undefined, "another project's runner gets no turn of this project")
  for (const [name, bearer] of [
    ['a caller without a token', undefined],
    ['an unknown runner', generateKey('colophon_runner_')],
    ['a mistyped token', `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`],
    ['an attempt token', generateKey('colophon_attempt_')],
    ['an API key', generateKey('colophon_')],
  ] as const) {
    const request: RunnerRequest = { path: 'claim', token: bearer, body: { waitSeconds: 0 } }
    await context.checkRejected(`a claim by ${name}`, turnId, request, ...unauthenticated)
  }
  for (const body of [{}, { waitSeconds: 51 }, { waitSeconds: -1 }, { waitSeconds: 0, projectIds: null }]) {
    const name = `a claim with ${JSON.stringify(body)}`
    await context.checkRejected(name, turnId, { path: 'claim', token, body }, 400, 'invalid_request')
  }
  run.check((await calls.turnSnapshot(turnId)) === before, 'the turn is still queued and unchanged')
  await completeJob(context, await calls.claimJob(token, jobId), jobId, 'by the right runner')
}

async function revokedRunner(context: TestContext): Promise<void> {
  const { run, colophon, project, calls, token } = context
  const revoke = async (name: string) => {
    const [row] = await calls.query<{ id: Id<'run'> }>('SELECT id FROM runner WHERE name = $1', [name])
    if (row) await colophon.stores.runners.revoke(row.id)
  }
  const waiting = await project.createRunner('revoked while it waits')
  const claiming = calls.claim(waiting, 15)
  await revoke('revoked while it waits')
  const jobId = await create(context, 'a revoked runner')
  run.check((await claiming) === undefined, 'a runner that is revoked during a long poll gets no turn')
  const turnId = await waitForQueuedTurn(context, jobId)
  const request: RunnerRequest = { path: 'claim', token: waiting, body: { waitSeconds: 0 } }
  await context.checkRejected('a claim by a revoked runner', turnId, request, ...unauthenticated)

  const working = await project.createRunner('revoked while it works')
  const turn = await calls.claimJob(working, jobId, 'silent')
  await revoke('revoked while it works')
  await context.checkRejected(
    'the result of a revoked runner',
    turnId,
    resultRequest(context, turn.attemptToken, 'revoked'),
    ...notFound,
  )
  await context.checkRejected('a heartbeat of a revoked runner', turnId, heartbeat(turn.attemptToken), ...notFound)
  await completeJob(context, await calls.claimJob(token, jobId), jobId, 'after a revoked runner')
}

async function badBodiesAndDuplicates(context: TestContext): Promise<void> {
  const { run, calls, token } = context
  const jobId = await create(context, 'malformed reports')
  const turn = await calls.claimJob(token, jobId)
  const { turnId, attemptToken } = turn
  for (const { name, status, code, ...request } of badReports(resultReport(context, 'Done.'))) {
    await context.checkRejected(name, turnId, { ...request, token: attemptToken }, status, code)
  }
  const callers: [name: string, token: string | undefined, Rejection][] = [
    ['a caller without a token', undefined, unauthenticated],
    ['an API key', generateKey('colophon_'), unauthenticated],
    ['its own runner', token, unauthenticated],
    ['a mistyped token', `${attemptToken.slice(0, -1)}${attemptToken.endsWith('a') ? 'b' : 'a'}`, unauthenticated],
    ['a forged token', generateKey('colophon_attempt_'), notFound],
  ]
  for (const [name, bearer, rejection] of callers) {
    const request = { ...resultRequest(context, '', name), token: bearer }
    await context.checkRejected(`a result by ${name}`, turnId, request, ...rejection)
    await context.checkRejected(`events by ${name}`, turnId, { ...heartbeat(''), token: bearer }, ...rejection)
  }
  await completeJob(context, turn, jobId, 'after malformed reports')
  await context.checkRejected(
    'the same result again',
    turnId,
    resultRequest(context, attemptToken, 'after malformed reports'),
    ...notFound,
  )
  await context.checkRejected(
    'another result afterwards',
    turnId,
    resultRequest(context, attemptToken, 'a second result'),
    ...notFound,
  )
  const failure: RunnerRequest = { path: 'result', token: attemptToken, body: { kind: 'agent_failed', message: 'x' } }
  await context.checkRejected('a failure afterwards', turnId, failure, ...notFound)
  run.check((await waitForEnd(context, jobId)).reply === 'after malformed reports', 'the first result is kept')
}

async function oldAttempt(context: TestContext): Promise<void> {
  const { calls, token } = context
  const jobId = await create(context, 'an old attempt')
  const { turnId, attemptToken } = await calls.claimJob(token, jobId, 'silent')
  await waitUntilRequeued(context, turnId, 2)
  const newer = await calls.claimJob(token, jobId)
  await context.checkRejected(
    "an old attempt's result",
    turnId,
    resultRequest(context, attemptToken, 'old'),
    ...notFound,
  )
  await context.checkRejected("an old attempt's heartbeat", turnId, heartbeat(attemptToken), ...notFound)
  const release: RunnerRequest = { path: 'result', token: attemptToken, body: { kind: 'released' } }
  await context.checkRejected("an old attempt's release", turnId, release, ...notFound)
  await completeJob(context, newer, jobId, 'by the newer attempt')
}

async function anotherTurn(context: TestContext): Promise<void> {
  const { run, calls, token, project } = context
  const firstJob = await create(context, 'the first')
  const secondJob = await create(context, 'the second')
  const first = await calls.claimJob(token, firstJob)
  const second = await calls.claimJob(token, secondJob)
  const before = await calls.turnSnapshot(second.turnId)
  await completeJob(context, first, firstJob, 'result of the first turn')
  run.check(
    (await calls.turnSnapshot(second.turnId)) === before,
    "a result under one turn's token leaves the other turn unchanged",
  )
  await context.checkRejected(
    "another turn's token",
    second.turnId,
    resultRequest(context, first.attemptToken, 'stolen'),
    ...notFound,
  )
  await project.client.jobs.sendMessage(project.projectId, firstJob, { prompt: 'go on' })
  const next = await calls.claimJob(token, firstJob)
  await context.checkRejected(
    "the previous turn's token",
    next.turnId,
    resultRequest(context, first.attemptToken, 'again'),
    ...notFound,
  )
  await calls.send({
    path: 'result',
    token: next.attemptToken,
    body: encodeReport({ ...resultReport(context, 'no more'), bundle: null }),
  })
  run.check(
    (await waitForEnd(context, firstJob)).reply === 'no more',
    "the follow-up ends with its own runner's result",
  )
  await completeJob(context, second, secondJob, 'result of the second turn')
}

async function afterCancel(context: TestContext): Promise<void> {
  const { run, calls, token, project } = context
  const jobId = await create(context, 'to be cancelled')
  const { turnId, attemptToken } = await calls.claimJob(token, jobId, 'silent')
  await project.client.jobs.cancel(project.projectId, jobId)
  const job = await waitForEnd(context, jobId)
  run.check(
    job.status === 'failed' && job.outcome === 'cancelled',
    `a cancelled job ends with outcome cancelled, got ${job.outcome}`,
  )
  await context.checkRejected(
    'a result after cancel',
    turnId,
    resultRequest(context, attemptToken, 'too late'),
    ...notFound,
  )
  await context.checkRejected('a heartbeat after cancel', turnId, heartbeat(attemptToken), ...notFound)
}

async function concurrentResults(context: TestContext): Promise<void> {
  const { run, calls, token } = context
  const jobId = await create(context, 'ten results')
  const { attemptToken } = await calls.claimJob(token, jobId)
  const responses = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => ({
      reply: `result ${index}`,
      status: (await calls.send(resultRequest(context, attemptToken, `result ${index}`))).status,
    })),
  )
  const [accepted, ...extra] = responses.filter(({ status }) => status === 204)
  run.check(
    extra.length === 0 && accepted !== undefined,
    `one of ten concurrent results is accepted, got ${responses.filter(({ status }) => status === 204).length}`,
  )
  run.check(
    responses.every(({ status }) => status === 204 || status === 404),
    `the other concurrent results get 404, got ${responses.map(({ status }) => status)}`,
  )
  run.check(
    (await waitForEnd(context, jobId)).reply === accepted?.reply,
    'the job has the reply of the accepted result',
  )
}

/** A runner cannot cancel a job by reporting `stopped` when no stop was requested. */
async function unrequestedStop(context: TestContext): Promise<void> {
  const { run, calls, token } = context
  const jobId = await create(context, 'an unrequested stop')
  const turn = await calls.claimJob(token, jobId)
  const { status } = await calls.send({ path: 'result', token: turn.attemptToken, body: { kind: 'stopped' } })
  const again = await calls.claimJob(token, jobId)
  run.check(status === 204 && again.turnId === turn.turnId, 'a turn that was stopped without a request is queued again')
  await completeJob(context, again, jobId, 'after an unrequested stop')
}

const maxEventBytes = 20 * 1024 * 1024

/** Over several attempts: the limit is per turn, however often a runner releases it. */
async function endlessEvents(context: TestContext): Promise<void> {
  const { run, calls, token } = context
  const jobId = await create(context, 'endless events')
  const event = { type: 'text', at: '2026-01-01T00:00:00Z', text: 'x'.repeat(60_000) }
  let turn = await calls.claimJob(token, jobId)
  for (let attempt = 1; attempt <= 2; attempt++) {
    for (let upload = 0; upload < 4; upload++) {
      const body = { firstIndex: upload * 100, events: Array(100).fill(event) }
      await calls.send({ path: 'events', token: turn.attemptToken, body })
    }
    await calls.send({ path: 'result', token: turn.attemptToken, body: { kind: 'released' } })
    turn = await calls.claimJob(token, jobId)
  }
  const [row] = await calls.query<{ bytes: string }>(
    'SELECT coalesce(sum(octet_length(events::text)), 0) AS bytes FROM job_event WHERE job_id = $1',
    [jobId],
  )
  const bytes = Number(row?.bytes)
  run.check(bytes > 0 && bytes <= maxEventBytes, `of 48 MB of events at most 20 MB are kept, got ${bytes} bytes`)
  await completeJob(context, turn, jobId, 'after endless events')
}
