/**
 * The steps from a runner's result to a pull request, in the order in which they run. Every step is idempotent: it reads the
 * current state before it changes anything.
 */
import type { AcceptedResult, BareRepository, ResultRefusal } from '../code-hosts/bare-repository.ts'
import type { CodeHost, CommitId, PullRequest } from '../code-hosts/code-host.ts'
import { CodeHostError } from '../code-hosts/code-host-error.ts'
import { refusalReasons } from '../code-hosts/refusal-reasons.ts'
import { isImage } from '../content-gate/allow-list/docs-files.ts'
import { formatRefusal } from '../content-gate/format-refusal.ts'
import type { AttemptStore } from '../jobs/attempt-store.ts'
import type { PullRequestStore } from '../jobs/pull-request-store.ts'
import type { StoredTurnResult } from '../jobs/turn-results.ts'
import type { TurnStore, TurnToPublish } from '../jobs/turn-store.ts'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Repository } from '../projects/repository-store.ts'
import { adoptPullRequest } from './adopt-pull-request.ts'
import { createFinalFailure } from './create-final-failure.ts'
import { findOwnPullRequest } from './find-own-pull-request.ts'
import {
  type BranchMoved,
  branchMoved,
  type Continue,
  continueWith,
  type Ended,
  endWith,
  notFound,
  type Paused,
  paused,
} from './publish-step-result.ts'
import type { PullRequestTexts } from './pull-request-texts.ts'
import { toChangeRules } from './to-change-rules.ts'

export interface PublishStepDeps {
  turns: TurnStore
  attempts: AttemptStore
  pullRequests: PullRequestStore
  log: Log
}

export type ResultToPublish = StoredTurnResult & { bundle: Buffer }

/** What is published, and where. */
export interface Publication {
  turn: TurnToPublish
  result: ResultToPublish
  repository: Repository
  host: CodeHost
  /** A copy of the repository. The result is opened in it, and only its tree is used. */
  bare: BareRepository
}

/** An accepted result, the branch that it goes to, and the texts of its commit and pull request. */
export interface ProposedChange {
  accepted: AcceptedResult
  branch: string
  texts: PullRequestTexts
}

export interface PutCommit {
  /** The commit that was last recorded as about to be pushed. */
  recorded: CommitId | undefined
  /** The id of our commit on the host. Undefined: other commits made the same changes. */
  published: CommitId | undefined
  /** By an earlier attempt to publish. */
  wasPutBefore: boolean
}

const maxPutAttempts = 3

export async function readResult(
  { attempts }: PublishStepDeps,
  turnId: Id<'trn'>,
): Promise<Continue<ResultToPublish> | Ended> {
  const result = await attempts.readResult(turnId)
  if (!result) throw createFinalFailure('internal_error')
  const { bundle } = result
  return bundle ? continueWith({ ...result, bundle }) : endWith(result, { outcome: 'no_changes' })
}

export async function acceptResult(
  { turns }: PublishStepDeps,
  { turn, result, repository, bare }: Publication,
): Promise<Continue<AcceptedResult> | Ended | BranchMoved> {
  const rules = toChangeRules(repository)
  const acceptance = await bare.accept({
    bundle: result.bundle,
    base: result.baseCommit,
    // If a commit is recorded, an earlier attempt has checked the result; the branch may be merged and deleted since.
    branch: turn.commit ? undefined : (turn.startBranch ?? turn.job.ref),
    merge:
      turn.resolvesConflicts && result.mergedCommit !== null
        ? { commit: result.mergedCommit, branch: turn.job.ref }
        : undefined,
    rules: turn.job.publish === 'diff' ? { ...rules, activeContent: 'refuse' } : rules,
  })
  switch (acceptance.kind) {
    case 'accepted':
      return continueWith(acceptance.result)
    case 'no_changes':
      // The agent may have reverted the diff of earlier turns.
      return endWith(result, { outcome: 'no_changes', ...(turn.job.publish === 'diff' && { diff: null }) })
    case 'base_gone':
      return branchMoved
    case 'refused':
      await turns.recordRefusal(turn.turnId, formatRefusals(acceptance.refusals))
      throw createFinalFailure('result_refused')
  }
}

/** Ends the turn before anything is pushed, if a person has to approve the result and has not. */
export async function holdForApproval(
  { turns }: PublishStepDeps,
  { turn, result, repository, bare }: Publication,
  accepted: AcceptedResult,
): Promise<Continue<undefined> | Ended> {
  const { toApprove, newHosts } = accepted
  // If a commit is recorded, it may be pushed already: approvals were required only after this turn began to publish.
  const isRequiredByProject = repository.rules.requireApproval && turn.commit === null
  if (turn.isApproved || (toApprove.length === 0 && !isRequiredByProject)) return continueWith(undefined)
  const { patch: diff, isComplete, textPaths, binaryPaths } = await bare.diff(accepted)
  const isShown = ({ path }: ResultRefusal) => isComplete && textPaths.includes(path)
  const isDiffComplete = isComplete && binaryPaths.every(isImage)
  if (!toApprove.every(isShown)) {
    await turns.recordRefusal(turn.turnId, formatRefusals([...toApprove, { code: 'not_shown_in_diff', path: '' }]))
    throw createFinalFailure('result_refused')
  }
  const reasons = toApprove.map((refusal) => ({
    code: refusal.code,
    path: refusal.path,
    line: refusal.line ?? null,
    message: describeRefusal(refusal),
  }))
  return endWith(result, { outcome: 'awaiting_approval', held: { diff, isDiffComplete, reasons, newHosts } })
}

