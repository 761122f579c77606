/** How runners get their work and report it: claim, events, result. The answer to each says whether to stop. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure, type Client } from '@temporalio/client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AttemptStore, LiveAttempt } from '../jobs/attempt-store.ts'
import type { EventStore } from '../jobs/event-store.ts'
import type { RunnerStore } from '../jobs/runner-store.ts'
import { generateKey, hashOfKey, type KeyPrefix, parseKey } from '../keys/key-format.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'
import {
  type ClaimedTurn,
  ClaimRequest,
  type EventAnswer,
  EventUpload,
  mostBundleBytes,
  mostSessionBytes,
  TurnReport,
} from '../runner-wire/runner-wire.ts'
import { BodyBudget } from './body-budget.ts'

export interface RunnerApiParts {
  runners: RunnerStore
  attempts: AttemptStore
  events: EventStore
  temporal: Client
  settings: { deadlineSeconds: number; mostRunningPerProject: number; heartbeatSeconds: number }
  log: Log
}

const lookAgainMs = 500
const mostUploadBytes = 8 * 1024 * 1024
const mostReportBytes = Math.ceil((mostBundleBytes + mostSessionBytes) * 1.4)
const smallBodyBytes = 64 * 1024

export function addRunnerApi(
  server: HttpServer,
  { runners, attempts, events, temporal, settings, log }: RunnerApiParts,
): void {
  const largeBodies = new BodyBudget(mostReportBytes)

  /** Before the body is read: whoever has no live try fills no memory, and whoever has one not all of it. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (Number(request.headers['content-length']) <= smallBodyBytes) return
    await liveAttempt(request)
    largeBodies.take(request, reply)
  }

  server.post('/runner/claim', { schema: { body: ClaimRequest } }, async (request, reply) => {
    const runner = await runners.find(hashOfKey(bearerKey(request, 'colophon_runner_')))
    if (!runner) throw unauthenticated()
    const token = generateKey('colophon_attempt_')
    const until = Date.now() + (request.body as { waitSeconds: number }).waitSeconds * 1000
    for (;;) {
      const claimed = await attempts.claim(runner, hashOfKey(token), settings)
      if (claimed) {
        const { turnId, prompt, model, deadlineAt, startBranch, earlier } = claimed
        const answer: ClaimedTurn = {
          ...{ turnId, prompt, model, startBranch, attemptToken: token },
          earlier: earlier && { ...earlier, bundle: earlier.bundle.toString('base64') },
          deadlineAt: deadlineAt.toISOString(),
          heartbeatSeconds: settings.heartbeatSeconds,
        }
        return answer
      }
      if (Date.now() >= until || reply.raw.destroyed) return reply.code(204).send()
      await sleep(lookAgainMs)
    }
  })

  const uploads = { schema: { body: EventUpload }, bodyLimit: mostUploadBytes, onRequest }
  server.post('/runner/events', uploads, async (request): Promise<EventAnswer> => {
    const attempt = await liveAttempt(request)
    const upload = request.body as EventUpload
    const kept = upload.events.length === 0 || (await events.append(attempt, upload.firstIndex, upload.events))
    if (!kept) throw notYours()
    if (attempt.stop) return { stop: attempt.stop }
    try {
      await temporal.activity.heartbeat(attempt.taskToken)
      return { stop: null }
    } catch (error) {
      if (nameOf(error) === 'ActivityCancelledError') return { stop: 'cancelled' }
      if (nameOf(error) === 'ActivityNotFoundError') throw notYours()
      log.warn({ turnId: attempt.turnId, error: String(error) }, 'could not pass on a sign of life')
      return { stop: null } // Temporal is away for a moment: no reason to stop the agent
    }
  })

  server.post(
    '/runner/result',
    { schema: { body: TurnReport }, bodyLimit: mostReportBytes, onRequest },
    async (request, reply) => {
      const attempt = await liveAttempt(request)
      const tokenHash = hashOfKey(bearerKey(request, 'colophon_attempt_'))
      const { kind } = request.body as TurnReport
      const recording = record(request.body as TurnReport, tokenHash)
      request.body = undefined // up to 60 MB of text, which need not stay while its bytes are stored
      if (!(await recording)) throw notYours()
      // What PostgreSQL holds counts: if this is lost, the turn is offered again and finds its result.
      await tell(attempt, kind).catch((error: unknown) =>
        log.warn({ turnId: attempt.turnId, error: String(error) }, 'could not tell Temporal how a try ended'),
      )
      return reply.code(204).send()
    },
  )

  async function liveAttempt(request: FastifyRequest): Promise<LiveAttempt> {
    const attempt = await attempts.findLive(hashOfKey(bearerKey(request, 'colophon_attempt_')))
    if (!attempt) throw notYours()
    return attempt
  }

  async function record(report: TurnReport, tokenHash: Buffer): Promise<boolean> {
    if (report.kind !== 'result') {
      return attempts.endWithoutResult(tokenHash, { countsAsFailure: report.kind === 'engine_failed' })
    }
    const { baseCommit, bundle, session, title, summary, reply, checks, usage } = report
    return attempts.storeResult(tokenHash, {
      ...{ baseCommit, title, summary, reply, checks },
      bundle: bundle === null ? null : decode(bundle),
      session: session === null ? null : decode(session),
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
    })
  }

  /** Completes the activity that offered the turn. */
  async function tell({ taskToken, stop }: LiveAttempt, kind: TurnReport['kind']): Promise<void> {
    switch (kind) {
      case 'result':
        return temporal.activity.complete(taskToken, undefined)
      case 'engine_failed':
      case 'handed_back':
        return temporal.activity.fail(taskToken, ApplicationFailure.retryable(kind, kind))
      case 'stopped':
        if (stop === 'deadline')
          return temporal.activity.fail(taskToken, ApplicationFailure.nonRetryable('deadline', 'deadline'))
        return temporal.activity
          .reportCancellation(taskToken)
          .catch(() => temporal.activity.fail(taskToken, ApplicationFailure.nonRetryable('cancelled', 'cancelled')))
    }
  }
}

function bearerKey<Prefix extends KeyPrefix>(request: FastifyRequest, prefix: Prefix) {
  const token = request.headers.authorization?.match(/^bearer +(\S+)$/i)?.[1]
  const key = token === undefined ? undefined : parseKey(prefix, token)
  if (key === undefined) throw unauthenticated()
  return key
}

/** Its letters are checked with the rest of the body; Node itself takes any number of them. */
function decode(base64: string): Buffer {
  if (base64.length % 4 !== 0) throw new Problem('invalid_request', 'A bundle or session is not whole Base64.')
  return Buffer.from(base64, 'base64')
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')
const unauthenticated = () =>
  new Problem('unauthenticated', 'This token is not known here.', { headers: { 'www-authenticate': 'Bearer' } })
const notYours = () => new Problem('not_found', 'This try is over, or another runner has the turn: stop working on it.')
