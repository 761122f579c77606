/** The runner API: claim a turn, upload events, report the result. The response to an upload says whether to stop. */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure, type Client } from '@temporalio/client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AgentEventStore } from '../jobs/agent-event-store.ts'
import type { AttemptStore, ClaimedAttempt, LiveAttempt } from '../jobs/attempt-store.ts'
import type { RunnerStore } from '../jobs/runner-store.ts'
import type { TurnFailureCode } from '../jobs/turn-errors.ts'
import { generateKey, hashKey } from '../keys/key-format.ts'
import type { ModelCallStore } from '../models/model-call-store.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { parseJsonBody } from '../platform/http/json-body.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'
import {
  type ClaimedTurn,
  ClaimRequest,
  decodeReport,
  EventUpload,
  type EventUploadResponse,
  maxBundleBytes,
  maxSessionBytes,
  ReportHeader,
  reportMediaType,
  type TurnReport,
} from '../runner-wire/runner-wire.ts'
import { invalidTokenProblem, parseBearerKey } from './authenticate-attempt.ts'
import { BodyMemoryLimit } from './body-memory-limit.ts'
import type { ClaimedTurnBuilder } from './claimed-turn-builder.ts'

export interface RunnerApiDeps {
  runners: RunnerStore
  attempts: AttemptStore
  events: AgentEventStore
  calls: ModelCallStore
  temporal: Client
  /** Adds the settings of the turn's project and model. */
  describeTurn: ClaimedTurnBuilder
  settings: { deadlineSeconds: number; maxConcurrentPerProject: number; heartbeatSeconds: number }
  log: Log
}

type Stop = NonNullable<EventUploadResponse['stop']>

const claimPollMs = 500
const maxUploadBytes = 8 * 1024 * 1024
const maxHeaderBytes = 8 * 1024 * 1024
const maxReportBytes = maxHeaderBytes + maxBundleBytes + maxSessionBytes
const smallBodyBytes = 64 * 1024

