/** How runners get their work and report it: claim, sign of life, result. The answer to each says whether to stop. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure, type Client } from '@temporalio/client'
import type { FastifyRequest } from 'fastify'
import type { AttemptStore, LiveAttempt } from '../jobs/attempt-store.ts'
import type { RunnerStore } from '../jobs/runner-store.ts'
import { generateKey, hashOfKey, type KeyPrefix, parseKey } from '../keys/key-format.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'
import {
  type ClaimedTurn,
  ClaimRequest,
  type HeartbeatAnswer,
  mostBundleBytes,
  mostSessionBytes,
  TurnReport,
} from '../runner-wire/runner-wire.ts'

export interface RunnerApiParts {
  runners: RunnerStore
  attempts: AttemptStore
  temporal: Client
  settings: { deadlineSeconds: number; mostRunningPerProject: number; heartbeatSeconds: number }
  log: Log
}

const lookAgainMs = 500
const mostReportBytes = Math.ceil((mostBundleBytes + mostSessionBytes) * 1.4)

export function addRunnerApi(server: HttpServer, { runners, attempts, temporal, settings, log }: RunnerApiParts): void {
  server.post('/runner/claim', { schema: { body: ClaimRequest } }, async (request, reply) => {
    const runner = await runners.find(hashOfKey(bearerKey(request, 'colophon_runner_')))
    if (!runner) throw unauthenticated()
    const token = generateKey('colophon_attempt_')
    const until = Date.now() + (request.body as { waitSeconds: number }).waitSeconds * 1000
    for (;;) {
      const claimed = await attempts.claim(runner, hashOfKey(token), settings)
      if (claimed) {
        const { turnId, prompt, model, deadlineAt } = claimed
        const answer: ClaimedTurn = {
          ...{ turnId, prompt, model, attemptToken: token },
          deadlineAt: deadlineAt.toISOString(),
          heartbeatSeconds: settings.heartbeatSeconds,
        }
        return answer
      }
      if (Date.now() >= until || reply.raw.destroyed) return reply.code(204).send()
      await sleep(lookAgainMs)
    }
  })

  server.post('/runner/heartbeat', async (request): Promise<HeartbeatAnswer> => {
    const attempt = await liveAttempt(request)
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
    { schema: { body: TurnReport }, bodyLimit: mostReportBytes },
    async (request, reply) => {
      const attempt = await liveAttempt(request)
      const tokenHash = hashOfKey(bearerKey(request, 'colophon_attempt_'))
      const report = request.body as TurnReport
      const kept = await record(report, tokenHash)
      if (!kept) throw notYours()
      // What PostgreSQL holds counts: if this is lost, the turn is offered again and finds its result.
      await tell(attempt, report).catch((error: unknown) =>
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

  function record(report: TurnReport, tokenHash: Buffer): Promise<boolean> {
    if (report.kind !== 'result') {
      return attempts.endWithoutResult(tokenHash, { countsAsFailure: report.kind === 'engine_failed' })
    }
    const { baseCommit, bundle, session, title, summary, reply, checks, usage } = report
    return attempts.storeResult(tokenHash, {
      ...{ baseCommit, title, summary, reply, checks },
      bundle: bundle === null ? null : Buffer.from(bundle, 'base64'),
      session: session === null ? null : Buffer.from(session, 'base64'),
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
    })
  }

  /** Completes the activity that offered the turn. */
  async function tell({ taskToken, stop }: LiveAttempt, report: TurnReport): Promise<void> {
    switch (report.kind) {
      case 'result':
        return temporal.activity.complete(taskToken, undefined)
      case 'engine_failed':
      case 'handed_back':
        return temporal.activity.fail(taskToken, ApplicationFailure.retryable(report.kind, report.kind))
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

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')
const unauthenticated = () =>
  new Problem('unauthenticated', 'This token is not known here.', { headers: { 'www-authenticate': 'Bearer' } })
const notYours = () => new Problem('not_found', 'This try is over, or another runner has the turn: stop working on it.')
