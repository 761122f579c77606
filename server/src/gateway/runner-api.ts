/** How runners get their work and report it: claim, events, result. The answer to each says whether to stop. */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure, type Client } from '@temporalio/client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AttemptStore, ClaimedAttempt, LiveAttempt } from '../jobs/attempt-store.ts'
import type { EventStore } from '../jobs/event-store.ts'
import type { RunnerStore } from '../jobs/runner-store.ts'
import type { TurnErrorCode } from '../jobs/turn-errors.ts'
import { generateKey, hashOfKey } from '../keys/key-format.ts'
import type { ModelCallStore } from '../models/call-store.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { parseJson } from '../platform/http/json-body.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'
import {
  type ClaimedTurn,
  ClaimRequest,
  EventUpload,
  type EventUploadResponse,
  joinReport,
  maxBundleBytes,
  maxSessionBytes,
  ReportHead,
  reportMediaType,
  type TurnReport,
} from '../runner-wire/runner-wire.ts'
import { BodyBudget } from './body-budget.ts'
import type { DescribeTurn } from './describe-turn.ts'
import { bearerKey, unknownToken } from './live-attempt.ts'

export interface RunnerApiDeps {
  runners: RunnerStore
  attempts: AttemptStore
  events: EventStore
  calls: ModelCallStore
  temporal: Client
  /** What the turn's project and the operator have to say about it. */
  describeTurn: DescribeTurn
  settings: { deadlineSeconds: number; maxConcurrentPerProject: number; heartbeatSeconds: number }
  log: Log
}

type Stop = NonNullable<EventUploadResponse['stop']>

const lookAgainMs = 500
const maxUploadBytes = 8 * 1024 * 1024
const maxHeadBytes = 8 * 1024 * 1024
const maxReportBytes = maxHeadBytes + maxBundleBytes + maxSessionBytes
const smallBodyBytes = 64 * 1024

