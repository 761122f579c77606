import { ApplicationFailure } from '@temporalio/activity'
import type { TurnFailureCode } from '../jobs/turn-errors.ts'

/** Thrown by an activity, it ends the turn with this code: Temporal does not retry. */
export const createFinalFailure = (code: TurnFailureCode): ApplicationFailure =>
  ApplicationFailure.nonRetryable(code, code)
