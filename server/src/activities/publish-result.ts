/**
 * From a runner's result to a pull request. Every step looks before it acts: done twice, nothing changes. What a runner sent
 * is opened in a bare repository, and only its tree is used.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/activity'
import { type AcceptedResult, BareRepository, type ResultRefusal } from '../code-hosts/bare-repository.ts'
import type { CodeHost, CommitId } from '../code-hosts/code-host.ts'
import { CodeHostError } from '../code-hosts/code-host-error.ts'
import { removeAbandonedRepositories } from '../code-hosts/git/git-repository.ts'
import type { AttemptStore } from '../jobs/attempt-store.ts'
import type { PullRequestStore } from '../jobs/pull-request-store.ts'
import type { StoredResult } from '../jobs/turn-results.ts'
import type { TurnInHand, TurnOutcome, TurnStore, TurnToPublish } from '../jobs/turn-store.ts'
import type { Egress } from '../platform/egress/egress.ts'
import type { Log } from '../platform/log.ts'
import type { Repository } from '../projects/repository-store.ts'
import type { InTurn } from './few-at-once.ts'
import { findOwnPullRequest } from './find-own-pull-request.ts'
import type { PublishResult } from './job-activities.ts'
import type { OpenProject } from './open-project.ts'
import { pullRequestTexts } from './pull-request-texts.ts'

export interface PublishDeps {
  turns: TurnStore
  attempts: AttemptStore
  pullRequests: PullRequestStore
  openProject: OpenProject
  egress: Egress
  /** Around each try: who waits to be believed keeps nobody waiting. */
  inTurn: InTurn
  log: Log
}

export function createPublishResult(deps: PublishDeps): PublishResult {
  void removeAbandonedRepositories().catch(() => {}) // of a worker that was killed; none is no harm
  return async (turn, signal) => {
    for (let tries = 1; ; tries++) {
      const pauseSeconds = pausesBeforeBelief[tries - 1]
      try {
        const isLastTry = pauseSeconds === undefined
        return await deps.inTurn(signal, () => publish(deps, turn, signal, { isLastTry }))
      } catch (error) {
        if (!(error instanceof CodeHostError)) throw error
        deps.log.warn({ turnId: turn.turnId, tries, error: error.message }, 'the code host does not take a result')
        if (error.failure.kind === 'retry' || pauseSeconds === undefined) throw asFailure(error.failure)
        await sleep(pauseSeconds * 1000, undefined, { signal })
      }
    }
  }
}

/** A refusal counts when it stays: while its own database is away, a host may not know our token (Gitea says so, tried). */
const pausesBeforeBelief = [1, 5, 20]
const triesToPut = 3

async function publish(
  { turns, attempts, pullRequests, openProject, egress, log }: PublishDeps,
  turn: TurnInHand,
  signal: AbortSignal,
  { isLastTry }: { isLastTry: boolean },
): Promise<TurnOutcome | 'branch_moved'> {
  const result = await attempts.readResult(turn.turnId)
  if (!result) throw final('internal_error')
  if (!result.bundle) return outcome(result, { outcome: 'no_changes' })
  const project = await openProject(turn.projectId)
  if (!project) throw final('project_not_ready')
  const { repository, host } = project
  const toPublish = await turns.readToPublish(turn.turnId)

  await using bare = await BareRepository.open({ remote: await host.gitRemote(), egress, signal })
  const policy = { docsFolder: repository.docsFolder, alsoAllowed: [] }
  // What an earlier try was about to push has been looked at; its branch may be merged and gone.
  const began = toPublish.commit ? undefined : (toPublish.startBranch ?? toPublish.job.ref)
  const acceptance = await bare.accept({ bundle: result.bundle, base: result.baseCommit, branch: began, policy })
  switch (acceptance.kind) {
    case 'no_changes':
      // The agent may have taken back what earlier turns of a diff did.
      return outcome(result, { outcome: 'no_changes', ...(toPublish.job.publish === 'diff' && { diff: null }) })
    case 'base_gone':
      return 'branch_moved'
    case 'refused':
      await turns.noteRefusal(turn.turnId, refusalWords(acceptance.refusals))
      throw final('result_refused')
    case 'accepted': {
      if (toPublish.job.publish === 'diff') {
        return outcome(result, { outcome: 'diff', diff: (await bare.diff(acceptance.result)).patch })
      }
      const branch = await branchFor(pullRequests, host, turn, toPublish)
      if (branch === 'branch_moved') return branch
      const { patch: diff } = await bare.diff(acceptance.result, await turns.firstBaseOn(turn.jobId, branch))
      const context = { turns, turn, toPublish, result, repository, host, bare, branch, isLastTry, log }
      const opened = await open(context, acceptance.result)
      return opened === 'branch_moved'
        ? opened
        : outcome(result, { outcome: 'pull_request', diff, pullRequest: opened })
    }
  }
}

