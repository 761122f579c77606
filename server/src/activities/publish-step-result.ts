/** What the steps of publishing return: a value for the next step, or how publishing ends. */
import type { StoredTurnResult } from '../jobs/turn-results.ts'
import type { TurnOutcome } from '../jobs/turn-store.ts'

export type Continue<Value> = { kind: 'continue'; value: Value }

export type Ended = { kind: 'ended'; outcome: TurnOutcome }

/**
 * The result does not fit on the branch as it is now: the turn has to be performed on it again. Not certain: something was not
 * found, which may not be true right after a restart of the code host.
 */
export type BranchMoved = { kind: 'branch_moved'; isCertain: boolean }

/** The project is paused, so nothing more is written to the code host. When it is resumed, all steps are repeated. */
export type Paused = { kind: 'paused' }

export type PublishEnd = Ended | BranchMoved | Paused

export const continueWith = <Value>(value: Value): Continue<Value> => ({ kind: 'continue', value })

export const endWith = (
  { title, reply, checks }: StoredTurnResult,
  published: Pick<TurnOutcome, 'outcome' | 'diff' | 'newHosts' | 'held'> & { pullRequest?: TurnOutcome['pullRequest'] },
): Ended => ({ kind: 'ended', outcome: { title, reply, checks, pullRequest: null, ...published } })

export const branchMoved: BranchMoved = { kind: 'branch_moved', isCertain: true }

export const notFound: BranchMoved = { kind: 'branch_moved', isCertain: false }

export const paused: Paused = { kind: 'paused' }
