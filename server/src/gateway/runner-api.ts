/** The runner API: claim a turn, upload events, report the result. The response to an upload says whether to stop. */
import { ApplicationFailure, type Client } from '@temporalio/client'
import type { AgentEventStore } from '../jobs/agent-event-store.ts'
import type { ClaimedAttempt, LiveAttempt } from '../jobs/attempt-store.ts'
import type { QueuedAttemptWatcher } from '../jobs/queued-attempt-watcher.ts'
import type { TurnFailureCode } from '../jobs/turn-errors.ts'
import { generateKey, hashKey } from '../keys/key-format.ts'
import type { ModelCallStore } from '../models/model-call-store.ts'
import { Problem } from '../platform/http/problem.ts'
import { createResponse, NoContent } from '../platform/http/route.ts'
import type { Log } from '../platform/log.ts'
import {
  ClaimedTurn,
  ClaimRequest,
  decodeReport,
  EventUpload,
  EventUploadResponse,
  ReportHeader,
  RunnerDescription,
  type TurnReport,
} from '../runner-wire/runner-wire.ts'
import type { GatewayRouteDeps } from './add-gateway-routes.ts'
import { attemptLostProblem } from './authenticate-attempt.ts'
import { BodyMemoryLimit } from './body-memory-limit.ts'
import type { ClaimedTurnBuilder } from './claimed-turn-builder.ts'
import { defineGatewayRoute, type GatewayRoute } from './gateway-route.ts'
import { maxReportBytes } from './report-body.ts'

export interface RunnerApiDeps extends GatewayRouteDeps {
  queueWatcher: QueuedAttemptWatcher
  events: AgentEventStore
  calls: ModelCallStore
  temporal: Client
  /** Adds the settings of the turn's project and model. */
  describeTurn: ClaimedTurnBuilder
  settings: {
    deadlineSeconds: number
    maxConcurrentPerProject: number
    heartbeatSeconds: number
    /** How often a heartbeat is recorded. Each one is a write. */
    recordHeartbeatSeconds: number
  }
  log: Log
}

type Stop = NonNullable<EventUploadResponse['stop']>

const maxUploadBytes = 8 * 1024 * 1024

export function runnerApiRoutes({
  attempts,
  queueWatcher,
  events,
  calls,
  temporal,
  describeTurn,
  settings,
  log,
}: RunnerApiDeps): GatewayRoute[] {
  return [
    defineGatewayRoute({
      method: 'GET',
      url: '/runner/self',
      access: 'runner',
      schemas: { responses: { 200: RunnerDescription } },
      handle: async ({ runner }) => createResponse(200, { isShared: runner.projectIds === null }),
    }),
    defineGatewayRoute({
      method: 'POST',
      url: '/runner/claim',
      access: 'runner',
      untraced: true,
      schemas: { body: ClaimRequest, responses: { 200: ClaimedTurn, 204: NoContent } },
      async handle({ runner, body, isDisconnected }) {
        const until = performance.now() + body.waitSeconds * 1000
        // With the runner's own ID, because a hostile runner could name the process of another one.
        const processId = `${runner.id} ${body.processId ?? ''}`
        const claimingRunner = { ...runner, processId, canMerge: body.processId !== undefined }
        await attempts.recordRunnerAlive(claimingRunner.processId)
        // A runner that has disconnected would not get the turn.
        while (!isDisconnected()) {
          const token = generateKey('colophon_attempt_')
          const claimed = await attempts.claim(claimingRunner, hashKey(token), settings)
          const described = claimed && (await describeTurn(claimed))
          if (described)
            return createResponse(200, {
              ...described,
              attemptToken: token,
              heartbeatSeconds: settings.heartbeatSeconds,
            })
          if (claimed) await failWithoutModel(claimed, hashKey(token))
          if (performance.now() >= until) break
          await queueWatcher.wait({ projectIds: runner.projectIds, isDisconnected }, until - performance.now())
        }
        return createResponse(204, undefined)
      },
    }),
    defineGatewayRoute({
      method: 'POST',
      url: '/runner/events',
      access: 'attempt',
      untraced: true,
      schemas: { body: EventUpload, responses: { 200: EventUploadResponse } },
      largeBody: { maxBytes: maxUploadBytes, memory: new BodyMemoryLimit(4 * maxUploadBytes) },
      async handle({ attempt, body: upload }) {
        const isStored = upload.events.length === 0 || (await events.append(attempt, upload.firstIndex, upload.events))
        if (!isStored) throw attemptLostProblem()
        await attempts.recordHeartbeat(attempt, settings.recordHeartbeatSeconds)
        const stop = await readStop(attempt)
        return createResponse(200, {
          stop: stop ?? (attempt.isWatchedByTemporal ? await forwardHeartbeat(attempt) : null),
        })
      },
    }),
    defineGatewayRoute({
      method: 'POST',
      url: '/runner/result',
      access: 'attempt',
      schemas: { body: ReportHeader, responses: { 204: NoContent } },
      largeBody: { maxBytes: maxReportBytes, memory: new BodyMemoryLimit(maxReportBytes) },
      async handle({ attempt, attemptTokenHash, body: header, attachment }) {
        const report = decodeReport(header, attachment)
        if (!report)
          throw new Problem('invalid_request', 'The sizes of bundle and session do not match the header of the report.')
        const stop = await readStop(attempt)
        if (!(await record(report, attemptTokenHash, stop))) throw attemptLostProblem()
        // PostgreSQL is the source of truth: if this call is lost, the turn is queued again and finds its result there.
        await endActivity(attempt.taskToken, report.kind, stop).catch((error: unknown) =>
          log.warn(
            { turnId: attempt.turnId, error: String(error) },
            'could not report the end of an attempt to Temporal',
          ),
        )
        return createResponse(204, undefined)
      },
    }),
  ]

  /** If this does not reach Temporal, the turn is queued again and fails here again, until its deadline. */
  async function failWithoutModel({ turnId, taskToken }: ClaimedAttempt, tokenHash: Buffer): Promise<void> {
    await attempts.endWithoutResult(tokenHash, { countsAsFailure: false })
    await temporal.activity
      .fail(taskToken, ApplicationFailure.nonRetryable('model_unavailable', 'model_unavailable'))
      .catch((error: unknown) =>
        log.warn({ turnId, error: String(error) }, 'could not report a failed turn to Temporal'),
      )
  }

  async function forwardHeartbeat({ turnId, taskToken }: LiveAttempt): Promise<Stop | null> {
    try {
      await temporal.activity.heartbeat(taskToken)
    } catch (error) {
      const kind = error instanceof Error ? error.name : ''
      if (kind === 'ActivityCancelledError') return 'cancelled'
      if (kind === 'ActivityNotFoundError') throw attemptLostProblem()
      // An outage of Temporal must not stop the agent.
      log.warn({ turnId, error: String(error) }, 'could not forward a heartbeat to Temporal')
    }
    return null
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
    const { baseCommit, mergedCommit = null, bundle, session, title, summary, reply, checks } = report
    return attempts.storeResult(tokenHash, { baseCommit, mergedCommit, bundle, session, title, summary, reply, checks })
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
