/** Abuse of the runner API itself: by strangers, by runners whose time is over, and by one that has a turn. */
import { setTimeout as sleep } from 'node:timers/promises'
import { runColophon } from '../../../dev-services/colophon.ts'
import { bundleOfChange } from '../../../server/src/code-hosts/testing/craft-commit.ts'
import { page } from '../../../server/src/code-hosts/testing/hostile-result.ts'
import { generateKey } from '../../../server/src/keys/key-format.ts'
import { type ClaimedTurn, encodeReport } from '../../../server/src/runner-wire/runner-wire.ts'
import type { ProofRun } from '../../proof.ts'
import type { RunningService } from '../running-service.ts'
import type { AttackedProject } from './attacked-project.ts'
import { badReports } from './bad-reports.ts'
import { type RunnerCalls, type RunnerRequest, runnerCalls } from './runner-calls.ts'
import { reportOf } from './sent-results.ts'

interface Scene {
  run: ProofRun
  service: RunningService
  project: AttackedProject
  calls: RunnerCalls
  /** Of an honest runner of the project. */
  token: string
  /** Refused, with exactly this, and nothing stored. */
  refused(name: string, turnId: string, request: RunnerRequest, status: number, code: string): Promise<void>
}

type Refusal = readonly [status: number, code: string]
const notYours: Refusal = [404, 'not_found']
const unknown: Refusal = [401, 'unauthenticated']

export async function hostileCalls(
  run: ProofRun,
  service: RunningService,
  { project, others, gatewayUrl }: { project: AttackedProject; others: AttackedProject; gatewayUrl: string },
): Promise<void> {
  const calls = runnerCalls(run, service, gatewayUrl)
  const token = await project.makeRunner('honest')
  let refusals = 0
  const scene: Scene = {
    run,
    service,
    project,
    calls,
    token,
    async refused(name, turnId, request, status, code) {
      const before = await calls.stored(turnId)
      const response = await calls.send(request)
      run.check(
        response.status === status && response.code === code,
        `${name}: ${status} ${code}, not ${response.status} ${response.code}`,
      )
      run.check((await calls.stored(turnId)) === before, `${name}: nothing is stored`)
      refusals += 1
    },
  }
  // Alone, because these leave turns unclaimed for a while.
  await anotherProjectsRunner(scene, others)
  await revokedRunner(scene)
  await Promise.all([
    badBodiesAndDuplicates(scene),
    oldAttempt(scene),
    anotherTurn(scene),
    afterCancel(scene),
    resultsAtOnce(scene),
    unaskedStop(scene),
  ])
  await endlessEvents(scene)
  run.figure('calls of the runner API refused, with nothing stored', refusals)
}

async function create({ project: { client, projectId } }: Scene, prompt: string): Promise<string> {
  return (await client.jobs.create(projectId, { prompt })).id
}

const reply = (scene: Scene, words: string) => ({
  ...reportOf(
    scene.project.repository.base.id,
    bundleOfChange(scene.project.repository.base, { 'docs/page.md': page }),
  ),
  reply: words,
})

const resultOf = (scene: Scene, token: string, words: string): RunnerRequest => ({
  path: 'result',
  token,
  body: encodeReport(reply(scene, words)),
})
const aliveSign = (token: string): RunnerRequest => ({
  path: 'events',
  token,
  body: { firstIndex: 0, events: [] },
})

async function ended({ project: { client, projectId } }: Scene, jobId: string) {
  const until = Date.now() + 300_000
  for (;;) {
    const job = await client.jobs.get(projectId, jobId)
    if (job.status !== 'active' || Date.now() > until) return job
    await sleep(500)
  }
}

/** The honest end of a job that was attacked. */
async function endsWith(scene: Scene, turn: ClaimedTurn, jobId: string, words: string): Promise<void> {
  const { status } = await scene.calls.send(resultOf(scene, turn.attemptToken, words))
  const job = await ended(scene, jobId)
  scene.run.check(
    status === 204 && job.status === 'completed' && job.reply === words && job.prLink !== null,
    `${words}: an honest result is taken afterwards (${status}, ${job.status}, ${job.reply}, ${job.error?.message})`,
  )
}

async function untilOfferedAgain({ calls }: Scene, turnId: string, attempts: number): Promise<void> {
  const until = Date.now() + 120_000
  while (Date.now() < until) {
    const [row] = await calls.query<{ number: number }>(
      'SELECT max(number) AS number FROM turn_attempt WHERE turn_id = $1',
      [turnId],
    )
    if ((row?.number ?? 0) >= attempts) return
    await sleep(100)
  }
  throw new Error(`turn ${turnId} was not offered again`)
}

async function offeredTurn({ calls }: Scene, jobId: string): Promise<string> {
  for (;;) {
    const [row] = await calls.query<{ turn_id: string }>(
      'SELECT turn_id FROM turn_attempt JOIN turn ON turn.id = turn_id WHERE job_id = $1',
      [jobId],
    )
    if (row) return row.turn_id
    await sleep(100)
  }
}