export function addRunnerApi(
  server: HttpServer,
  { runners, attempts, events, calls, temporal, describeTurn, settings, log }: RunnerApiDeps,
): void {
  const reportBodies = new BodyMemoryLimit(maxReportBytes)
  const uploadBodies = new BodyMemoryLimit(4 * maxUploadBytes)

  /** Runs before the body is read: a caller without a live attempt takes no memory, and one with an attempt only a part. */
  const reserveMemory = (bodies: BodyMemoryLimit) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (Number(request.headers['content-length']) <= smallBodyBytes) return
    await liveAttempt(request)
    bodies.reserve(request, reply)
  }

  server.post('/runner/claim', { schema: { body: ClaimRequest } }, async (request, reply) => {
    const runner = await runners.findByTokenHash(hashKey(parseBearerKey(request, 'colophon_runner_')))
    if (!runner) throw invalidTokenProblem()
    const until = Date.now() + (request.body as { waitSeconds: number }).waitSeconds * 1000
    for (;;) {
      const token = generateKey('colophon_attempt_')
      const claimed = await attempts.claim(runner, hashKey(token), settings)
      const described = claimed && (await describeTurn(claimed))
      if (described) {
        return { ...described, attemptToken: token, heartbeatSeconds: settings.heartbeatSeconds } satisfies ClaimedTurn
      }
      if (claimed) await failWithoutModel(claimed, hashKey(token))
      if (Date.now() >= until || reply.raw.destroyed) return reply.code(204).send()
      await sleep(claimPollMs)
      if (reply.raw.destroyed) return reply // the runner has disconnected and would not get the turn
    }
  })

  const uploads = { schema: { body: EventUpload }, bodyLimit: maxUploadBytes, onRequest: reserveMemory(uploadBodies) }
  server.post('/runner/events', uploads, async (request): Promise<EventUploadResponse> => {
    const attempt = await liveAttempt(request)
    const upload = request.body as EventUpload
    const isStored = upload.events.length === 0 || (await events.append(attempt, upload.firstIndex, upload.events))
    if (!isStored) throw attemptLost()
    const stop = await readStop(attempt)
    if (stop) return { stop }
    try {
      await temporal.activity.heartbeat(attempt.taskToken)
      return { stop: null }
    } catch (error) {
      if (nameOf(error) === 'ActivityCancelledError') return { stop: 'cancelled' }
      if (nameOf(error) === 'ActivityNotFoundError') throw attemptLost()
      log.warn({ turnId: attempt.turnId, error: String(error) }, 'could not forward heartbeat to Temporal')
      return { stop: null } // a short outage of Temporal must not stop the agent
    }
  })

  /** The bytes after the header of a report. */
  const attachments = new WeakMap<FastifyRequest, Buffer>()
  server.addContentTypeParser(reportMediaType, async (request: FastifyRequest, incoming: IncomingMessage) => {
    const body = await readBody(incoming, maxReportBytes)
    const end = body.indexOf('\n')
    const header = end === -1 ? body : body.subarray(0, end)
    if (header.length > maxHeaderBytes)
      throw new Problem('too_large', `The first line of a report can have at most ${maxHeaderBytes} bytes.`)
    attachments.set(request, body.subarray(header.length + 1))
    return parseJsonBody(header)
  })

  const reports = { schema: { body: ReportHeader }, bodyLimit: maxReportBytes, onRequest: reserveMemory(reportBodies) }
  server.post('/runner/result', reports, async (request, reply) => {
    const attempt = await liveAttempt(request)
    const report = decodeReport(request.body as ReportHeader, attachments.get(request) ?? Buffer.alloc(0))
    attachments.delete(request)
    if (!report)
      throw new Problem('invalid_request', 'The sizes of bundle and session do not match the header of the report.')
    const tokenHash = hashKey(parseBearerKey(request, 'colophon_attempt_'))
    const stop = await readStop(attempt)
    if (!(await record(report, tokenHash, stop))) throw attemptLost()
    // PostgreSQL is the source of truth: if this call is lost, the turn is queued again and finds its result there.
    await endActivity(attempt.taskToken, report.kind, stop).catch((error: unknown) =>
      log.warn({ turnId: attempt.turnId, error: String(error) }, 'could not report the end of an attempt to Temporal'),
    )
    return reply.code(204).send()
  })

  /** If this does not reach Temporal, the turn is queued again and fails here again, until its deadline. */
  async function failWithoutModel({ turnId, taskToken }: ClaimedAttempt, tokenHash: Buffer): Promise<void> {
    await attempts.endWithoutResult(tokenHash, { countsAsFailure: false })
    await temporal.activity
      .fail(taskToken, ApplicationFailure.nonRetryable('model_unavailable', 'model_unavailable'))
      .catch((error: unknown) =>
        log.warn({ turnId, error: String(error) }, 'could not report a failed turn to Temporal'),
      )
  }

  async function liveAttempt(request: FastifyRequest): Promise<LiveAttempt> {
    const attempt = await attempts.findLive(hashKey(parseBearerKey(request, 'colophon_attempt_')))
    if (!attempt) throw attemptLost()
    return attempt
  }

  async function readStop({ turnId, stop }: LiveAttempt): Promise<Stop | null> {
    return stop ?? ((await calls.exceededBudget(turnId)) ? 'budget' : null)
  }

  /** An agent that failed because its turn is to stop, and the gateway denied its model calls, does not count as a failure. */
  async function record(report: TurnReport, tokenHash: Buffer, stop: Stop | null): Promise<boolean> {
    if (report.kind !== 'result') {
      const countsAsFailure = report.kind === 'agent_failed' && stop === null
      return attempts.endWithoutResult(tokenHash, { countsAsFailure })
    }
    const { baseCommit, bundle, session, title, summary, reply, checks } = report
    return attempts.storeResult(tokenHash, { baseCommit, bundle, session, title, summary, reply, checks })
  }

  /** Completes the activity that queued the turn, fails it for good, or fails it so that the turn is queued again. */
  async function endActivity(taskToken: Buffer, kind: TurnReport['kind'], stop: Stop | null): Promise<void> {
    const fail = (failure: ApplicationFailure) => temporal.activity.fail(taskToken, failure)
    const failForGood = (code: TurnFailureCode) => fail(ApplicationFailure.nonRetryable(code, code))
    const queueAgain = () => fail(ApplicationFailure.retryable(kind, kind))
    if (kind === 'result') return temporal.activity.complete(taskToken, undefined)
    if (kind === 'released') return queueAgain()
    switch (stop) {
      case 'cancelled':
        return temporal.activity.reportCancellation(taskToken).catch(() => failForGood('cancelled'))
      case 'deadline':
        return failForGood('deadline_exceeded')
      case 'budget':
        return failForGood('budget_exhausted')
      case 'paused':
      case null:
        return queueAgain()
    }
  }
}

/** Reads into one buffer: collecting chunks and then concatenating them takes twice the memory. */
async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const sizeBytes = Number(incoming.headers['content-length'])
  if (Number.isNaN(sizeBytes)) throw new Problem('invalid_request', 'A report must have a Content-Length.')
  if (sizeBytes > maxBytes) throw new Problem('too_large', `A report can have at most ${maxBytes} bytes.`)
  const body = Buffer.alloc(sizeBytes)
  let filledBytes = 0
  for await (const chunk of incoming) filledBytes += (chunk as Buffer).copy(body, filledBytes)
  return body
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')
const attemptLost = () =>
  new Problem('not_found', 'This attempt has ended, or another runner has the turn. Stop working on it.')
