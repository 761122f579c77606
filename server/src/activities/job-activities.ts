/** What the workflow asks for. Thin: each calls the capability that does it, and each may be called again at any time. */
import { ApplicationFailure, CompleteAsyncError, Context } from '@temporalio/activity'
import type { AttemptLimits, AttemptStore } from '../jobs/attempt-store.ts'
import type { OpenedPullRequest } from '../jobs/pull-request-store.ts'
import { TurnRefused } from '../jobs/transition.ts'
import { turnError } from '../jobs/turn-errors.ts'
import type { TurnInHand, TurnOutcome, TurnStore } from '../jobs/turn-store.ts'
import type { Id } from '../platform/ids.ts'
import { whileHoldingTurn } from './hold-publishing.ts'
import type { OfferKeeper } from './offer-keeper.ts'

export interface TakenTurn {
  id: string
  heartbeatTimeoutMs: number
  publishTimeoutMs: number
}

export interface JobActivities {
  takeNextTurn(jobId: string): Promise<TakenTurn | null>
  performTurn(turnId: string): Promise<void>
  /** Publishes what the turn made, and records how it ended; or has it performed once more, on the branch as it is now. */
  publishTurn(turnId: string): Promise<'ended' | 'perform_again'>
  failTurn(turnId: string, code: string): Promise<void>
}

export interface JobTimers {
  heartbeatTimeoutMs: number
  publishTimeoutMs: number
}

/** Throws `ApplicationFailure` with a turn's error code where trying again would not help. */
export type PublishResult = (turn: TurnInHand, signal: AbortSignal) => Promise<TurnOutcome | 'branch_moved'>

/** Has the code host say what became of the job's pull request: where the work begins depends on it. */
export type LookAtPullRequest = (pullRequest: OpenedPullRequest) => Promise<void>

export function createJobActivities({
  turns,
  attempts,
  offers,
  publishResult,
  lookAtPullRequest,
  limits,
  timers,
}: {
  turns: TurnStore
  attempts: AttemptStore
  offers: OfferKeeper
  publishResult: PublishResult
  lookAtPullRequest: LookAtPullRequest
  limits: AttemptLimits
  timers: JobTimers
}): JobActivities {
  return {
    async takeNextTurn(jobId) {
      const turn = await turns.takeNext(jobId as Id<'job'>)
      return turn ? { id: turn.turnId, ...timers } : null
    },

    async performTurn(turnId) {
      const { taskToken } = Context.current().info
      const pullRequest = await turns.readOpenPullRequest(turnId as Id<'trn'>)
      if (pullRequest) await lookAtPullRequest(pullRequest)
      const offer = await attempts.offer(turnId as Id<'trn'>, taskToken, limits)
      switch (offer.kind) {
        case 'has_result':
          return
        case 'over':
          throw ApplicationFailure.nonRetryable(offer.code, offer.code)
        case 'offered':
          offers.keep(taskToken)
          throw new CompleteAsyncError() // the runner's report completes it, through the gateway
      }
    },

    async publishTurn(turnId) {
      const turn = await turns.beginPublishing(turnId as Id<'trn'>).catch(asFailure)
      if (!turn) return 'perform_again'
      const held = { turns, turnId: turn.turnId, timeoutMs: timers.heartbeatTimeoutMs }
      return await whileHoldingTurn(held, async (signal) => {
        const outcome = await publishResult(turn, signal)
        if (outcome !== 'branch_moved') {
          await turns.finish(turn.turnId, outcome)
          return 'ended'
        }
        if (await turns.performAgain(turn.turnId).catch(asFailure)) return 'perform_again'
        throw ApplicationFailure.nonRetryable('branch_moved', 'branch_moved')
      })
    },

    async failTurn(turnId, code) {
      await turns.fail(turnId as Id<'trn'>, turnError(code))
    },
  }
}

/** A stop that was asked for before the turn began to publish wins. */
function asFailure(error: unknown): never {
  if (!(error instanceof TurnRefused)) throw error
  switch (error.refused) {
    case 'stop_requested':
      throw ApplicationFailure.nonRetryable('cancelled', 'cancelled')
    case 'not_that_turn':
      throw ApplicationFailure.nonRetryable('the turn has ended already', 'internal_error')
  }
}