async function anotherProjectsRunner(scene: Scene, others: AttackedProject): Promise<void> {
  const { run, calls, token } = scene
  const stranger = await others.makeRunner('stranger')
  const jobId = await create(scene, "another project's runner")
  const turnId = await offeredTurn(scene, jobId)
  const before = await calls.stored(turnId)
  run.check((await calls.claim(stranger, 2)) === undefined, "another project's runner gets no turn")
  for (const [name, bearer] of [
    ['nobody', undefined],
    ['an unknown runner', generateKey('colophon_runner_')],
    ['a mistyped token', `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`],
    ["an attempt's token", generateKey('colophon_attempt_')],
    ['an API key', generateKey('colophon_')],
  ] as const) {
    const request: RunnerRequest = { path: 'claim', token: bearer, body: { waitSeconds: 0 } }
    await scene.refused(`a claim by ${name}`, turnId, request, ...unknown)
  }
  for (const body of [{}, { waitSeconds: 51 }, { waitSeconds: -1 }, { waitSeconds: 0, projectIds: null }]) {
    const name = `a claim of ${JSON.stringify(body)}`
    await scene.refused(name, turnId, { path: 'claim', token, body }, 400, 'invalid_request')
  }
  run.check((await calls.stored(turnId)) === before, 'the turn still waits')
  await endsWith(scene, await calls.claimFor(token, jobId), jobId, 'by the right runner')
}

async function revokedRunner(scene: Scene): Promise<void> {
  const { run, service, project, calls, token } = scene
  const revoke = async (name: string) => {
    const [row] = await calls.query<{ id: string }>('SELECT id FROM runner WHERE name = $1', [name])
    await runColophon(['admin', 'runner', 'revoke', '--runner', row?.id ?? ''], service)
  }
  const waiting = await project.makeRunner('revoked while it waits')
  const claiming = calls.claim(waiting, 15)
  await revoke('revoked while it waits')
  const jobId = await create(scene, 'a revoked runner')
  run.check((await claiming) === undefined, 'a runner that is revoked while it waits for a turn gets none')
  const turnId = await offeredTurn(scene, jobId)
  const request: RunnerRequest = { path: 'claim', token: waiting, body: { waitSeconds: 0 } }
  await scene.refused('a claim by a revoked runner', turnId, request, ...unknown)

  const working = await project.makeRunner('revoked while it works')
  const turn = await calls.claimFor(working, jobId, 'silent')
  await revoke('revoked while it works')
  await scene.refused(
    'the result of a revoked runner',
    turnId,
    resultOf(scene, turn.attemptToken, 'revoked'),
    ...notYours,
  )
  await scene.refused('a sign of life of a revoked runner', turnId, aliveSign(turn.attemptToken), ...notYours)
  await endsWith(scene, await calls.claimFor(token, jobId), jobId, 'after a revoked runner')
}

async function badBodiesAndDuplicates(scene: Scene): Promise<void> {
  const { run, calls, token } = scene
  const jobId = await create(scene, 'bad bodies')
  const turn = await calls.claimFor(token, jobId)
  const { turnId, attemptToken } = turn
  for (const { name, status, code, ...request } of badReports(reply(scene, 'Done.'))) {
    await scene.refused(name, turnId, { ...request, token: attemptToken }, status, code)
  }
  const callers: [name: string, token: string | undefined, Refusal][] = [
    ['nobody', undefined, unknown],
    ['an API key', generateKey('colophon_'), unknown],
    ['its own runner', token, unknown],
    ['a mistyped token', `${attemptToken.slice(0, -1)}${attemptToken.endsWith('a') ? 'b' : 'a'}`, unknown],
    ['a made-up token', generateKey('colophon_attempt_'), notYours],
  ]
  for (const [name, bearer, refusal] of callers) {
    const request = { ...resultOf(scene, '', name), token: bearer }
    await scene.refused(`a result by ${name}`, turnId, request, ...refusal)
    await scene.refused(`events by ${name}`, turnId, { ...aliveSign(''), token: bearer }, ...refusal)
  }
  await endsWith(scene, turn, jobId, 'after many bad ones')
  await scene.refused(
    'the same result again',
    turnId,
    resultOf(scene, attemptToken, 'after many bad ones'),
    ...notYours,
  )
  await scene.refused(
    'another result afterwards',
    turnId,
    resultOf(scene, attemptToken, 'second thoughts'),
    ...notYours,
  )
  const failure: RunnerRequest = { path: 'result', token: attemptToken, body: { kind: 'agent_failed', message: 'x' } }
  await scene.refused('a failure afterwards', turnId, failure, ...notYours)
  run.check((await ended(scene, jobId)).reply === 'after many bad ones', 'the first result stays')
}

async function oldAttempt(scene: Scene): Promise<void> {
  const { calls, token } = scene
  const jobId = await create(scene, 'an old attempt')
  const { turnId, attemptToken } = await calls.claimFor(token, jobId, 'silent')
  await untilOfferedAgain(scene, turnId, 2)
  const newer = await calls.claimFor(token, jobId)
  await scene.refused("an old attempt's result", turnId, resultOf(scene, attemptToken, 'old'), ...notYours)
  await scene.refused("an old attempt's sign of life", turnId, aliveSign(attemptToken), ...notYours)
  const back: RunnerRequest = { path: 'result', token: attemptToken, body: { kind: 'handed_back' } }
  await scene.refused('an old attempt hands back', turnId, back, ...notYours)
  await endsWith(scene, newer, jobId, 'by the newer attempt')
}

