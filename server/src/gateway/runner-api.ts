/** How runners get their work and report it: claim, events, result. The answer to each says whether to stop. */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure, type Client } from '@temporalio/client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AttemptStore, LiveAttempt } from '../jobs/attempt-store.ts'
import type { EventStore } from '../jobs/event-store.ts'
import type { RunnerStore } from '../jobs/runner-store.ts'
import { generateKey, hashOfKey, type KeyPrefix, parseKey } from '../keys/key-format.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { parseJson } from '../platform/http/json-body.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'
import {
  type ClaimedTurn,
  ClaimRequest,
  type EventAnswer,
  EventUpload,
  joinReport,
  mostBundleBytes,
  mostSessionBytes,
  ReportHead,
  reportMediaType,
  type TurnReport,
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
const mostHeadBytes = 8 * 1024 * 1024
const mostReportBytes = mostHeadBytes + mostBundleBytes + mostSessionBytes
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

  /** What came behind the JSON of a report. */
  const attached = new WeakMap<FastifyRequest, Buffer>()
  server.addContentTypeParser(reportMediaType, async (request: FastifyRequest, incoming: IncomingMessage) => {
    const body = await readWhole(incoming, mostReportBytes)
    const end = body.indexOf('\n')
    const head = end === -1 ? body : body.subarray(0, end)
    if (head.length > mostHeadBytes) throw new Problem('too_large', 'The first line of a report is too long.')
    attached.set(request, body.subarray(head.length + 1))
    return parseJson(head)
  })

  const reports = { schema: { body: ReportHead }, bodyLimit: mostReportBytes, onRequest }
  server.post('/runner/result', reports, async (request, reply) => {
    const attempt = await liveAttempt(request)
    const report = joinReport(request.body as ReportHead, attached.get(request) ?? Buffer.alloc(0))
    attached.delete(request)
    if (!report) throw new Problem('invalid_request', 'Bundle and session are not as long as the report says.')
    const tokenHash = hashOfKey(bearerKey(request, 'colophon_attempt_'))
    if (!(await record(report, tokenHash))) throw notYours()
    // What PostgreSQL holds counts: if this is lost, the turn is offered again and finds its result.
    await tell(attempt, report.kind).catch((error: unknown) =>
      log.warn({ turnId: attempt.turnId, error: String(error) }, 'could not tell Temporal how a try ended'),
    )
    return reply.code(204).send()
  })

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
    return attempts.storeResult(tokenHash, { baseCommit, bundle, session, title, summary, reply, checks, ...usage })
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

/** Into one piece of memory: collecting chunks and then joining them takes twice as much. */
async function readWhole(incoming: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const sizeBytes = Number(incoming.headers['content-length'])
  if (Number.isNaN(sizeBytes)) throw new Problem('invalid_request', 'Send the report with its Content-Length.')
  if (sizeBytes > mostBytes) throw new Problem('too_large', `A report has at most ${mostBytes} bytes.`)
  const whole = Buffer.alloc(sizeBytes)
  let filledBytes = 0
  for await (const chunk of incoming) filledBytes += (chunk as Buffer).copy(whole, filledBytes)
  return whole
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')
const unauthenticated = () =>
  new Problem('unauthenticated', 'This token is not known here.', { headers: { 'www-authenticate': 'Bearer' } })
const notYours = () => new Problem('not_found', 'This try is over, or another runner has the turn: stop working on it.')
