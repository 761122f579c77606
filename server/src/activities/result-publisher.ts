/**
 * Turns a runner's result into a pull request. Every step is idempotent: it reads the current state before it changes anything.
 * The result is opened in a bare repository, and only its tree is used.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/activity'
import { type AcceptedResult, BareRepository, type ResultRefusal } from '../code-hosts/bare-repository.ts'
import type { CodeHost, CommitId } from '../code-hosts/code-host.ts'
import { CodeHostError } from '../code-hosts/code-host-error.ts'
import { removeAbandonedRepositories } from '../code-hosts/git/git-repository.ts'
import { refusalReasons } from '../code-hosts/refusal-reasons.ts'
import type { AttemptStore } from '../jobs/attempt-store.ts'
import type { PullRequestStore } from '../jobs/pull-request-store.ts'
import type { StoredTurnResult } from '../jobs/turn-results.ts'
import type { CurrentTurn, TurnOutcome, TurnStore, TurnToPublish } from '../jobs/turn-store.ts'
import type { Egress } from '../platform/egress/egress.ts'
import type { Log } from '../platform/log.ts'
import type { Repository } from '../projects/repository-store.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { findOwnPullRequest } from './find-own-pull-request.ts'
import type { ResultPublisher } from './job-activities.ts'
import type { ProjectRepositoryOpener } from './project-repository-opener.ts'
import { renderPullRequestTexts } from './pull-request-texts.ts'

export interface ResultPublisherDeps {
  turns: TurnStore
  attempts: AttemptStore
  pullRequests: PullRequestStore
  openProject: ProjectRepositoryOpener
  egress: Egress
  /** Limits concurrent publishes. It covers single attempts, so that a result that backs off does not block others. */
  withinLimit: ConcurrencyLimit
  log: Log
}

export function createResultPublisher(deps: ResultPublisherDeps): ResultPublisher {
  void removeAbandonedRepositories().catch(() => {}) // left by a killed worker; they do no harm
  return async (turn, signal) => {
    for (let attempt = 1; ; attempt++) {
      const backoffSeconds = backoffsSeconds[attempt - 1]
      try {
        const isLastAttempt = backoffSeconds === undefined
        return await deps.withinLimit(signal, () => publish(deps, turn, signal, { isLastAttempt }))
      } catch (error) {
        if (!(error instanceof CodeHostError)) throw error
        deps.log.warn({ turnId: turn.turnId, attempt, error: error.message }, 'publishing to the code host failed')
        if (await deps.turns.isPaused(turn.projectId)) return 'paused'
        if (error.failure.kind === 'retry' || backoffSeconds === undefined) throw toFailure(error.failure)
        await sleep(backoffSeconds * 1000, undefined, { signal })
      }
    }
  }
}

/**
 * Waits between attempts after an error that looks final. It counts only if it persists: while its own database is down, a code
 * host may reject our token (Gitea does, tried).
 */
const backoffsSeconds = [1, 5, 20]
const maxPutAttempts = 3

async function publish(
  { turns, attempts, pullRequests, openProject, egress, log }: ResultPublisherDeps,
  turn: CurrentTurn,
  signal: AbortSignal,
  { isLastAttempt }: { isLastAttempt: boolean },
): Promise<TurnOutcome | 'branch_moved' | 'paused'> {
  const result = await attempts.readResult(turn.turnId)
  if (!result) throw final('internal_error')
  if (!result.bundle) return outcome(result, { outcome: 'no_changes' })
  const project = await openProject(turn.projectId)
  if (!project) throw final('project_not_ready')
  const { repository, host } = project
  const toPublish = await turns.readTurnToPublish(turn.turnId)

  await using bare = await BareRepository.open({ remote: await host.gitRemote(), egress, signal })
  const policy = { docsFolder: repository.docsFolder }
  // If a commit is recorded, an earlier attempt has checked the result; the branch may be merged and deleted since.
  const startBranch = toPublish.commit ? undefined : (toPublish.startBranch ?? toPublish.job.ref)
  const acceptance = await bare.accept({ bundle: result.bundle, base: result.baseCommit, branch: startBranch, policy })
  switch (acceptance.kind) {
    case 'no_changes':
      // The agent may have reverted the diff of earlier turns.
      return outcome(result, { outcome: 'no_changes', ...(toPublish.job.publish === 'diff' && { diff: null }) })
    case 'base_gone':
      return 'branch_moved'
    case 'refused':
      await turns.recordRefusal(turn.turnId, formatRefusals(acceptance.refusals))
      throw final('result_refused')
    case 'accepted': {
      if (toPublish.job.publish === 'diff') {
        return outcome(result, { outcome: 'diff', diff: (await bare.diff(acceptance.result)).patch })
      }
      const branch = await chooseBranch(pullRequests, host, turn, toPublish)
      if (branch === 'branch_moved') return branch
      const { patch: diff } = await bare.diff(acceptance.result, await turns.findFirstBase(turn.jobId, branch))
      const context = { turns, turn, toPublish, result, repository, host, bare, branch, isLastAttempt, log }
      const opened = await openPullRequest(context, acceptance.result)
      return opened === 'branch_moved' || opened === 'paused'
        ? opened
        : outcome(result, { outcome: 'pull_request', diff, pullRequest: opened })
    }
  }
}