/** A follow-up goes to the job's pull request while it is open; after that to a new one, begun from the base. */
async function branchFor(
  pullRequests: PullRequestStore,
  host: CodeHost,
  { projectId, jobId }: TurnInHand,
  { branch, startBranch, job }: TurnToPublish,
): Promise<string | undefined | 'branch_moved'> {
  if (branch) return branch
  if (!job.pullRequest) return undefined
  const { number } = job.pullRequest
  const found = await findOwnPullRequest(host, job.pullRequest)
  if (found?.state === 'open') return job.pullRequest.branch
  if (found) await pullRequests.record({ projectId, jobId, number }, found)
  // Merged or closed while the agent worked on it: a pull request from there would show all of it once more.
  return startBranch === job.pullRequest.branch ? 'branch_moved' : undefined
}

async function open(
  {
    turns,
    turn,
    toPublish,
    result,
    repository,
    host,
    bare,
    branch: known,
    isLastTry,
    log,
  }: {
    turns: TurnStore
    turn: TurnInHand
    toPublish: TurnToPublish
    result: StoredResult
    repository: Repository
    host: CodeHost
    bare: BareRepository
    branch: string | undefined
    isLastTry: boolean
    log: Log
  },
  accepted: AcceptedResult,
): Promise<TurnOutcome['pullRequest'] | 'branch_moved'> {
  const { job } = toPublish
  const texts = pullRequestTexts({ jobId: turn.jobId, toPublish, result, repository })
  const branch = known ?? texts.branch
  const details = { message: texts.commitMessage, identity: texts.identity, date: toPublish.startedAt }
  let recorded = toPublish.commit ?? undefined
  let isPutBefore = false
  let ours: CommitId | undefined
  for (let tries = 1; ; tries++) {
    const placement = await bare.place(accepted, branch, details, recorded)
    if (placement.kind === 'published') {
      isPutBefore = true
      ours = placement.ours
      break
    }
    if (placement.kind === 'branch_moved' || tries > triesToPut) return 'branch_moved'
    recorded = placement.commit.id
    await turns.noteCommit(turn.turnId, branch, recorded)
    const put = await host.putCommit(placement.commit, branch)
    if (put.kind === 'put') {
      ours = put.commit
      break
    }
  }
  const { pullRequest, skipped } = await host
    .ensurePullRequest({
      branch,
      baseBranch: toPublish.job.ref,
      title: texts.title,
      body: texts.body,
      draft: toPublish.job.draft || (repository.publishing.draft ?? false),
      labels: repository.publishing.labels ?? [],
      reviewers: repository.publishing.reviewers ?? [],
      mayBeUnderWay: isPutBefore,
    })
    .catch(async (error: unknown) => {
      // A branch of which nothing will come is not left behind; one that people pushed to is theirs.
      const isFinal = error instanceof CodeHostError && error.failure.kind === 'final'
      if (isFinal && isLastTry && ours && branch !== job.pullRequest?.branch)
        await host.deleteBranch(branch, ours).catch(() => {})
      throw error
    })
  if (skipped.labels.length + skipped.reviewers.length > 0)
    log.warn({ jobId: turn.jobId, ...skipped }, 'labels or reviewers of the settings could not be set')
  if (pullRequest.state !== 'open' && pullRequest.number === job.pullRequest?.number) {
    // Merged or closed between our look and our push: what was pushed after a merge is in nobody's sight.
    const onBase = pullRequest.state === 'merged' ? await bare.place(accepted, job.ref, details, recorded) : undefined
    if (onBase?.kind !== 'published') return 'branch_moved'
  }
  const written = { title: texts.title, body: texts.body }
  const before = job.pullRequest?.number === pullRequest.number ? job.pullRequest.written : null
  if (before) await host.rewritePullRequest(pullRequest.number, { written: before, wanted: written })
  const { url, number, state } = pullRequest
  return { url, number, state, branch, written }
}

function outcome(
  { title, reply, checks }: StoredResult,
  how: Pick<TurnOutcome, 'outcome' | 'diff'> & { pullRequest?: TurnOutcome['pullRequest'] },
): TurnOutcome {
  return { title, reply, checks, pullRequest: null, ...how }
}

const refusalWords = (refusals: readonly ResultRefusal[]) =>
  `Refused: ${refusals.map(({ code, path }) => (path ? `${code} (${path})` : code)).join(', ')}.`

const final = (code: string) => ApplicationFailure.nonRetryable(code, code)

/** A wait that ended after the time for publishing would not be waited for at all (Temporal). Too early is told once more. */
const maxWaitSeconds = 300

/** Its code alone: Temporal keeps what it is told, and a host's words may hold anything. */
function asFailure(failure: CodeHostError['failure']): ApplicationFailure {
  if (failure.kind === 'final') return final('code_host_access_denied')
  return ApplicationFailure.create({
    message: 'publish_timeout',
    type: 'publish_timeout',
    ...(failure.retryAfterSeconds !== undefined && {
      nextRetryDelay: Math.min(failure.retryAfterSeconds, maxWaitSeconds) * 1000,
    }),
  })
}