export function addRunnerApi(
  server: HttpServer,
  { runners, attempts, events, calls, temporal, describeTurn, settings, log }: RunnerApiDeps,
): void {
  const reportBodies = new BodyBudget(maxReportBytes)
  const uploadBodies = new BodyBudget(4 * maxUploadBytes)

  /** Before the body is read: whoever has no live try fills no memory, and whoever has one not all of it. */
  const takeInto = (bodies: BodyBudget) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (Number(request.headers['content-length']) <= smallBodyBytes) return
    await liveAttempt(request)
    bodies.take(request, reply)
  }

  server.post('/runner/claim', { schema: { body: ClaimRequest } }, async (request, reply) => {
    const runner = await runners.find(hashOfKey(bearerKey(request, 'colophon_runner_')))
    if (!runner) throw unknownToken()
    const until = Date.now() + (request.body as { waitSeconds: number }).waitSeconds * 1000
    for (;;) {
      const token = generateKey('colophon_attempt_')
      const claimed = await attempts.claim(runner, hashOfKey(token), settings)
      const described = claimed && (await describeTurn(claimed))
      if (described) {
        return { ...described, attemptToken: token, heartbeatSeconds: settings.heartbeatSeconds } satisfies ClaimedTurn
      }
      if (claimed) await giveUp(claimed, hashOfKey(token))
      if (Date.now() >= until || reply.raw.destroyed) return reply.code(204).send()
      await sleep(lookAgainMs)
      if (reply.raw.destroyed) return reply // a turn would be claimed for nobody
    }
  })

  const uploads = { schema: { body: EventUpload }, bodyLimit: maxUploadBytes, onRequest: takeInto(uploadBodies) }
  server.post('/runner/events', uploads, async (request): Promise<EventUploadResponse> => {
    const attempt = await liveAttempt(request)
    const upload = request.body as EventUpload
    const kept = upload.events.length === 0 || (await events.append(attempt, upload.firstIndex, upload.events))
    if (!kept) throw notYours()
    const stop = await stopOf(attempt)
    if (stop) return { stop }
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

  /** What came behind the JSON of a report. */
  const attached = new WeakMap<FastifyRequest, Buffer>()
  server.addContentTypeParser(reportMediaType, async (request: FastifyRequest, incoming: IncomingMessage) => {
    const body = await readWhole(incoming, maxReportBytes)
    const end = body.indexOf('\n')
    const head = end === -1 ? body : body.subarray(0, end)
    if (head.length > maxHeadBytes) throw new Problem('too_large', 'The first line of a report is too long.')
    attached.set(request, body.subarray(head.length + 1))
    return parseJson(head)
  })

  const reports = { schema: { body: ReportHead }, bodyLimit: maxReportBytes, onRequest: takeInto(reportBodies) }
  server.post('/runner/result', reports, async (request, reply) => {
    const attempt = await liveAttempt(request)
    const report = joinReport(request.body as ReportHead, attached.get(request) ?? Buffer.alloc(0))
    attached.delete(request)
    if (!report) throw new Problem('invalid_request', 'Bundle and session are not as long as the report says.')
    const tokenHash = hashOfKey(bearerKey(request, 'colophon_attempt_'))
    const stop = await stopOf(attempt)
    if (!(await record(report, tokenHash, stop))) throw notYours()
    // What PostgreSQL holds counts: if this is lost, the turn is offered again and finds its result.
    await tell(attempt.taskToken, report.kind, stop).catch((error: unknown) =>
      log.warn({ turnId: attempt.turnId, error: String(error) }, 'could not tell Temporal how a try ended'),
    )
    return reply.code(204).send()
  })

  /** If Temporal does not hear of it, the turn is offered again, and given up again, until its deadline. */
  async function giveUp({ turnId, taskToken }: ClaimedAttempt, tokenHash: Buffer): Promise<void> {
    await attempts.endWithoutResult(tokenHash, { countsAsFailure: false })
    await temporal.activity
      .fail(taskToken, ApplicationFailure.nonRetryable('model_unavailable', 'model_unavailable'))
      .catch((error: unknown) =>
        log.warn({ turnId, error: String(error) }, 'could not tell Temporal to give up a turn'),
      )
  }

  async function liveAttempt(request: FastifyRequest): Promise<LiveAttempt> {
    const attempt = await attempts.findLive(hashOfKey(bearerKey(request, 'colophon_attempt_')))
    if (!attempt) throw notYours()
    return attempt
  }

  async function stopOf({ turnId, stop }: LiveAttempt): Promise<Stop | null> {
    return stop ?? ((await calls.budgetMetBy(turnId)) ? 'budget' : null)
  }

  /** An engine that broke down because it was to stop, and so was refused its model, is not broken. */
  async function record(report: TurnReport, tokenHash: Buffer, stop: Stop | null): Promise<boolean> {
    if (report.kind !== 'result') {
      const countsAsFailure = report.kind === 'agent_failed' && stop === null
      return attempts.endWithoutResult(tokenHash, { countsAsFailure })
    }
    const { baseCommit, bundle, session, title, summary, reply, checks } = report
    return attempts.storeResult(tokenHash, { baseCommit, bundle, session, title, summary, reply, checks })
  }

  /** Ends the activity that offered the turn: well, for good, or so that it is offered again. */
  async function tell(taskToken: Buffer, kind: TurnReport['kind'], stop: Stop | null): Promise<void> {
    const fail = (failure: ApplicationFailure) => temporal.activity.fail(taskToken, failure)
    const forGood = (code: TurnErrorCode) => fail(ApplicationFailure.nonRetryable(code, code))
    const again = () => fail(ApplicationFailure.retryable(kind, kind))
    if (kind === 'result') return temporal.activity.complete(taskToken, undefined)
    if (kind === 'handed_back') return again()
    switch (stop) {
      case 'cancelled':
        return temporal.activity.reportCancellation(taskToken).catch(() => forGood('cancelled'))
      case 'deadline':
        return forGood('deadline_exceeded')
      case 'budget':
        return forGood('budget_exhausted')
      case 'paused':
      case null:
        return again()
    }
  }
}

/** Into one piece of memory: collecting chunks and then joining them takes twice as much. */
async function readWhole(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const sizeBytes = Number(incoming.headers['content-length'])
  if (Number.isNaN(sizeBytes)) throw new Problem('invalid_request', 'Send the report with its Content-Length.')
  if (sizeBytes > maxBytes) throw new Problem('too_large', `A report has at most ${maxBytes} bytes.`)
  const whole = Buffer.alloc(sizeBytes)
  let filledBytes = 0
  for await (const chunk of incoming) filledBytes += (chunk as Buffer).copy(whole, filledBytes)
  return whole
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')
const notYours = () => new Problem('not_found', 'This try is over, or another runner has the turn: stop working on it.')