/** A follow-up goes to the job's pull request while that is open, afterwards to a new one that starts from the base. */
async function chooseBranch(
  pullRequests: PullRequestStore,
  host: CodeHost,
  { projectId, jobId }: CurrentTurn,
  { branch, startBranch, job }: TurnToPublish,
): Promise<string | undefined | 'branch_moved'> {
  if (branch) return branch
  if (!job.pullRequest) return undefined
  const { number } = job.pullRequest
  const found = await findOwnPullRequest(host, job.pullRequest)
  if (found?.state === 'open') return job.pullRequest.branch
  if (found) await pullRequests.recordState({ projectId, jobId, number }, found)
  // It was merged or closed while the agent was working on its branch: a new pull request from there would repeat its changes.
  return startBranch === job.pullRequest.branch ? 'branch_moved' : undefined
}

async function openPullRequest(
  {
    turns,
    turn,
    toPublish,
    result,
    repository,
    host,
    bare,
    branch: existingBranch,
    isLastAttempt,
    log,
  }: {
    turns: TurnStore
    turn: CurrentTurn
    toPublish: TurnToPublish
    result: StoredTurnResult
    repository: Repository
    host: CodeHost
    bare: BareRepository
    branch: string | undefined
    isLastAttempt: boolean
    log: Log
  },
  accepted: AcceptedResult,
): Promise<TurnOutcome['pullRequest'] | 'branch_moved' | 'paused'> {
  const { job } = toPublish
  const texts = renderPullRequestTexts({ jobId: turn.jobId, toPublish, result, repository })
  const branch = existingBranch ?? texts.branch
  const details = { message: texts.commitMessage, identity: texts.identity, date: toPublish.startedAt }
  let recorded = toPublish.commit ?? undefined
  let wasPutBefore = false
  let publishedCommit: CommitId | undefined
  for (let attempt = 1; ; attempt++) {
    const placement = await bare.prepareCommit(accepted, branch, details, recorded)
    if (placement.kind === 'published') {
      wasPutBefore = true
      publishedCommit = placement.ownCommit
      break
    }
    if (placement.kind === 'branch_moved' || attempt > maxPutAttempts) return 'branch_moved'
    recorded = placement.commit.id
    if (!(await turns.recordCommit(turn.turnId, branch, recorded))) return 'paused'
    const put = await host.putCommit(placement.commit, branch)
    if (put.kind === 'put') {
      publishedCommit = put.commit
      break
    }
  }
  if (await turns.isPaused(turn.projectId)) return 'paused'
  const { pullRequest, skipped } = await host
    .ensurePullRequest({
      branch,
      baseBranch: toPublish.job.ref,
      title: texts.title,
      body: texts.body,
      draft: toPublish.job.draft || (repository.publishing.draft ?? false),
      labels: repository.publishing.labels ?? [],
      reviewers: repository.publishing.reviewers ?? [],
      mayBeInProgress: wasPutBefore,
    })
    .catch(async (error: unknown) => {
      // A branch that gets no pull request is deleted, unless people have pushed to it.
      const isFinal = error instanceof CodeHostError && error.failure.kind === 'final'
      if (isFinal && isLastAttempt && publishedCommit && branch !== job.pullRequest?.branch)
        await host.deleteBranch(branch, publishedCommit).catch(() => {})
      throw error
    })
  if (skipped.labels.length + skipped.reviewers.length > 0)
    log.warn({ jobId: turn.jobId, ...skipped }, 'could not set some labels or reviewers')
  if (pullRequest.state !== 'open' && pullRequest.number === job.pullRequest?.number) {
    // It was merged or closed between our read and our push. Nobody would notice a commit that was pushed after the merge.
    const onBase =
      pullRequest.state === 'merged' ? await bare.prepareCommit(accepted, job.ref, details, recorded) : undefined
    if (onBase?.kind !== 'published') return 'branch_moved'
  }
  const written = { title: texts.title, body: texts.body }
  const previous = job.pullRequest?.number === pullRequest.number ? job.pullRequest.written : null
  if (previous) {
    if (await turns.isPaused(turn.projectId)) return 'paused'
    await host.updatePullRequestText(pullRequest.number, { previous, updated: written })
  }
  const { url, number, state } = pullRequest
  return { url, number, state, branch, written }
}

function outcome(
  { title, reply, checks }: StoredTurnResult,
  fields: Pick<TurnOutcome, 'outcome' | 'diff'> & { pullRequest?: TurnOutcome['pullRequest'] },
): TurnOutcome {
  return { title, reply, checks, pullRequest: null, ...fields }
}

const formatRefusals = (refusals: readonly ResultRefusal[]) => `Refused: ${refusals.map(describeRefusal).join('; ')}.`

const describeRefusal = ({ code, path }: ResultRefusal) =>
  `${path === '' ? '' : `${path}: `}${refusalReasons[code]} (${code})`

const final = (code: string) => ApplicationFailure.nonRetryable(code, code)

/** Temporal does not retry at all if the delay ends after the publish timeout. A retry that is too early is limited again. */
const maxRetryDelaySeconds = 300

/** Only the code: Temporal stores the message, and a message from a code host may contain anything. */
function toFailure(failure: CodeHostError['failure']): ApplicationFailure {
  if (failure.kind === 'final') return final('code_host_access_denied')
  return ApplicationFailure.create({
    message: 'publish_timeout',
    type: 'publish_timeout',
    ...(failure.retryAfterSeconds !== undefined && {
      nextRetryDelay: Math.min(failure.retryAfterSeconds, maxRetryDelaySeconds) * 1000,
    }),
  })
}
