/** Activities of the job workflow. They only delegate, and each can be repeated at any time. */
import { ApplicationFailure, CompleteAsyncError, Context } from '@temporalio/activity'
import type { AttemptStore, TurnLimits } from '../jobs/attempt-store.ts'
import { TurnTransitionRejectedError } from '../jobs/job-transition.ts'
import type { QueuedAttemptWatcher } from '../jobs/queued-attempt-watcher.ts'
import { createTurnFailure } from '../jobs/turn-errors.ts'
import type { CurrentTurn, TurnStore } from '../jobs/turn-store.ts'
import type { Id } from '../platform/ids.ts'
import { currentTraceparent } from '../platform/tracing/spans.ts'
import { createFinalFailure } from './create-final-failure.ts'
import { withPublishLease } from './publish-lease.ts'
import type { PublishEnd } from './publish-step-result.ts'

export interface TakenTurn {
  id: string
  heartbeatTimeoutMs: number
  /** Absent if Temporal decides when the runner is lost, because an older version may run or has taken the turn. */
  performHeartbeatTimeoutMs?: number
  publishTimeoutMs: number
}

export interface JobActivities {
  takeNextTurn(jobId: string): Promise<TakenTurn | null>
  performTurn(turnId: string): Promise<void>
  /**
   * Publishes the result and records the outcome. `restart`: the branch moved, and the turn has to be performed on it again.
   * `paused`: the project is paused; call it again when it is resumed or a stop is requested.
   */
  publishTurn(turnId: string): Promise<'ended' | 'restart' | 'paused'>
  failTurn(turnId: string, code: string): Promise<void>
}

export interface JobTimeouts {
  heartbeatTimeoutMs: number
  publishTimeoutMs: number
}

/**
 * PostgreSQL decides when a runner is lost, after the heartbeat timeout. Temporal waits this many times as long, because each heartbeat
 * is a write there. It matters only if a worker dies before it has queued the attempt, or if no worker runs.
 */
const performTimeoutFactor = 10

/** How long a turn waits for the state of its pull request before it starts. */
const maxPollMs = 10_000

/** Throws an `ApplicationFailure` with the error code of the turn; it is non-retryable if a retry would not help. */
export type ResultPublisher = (turn: CurrentTurn, signal: AbortSignal) => Promise<PublishEnd>

/** Updates the recorded state of the job's pull request, which decides where the turn starts. */
export type PollBeforeTurn = (turnId: Id<'trn'>, signal: AbortSignal) => Promise<void>

export function createJobActivities({
  turns,
  attempts,
  queueWatcher,
  publishResult,
  pollBeforeTurn,
  isWatchedByTemporal,
  limits,
  timeouts,
}: {
  turns: TurnStore
  attempts: AttemptStore
  queueWatcher: QueuedAttemptWatcher
  publishResult: ResultPublisher
  pollBeforeTurn: PollBeforeTurn
  /** Whether processes of 0.1.0 may run, which send the heartbeats of runners only to Temporal. */
  isWatchedByTemporal: () => Promise<boolean>
  limits: TurnLimits
  timeouts: JobTimeouts
}): JobActivities {
  return {
    async takeNextTurn(jobId) {
      const turn = await turns.takeNext(jobId as Id<'job'>)
      if (!turn) return null
      if (await isWatchedByTemporal()) return { id: turn.turnId, ...timeouts }
      const performHeartbeatTimeoutMs = timeouts.heartbeatTimeoutMs * performTimeoutFactor
      return { id: turn.turnId, ...timeouts, performHeartbeatTimeoutMs }
    },

    async performTurn(turnId) {
      const { taskToken, scheduledTimestampMs, attempt, heartbeatTimeoutMs } = Context.current().info
      const scheduledAt = new Date(scheduledTimestampMs)
      const activity = {
        taskToken,
        scheduledAt,
        attempt,
        heartbeatTimeoutMs: heartbeatTimeoutMs ?? timeouts.heartbeatTimeoutMs,
        traceparent: currentTraceparent(),
      }
      await pollBeforeTurn(turnId as Id<'trn'>, AbortSignal.timeout(maxPollMs))
      const queued = await attempts.enqueue(turnId as Id<'trn'>, activity, limits)
      switch (queued.kind) {
        case 'has_result':
          return
        case 'ended':
          throw ApplicationFailure.nonRetryable('the turn has ended', 'internal_error')
        case 'unconfirmed_loss':
          throw ApplicationFailure.create({
            message: 'runner_lost',
            type: 'runner_lost',
            nextRetryDelay: queued.retrySeconds * 1000,
          })
        case 'superseded':
          // Temporal ignores it, because it has given this activity up. If Temporal's clock went back, a retry succeeds later.
          throw ApplicationFailure.retryable('a later attempt is queued', 'internal_error')
        case 'failed':
          throw createFinalFailure(queued.code)
        case 'queued':
          queueWatcher.notify()
          throw new CompleteAsyncError() // the gateway completes the activity when the runner reports
      }
    },

    async publishTurn(turnId) {
      const begun = await turns.beginPublishing(turnId as Id<'trn'>).catch(throwFailure)
      if (begun.kind === 'no_result') return 'restart'
      if (begun.kind === 'paused') return 'paused'
      const { turn } = begun
      const lease = { turns, turnId: turn.turnId, timeoutMs: timeouts.heartbeatTimeoutMs }
      return await withPublishLease(lease, async (signal) => {
        const end = await publishResult(turn, signal)
        switch (end.kind) {
          case 'ended':
            await turns.finish(turn.turnId, end.outcome)
            return 'ended'
          case 'paused':
            await turns.pausePublishing(turn.turnId).catch(throwFailure)
            return 'paused'
          case 'branch_moved':
            if (await turns.restart(turn.turnId).catch(throwFailure)) return 'restart'
            throw createFinalFailure('branch_moved')
        }
      })
    },

    async failTurn(turnId, code) {
      await turns.fail(turnId as Id<'trn'>, createTurnFailure(code))
    },
  }
}

/** A stop that was requested before the turn started to publish takes precedence. */
function throwFailure(error: unknown): never {
  if (!(error instanceof TurnTransitionRejectedError)) throw error
  switch (error.reason) {
    case 'stop_requested':
      throw createFinalFailure('cancelled')
    case 'not_current_turn':
      throw ApplicationFailure.nonRetryable('the turn is not the current one', 'internal_error')
  }
}