async function anotherTurn(scene: Scene): Promise<void> {
  const { run, calls, token, project } = scene
  const firstJob = await create(scene, 'the first')
  const secondJob = await create(scene, 'the second')
  const first = await calls.claimFor(token, firstJob)
  const second = await calls.claimFor(token, secondJob)
  const before = await calls.stored(second.turnId)
  await endsWith(scene, first, firstJob, 'of the first')
  run.check((await calls.stored(second.turnId)) === before, "a turn's token does nothing to another turn")
  await scene.refused("another turn's token", second.turnId, resultOf(scene, first.attemptToken, 'stolen'), ...notYours)
  await project.client.jobs.message(project.projectId, firstJob, { prompt: 'go on' })
  const next = await calls.claimFor(token, firstJob)
  await scene.refused("the last turn's token", next.turnId, resultOf(scene, first.attemptToken, 'again'), ...notYours)
  await calls.send({
    path: 'result',
    token: next.attemptToken,
    body: encodeReport({ ...reply(scene, 'no more'), bundle: null }),
  })
  run.check((await ended(scene, firstJob)).reply === 'no more', 'the follow-up ends as its own runner says')
  await endsWith(scene, second, secondJob, 'of the second')
}

async function afterCancel(scene: Scene): Promise<void> {
  const { run, calls, token, project } = scene
  const jobId = await create(scene, 'to be cancelled')
  const { turnId, attemptToken } = await calls.claimFor(token, jobId, 'silent')
  await project.client.jobs.cancel(project.projectId, jobId)
  const job = await ended(scene, jobId)
  run.check(job.status === 'failed' && job.outcome === 'cancelled', `a cancelled job ends so (${job.outcome})`)
  await scene.refused('a result after cancel', turnId, resultOf(scene, attemptToken, 'too late'), ...notYours)
  await scene.refused('a sign of life after cancel', turnId, aliveSign(attemptToken), ...notYours)
}

async function resultsAtOnce(scene: Scene): Promise<void> {
  const { run, calls, token } = scene
  const jobId = await create(scene, 'ten results')
  const { attemptToken } = await calls.claimFor(token, jobId)
  const responses = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => ({
      words: `result ${index}`,
      status: (await calls.send(resultOf(scene, attemptToken, `result ${index}`))).status,
    })),
  )
  const [taken, ...more] = responses.filter(({ status }) => status === 204)
  run.check(more.length === 0 && taken !== undefined, `of ten results at once, one is taken (${1 + more.length})`)
  run.check(
    responses.every(({ status }) => status === 204 || status === 404),
    `and the others are refused (${responses.map(({ status }) => status)})`,
  )
  run.check((await ended(scene, jobId)).reply === taken?.words, 'the one that was taken counts')
}

/** A runner cannot cancel a job by saying that it was told to stop. */
async function unaskedStop(scene: Scene): Promise<void> {
  const { run, calls, token } = scene
  const jobId = await create(scene, 'an unasked stop')
  const turn = await calls.claimFor(token, jobId)
  const { status } = await calls.send({ path: 'result', token: turn.attemptToken, body: { kind: 'stopped' } })
  const again = await calls.claimFor(token, jobId)
  run.check(status === 204 && again.turnId === turn.turnId, 'a turn that stopped unasked is offered again')
  await endsWith(scene, again, jobId, 'after an unasked stop')
}

const maxEventBytes = 20 * 1024 * 1024

/** Over several attempts: a turn's events are a turn's, however often a runner hands it back. */
async function endlessEvents(scene: Scene): Promise<void> {
  const { run, calls, token } = scene
  const jobId = await create(scene, 'endless events')
  const event = { type: 'text', at: '2026-01-01T00:00:00Z', text: 'x'.repeat(60_000) }
  let turn = await calls.claimFor(token, jobId)
  for (let attempt = 1; attempt <= 2; attempt++) {
    for (let upload = 0; upload < 4; upload++) {
      const body = { firstIndex: upload * 100, events: Array(100).fill(event) }
      await calls.send({ path: 'events', token: turn.attemptToken, body })
    }
    await calls.send({ path: 'result', token: turn.attemptToken, body: { kind: 'handed_back' } })
    turn = await calls.claimFor(token, jobId)
  }
  const [row] = await calls.query<{ bytes: string }>(
    'SELECT coalesce(sum(octet_length(events::text)), 0) AS bytes FROM job_event WHERE job_id = $1',
    [jobId],
  )
  const bytes = Number(row?.bytes)
  run.check(bytes > 0 && bytes <= maxEventBytes, `48 MB of events: at most 20 are kept (${bytes})`)
  await endsWith(scene, turn, jobId, 'after endless events')
}
