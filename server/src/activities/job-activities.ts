/** What the workflow asks for. Thin: each calls the capability that does it, and each may be called again at any time. */
import { ApplicationFailure, CompleteAsyncError, Context } from '@temporalio/activity'
import type { AttemptLimits, AttemptStore } from '../jobs/attempt-store.ts'
import { turnError } from '../jobs/turn-errors.ts'
import type { TurnInHand, TurnOutcome, TurnStore } from '../jobs/turn-store.ts'
import type { Id } from '../platform/ids.ts'
import type { OfferKeeper } from './offer-keeper.ts'

export interface TakenTurn {
  id: string
  heartbeatTimeoutMs: number
  publishTimeoutMs: number
}

export interface JobActivities {
  takeNextTurn(jobId: string): Promise<TakenTurn | null>
  performTurn(turnId: string): Promise<void>
  /** Publishes what the turn made, and records how it ended. */
  publishTurn(turnId: string): Promise<void>
  failTurn(turnId: string, code: string): Promise<void>
}

export interface JobTimers {
  heartbeatTimeoutMs: number
  publishTimeoutMs: number
}

/** Throws `ApplicationFailure` with a turn's error code where trying again would not help. */
export type PublishResult = (turn: TurnInHand) => Promise<TurnOutcome>

export function createJobActivities({
  turns,
  attempts,
  offers,
  publishResult,
  limits,
  timers,
}: {
  turns: TurnStore
  attempts: AttemptStore
  offers: OfferKeeper
  publishResult: PublishResult
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
      const turn = await turns.beginPublishing(turnId as Id<'trn'>).catch((error: unknown) => {
        throw refusal(error) ?? error
      })
      await turns.finish(turn.turnId, await publishResult(turn))
    },

    async failTurn(turnId, code) {
      await turns.fail(turnId as Id<'trn'>, turnError(code))
    },
  }
}

/** A stop that was asked for before the turn began to publish wins. */
function refusal(error: unknown): ApplicationFailure | undefined {
  const { refused } = error as { refused?: string }
  if (refused === 'stop_requested') return ApplicationFailure.nonRetryable('cancelled', 'cancelled')
  if (refused === 'not_that_turn')
    return ApplicationFailure.nonRetryable('the turn has ended already', 'internal_error')
  return undefined
}