/**
 * A follow-up goes to the job's pull request while that is open, afterwards to a new one that starts from the base. Undefined: to
 * a new branch.
 */
export async function chooseBranch(
  deps: PublishStepDeps,
  { turn, host }: Publication,
): Promise<Continue<string | undefined> | BranchMoved> {
  const { projectId, jobId, startBranch } = turn
  if (turn.branch) return continueWith(turn.branch)
  // The code host may have been unreachable when this turn started.
  if ((await adoptPullRequest(deps, host, turn.turnId)) === 'adopted') return branchMoved
  const { pullRequest } = turn.job
  if (!pullRequest) return continueWith(undefined)
  const found = await findOwnPullRequest(host, pullRequest)
  if (found?.state === 'open') return continueWith(pullRequest.branch)
  if (found) await deps.pullRequests.recordState({ projectId, jobId, number: pullRequest.number }, found)
  if (startBranch !== pullRequest.branch) return continueWith(undefined)
  // It was merged or closed while the agent was working on its branch: a new pull request from there would repeat its changes.
  return found ? branchMoved : notFound
}

/** The commit is recorded before it is put on the branch, so that a repetition finds it there if the response is lost. */
export async function putCommit(
  { turns }: PublishStepDeps,
  { turn, host, bare }: Publication,
  { accepted, branch, texts }: ProposedChange,
): Promise<Continue<PutCommit> | BranchMoved | Paused> {
  let recorded = turn.commit ?? undefined
  for (let attempt = 1; ; attempt++) {
    const placement = await bare.prepareCommit(accepted, branch, texts.commit, recorded)
    if (placement.kind === 'published')
      return continueWith({ recorded, published: placement.ownCommit, wasPutBefore: true })
    if (placement.kind === 'branch_moved' || attempt > maxPutAttempts) return branchMoved
    recorded = placement.commit.id
    if (!(await turns.recordCommit(turn.turnId, branch, recorded))) return paused
    const put = await host.putCommit(placement.commit, branch)
    if (put.kind === 'put') return continueWith({ recorded, published: put.commit, wasPutBefore: false })
  }
}

export async function ensurePullRequest(
  { turns, log }: PublishStepDeps,
  { turn, repository: { publishing }, host }: Publication,
  { branch, texts }: ProposedChange,
  { wasPutBefore }: PutCommit,
): Promise<Continue<PullRequest> | Paused> {
  if (!(await turns.mayPublish(turn.turnId))) return paused
  const { pullRequest, skipped } = await host.ensurePullRequest({
    branch,
    baseBranch: turn.job.ref,
    title: texts.title,
    body: texts.body,
    draft: turn.job.draft || (publishing.draft ?? false),
    labels: publishing.labels ?? [],
    reviewers: publishing.reviewers ?? [],
    mayBeInProgress: wasPutBefore,
  })
  if (skipped.labels.length + skipped.reviewers.length > 0)
    log.warn({ jobId: turn.jobId, ...skipped }, 'could not set some labels or reviewers')
  return continueWith(pullRequest)
}

/** A branch that gets no pull request, because of a final error, is deleted, unless people have pushed to it. */
export async function deleteBranchWithoutPullRequest(
  error: unknown,
  { turn, host }: Publication,
  { branch }: ProposedChange,
  { published }: PutCommit,
): Promise<void> {
  const isFinal = error instanceof CodeHostError && error.failure.kind === 'final'
  if (isFinal && published && branch !== turn.job.pullRequest?.branch)
    await host.deleteBranch(branch, published).catch(() => {})
}

/**
 * The job's pull request may have been merged or closed between our read and our push. Nobody would notice a commit that was
 * pushed after the merge.
 */
export async function checkCommitWasNoticed(
  { turn: { job }, bare }: Publication,
  { accepted, texts }: ProposedChange,
  { recorded }: PutCommit,
  { state, number }: PullRequest,
): Promise<Continue<undefined> | BranchMoved> {
  if (state === 'open' || number !== job.pullRequest?.number) return continueWith(undefined)
  if (state === 'closed') return branchMoved
  const onBase = await bare.prepareCommit(accepted, job.ref, texts.commit, recorded)
  return onBase.kind === 'published' ? continueWith(undefined) : branchMoved
}

/** A pull request that an earlier turn opened gets the texts of this turn. */
export async function rewritePullRequestText(
  { turns }: PublishStepDeps,
  { turn, host }: Publication,
  { texts }: ProposedChange,
  { number }: PullRequest,
): Promise<Continue<undefined> | Paused> {
  const previous = turn.job.pullRequest?.number === number ? turn.job.pullRequest.written : null
  if (!previous) return continueWith(undefined)
  if (!(await turns.mayPublish(turn.turnId))) return paused
  await host.updatePullRequestText(number, { previous, updated: { title: texts.title, body: texts.body } })
  return continueWith(undefined)
}

const formatRefusals = (refusals: readonly ResultRefusal[]) => `Refused: ${refusals.map(describeRefusal).join('; ')}.`

const describeRefusal = (refusal: ResultRefusal) => formatRefusal(refusal, refusalReasons[refusal.code])
