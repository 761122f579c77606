/**
 * From a runner's result to a pull request. Every step looks before it acts: done twice, nothing changes. What a runner sent
 * is opened in a bare repository, and only its tree is used.
 */
import { ApplicationFailure, Context } from '@temporalio/activity'
import { BareRepository, type ResultRefusal } from '../code-hosts/bare-repository.ts'
import type { CodeHost, PullRequest } from '../code-hosts/code-host.ts'
import { CodeHostError } from '../code-hosts/code-host-error.ts'
import { removeAbandonedRepositories } from '../code-hosts/git/git-repository.ts'
import type { AttemptStore, StoredResult } from '../jobs/attempt-store.ts'
import type { TurnInHand, TurnOutcome, TurnStore, TurnToPublish } from '../jobs/turn-store.ts'
import type { Egress } from '../platform/egress/egress.ts'
import type { Repository } from '../projects/repository-store.ts'
import type { PublishResult } from './job-activities.ts'
import type { OpenProject } from './open-project.ts'
import { pullRequestTexts } from './pull-request-texts.ts'

export interface PublishParts {
  turns: TurnStore
  attempts: AttemptStore
  openProject: OpenProject
  egress: Egress
}

export function createPublishResult(parts: PublishParts): PublishResult {
  void removeAbandonedRepositories().catch(() => {}) // of a worker that was killed; none is no harm
  return async (turn) => {
    try {
      return await publish(parts, turn)
    } catch (error) {
      throw error instanceof CodeHostError ? asFailure(error) : error
    }
  }
}

const triesToPush = 3

async function publish({ turns, attempts, openProject, egress }: PublishParts, turn: TurnInHand): Promise<TurnOutcome> {
  const result = await attempts.readResult(turn.turnId)
  if (!result) throw final('internal_error')
  if (!result.bundle) return outcome(result, { outcome: 'no_changes' })
  const project = await openProject(turn.projectId)
  if (!project) throw final('project_not_ready')
  const { repository, host } = project
  const toPublish = await turns.readToPublish(turn.turnId)

  await using bare = await BareRepository.open({
    remote: host.gitRemote,
    egress,
    signal: Context.current().cancellationSignal,
  })
  const policy = { docsFolder: repository.docsFolder, alsoAllowed: [] }
  const acceptance = await bare.accept({ bundle: result.bundle, base: result.baseCommit, policy })
  switch (acceptance.kind) {
    case 'no_changes':
      return outcome(result, { outcome: 'no_changes' })
    case 'base_gone':
      throw final('branch_moved')
    case 'refused':
      await turns.noteRefusal(turn.turnId, refusalWords(acceptance.refusals))
      throw final('result_refused')
    case 'accepted': {
      const { patch: diff } = await bare.diff(acceptance.result)
      if (toPublish.job.publish === 'diff') return outcome(result, { outcome: 'diff', diff })
      const pullRequest = await open({
        turns,
        turn,
        toPublish,
        result,
        repository,
        host,
        bare,
        accepted: acceptance.result,
      })
      return outcome(result, { outcome: 'pull_request', diff, pullRequest })
    }
  }
}

async function open({
  turns,
  turn,
  toPublish,
  result,
  repository,
  host,
  bare,
  accepted,
}: {
  turns: TurnStore
  turn: TurnInHand
  toPublish: TurnToPublish
  result: StoredResult
  repository: Repository
  host: CodeHost
  bare: BareRepository
  accepted: Parameters<BareRepository['place']>[0]
}): Promise<PullRequest & { branch: string }> {
  const texts = pullRequestTexts({ jobId: turn.jobId, toPublish, result, repository })
  const branch = toPublish.branch ?? (await openBranch(host, toPublish)) ?? texts.branch
  const details = { message: texts.commitMessage, identity: texts.identity, date: toPublish.startedAt }
  let recorded = toPublish.commit ?? undefined
  for (let tries = 1; ; tries++) {
    const placement = await bare.place(accepted, branch, details, recorded)
    if (placement.kind === 'published') break
    if (placement.kind === 'branch_moved' || tries > triesToPush) throw final('branch_moved')
    recorded = placement.commit
    await turns.noteCommit(turn.turnId, branch, placement.commit)
    if ((await bare.push(placement.commit, branch)) === 'pushed') break
  }
  const { pullRequest } = await host.ensurePullRequest({
    ...{ branch, baseBranch: toPublish.job.ref, title: texts.title, body: texts.body },
    draft: toPublish.job.draft || (repository.publishing.draft ?? false),
    labels: repository.publishing.labels ?? [],
    reviewers: repository.publishing.reviewers ?? [],
  })
  return { ...pullRequest, branch }
}

/** A follow-up goes to the job's pull request while it is open; after that to a new one. */
async function openBranch(host: CodeHost, { job }: TurnToPublish): Promise<string | undefined> {
  if (!job.pullRequest) return undefined
  const found = await host.findPullRequest(job.pullRequest.number)
  return found?.state === 'open' ? job.pullRequest.branch : undefined
}

function outcome(
  { title, reply, checks, inputTokens, outputTokens }: StoredResult,
  how: { outcome: TurnOutcome['outcome']; diff?: string; pullRequest?: PullRequest & { branch: string } },
): TurnOutcome {
  const { pullRequest } = how
  return {
    ...{ title, reply, checks, inputTokens, outputTokens },
    outcome: how.outcome,
    diff: how.diff ?? null,
    pullRequest: pullRequest
      ? { url: pullRequest.url, number: pullRequest.number, branch: pullRequest.branch, state: pullRequest.state }
      : null,
  }
}

const refusalWords = (refusals: readonly ResultRefusal[]) =>
  `Refused: ${refusals.map(({ code, path }) => (path ? `${code} (${path})` : code)).join(', ')}.`

const final = (code: string) => ApplicationFailure.nonRetryable(code, code)

function asFailure(error: CodeHostError): ApplicationFailure {
  const { failure, message } = error
  if (failure.kind === 'final') return ApplicationFailure.nonRetryable(message, 'code_host_refused')
  return ApplicationFailure.create({
    message,
    type: 'timed_out',
    ...(failure.retryAfterSeconds !== undefined && { nextRetryDelay: failure.retryAfterSeconds * 1000 }),
  })
}
