import { pullRequestResponse } from './responses/pull-request.ts'
import type { Account, PullRequest, Repository } from './state.ts'
import type { SimulatorContext } from './webhook-event-emitter.ts'

/** Closes the pull request. The caller has recorded whether it was merged. */
export async function closePullRequest(
  simulator: SimulatorContext,
  repository: Repository,
  pullRequest: PullRequest,
  by: Account,
): Promise<void> {
  pullRequest.state = 'closed'
  pullRequest.closedAt = new Date()
  pullRequest.updatedAt = pullRequest.closedAt
  await emitPullRequest(simulator, repository, pullRequest, 'closed', by)
}

export async function emitPullRequest(
  simulator: SimulatorContext,
  repository: Repository,
  pullRequest: PullRequest,
  action: 'opened' | 'closed' | 'reopened',
  by: Account,
): Promise<void> {
  simulator.events.emitRepositoryEvent(repository, 'pull_request', by, {
    action,
    number: pullRequest.number,
    pull_request: await pullRequestResponse(simulator.state, repository, pullRequest, null),
  })
}

/** Returns false if the pull request was merged or its branch is gone. */
export async function reopenPullRequest(
  simulator: SimulatorContext,
  repository: Repository,
  pullRequest: PullRequest,
  by: Account,
): Promise<boolean> {
  const head = repository.branches.get(pullRequest.headBranch)
  if (pullRequest.merged || head === undefined) return false
  Object.assign(pullRequest, { state: 'open', closedAt: null, headSha: head, updatedAt: new Date() })
  await emitPullRequest(simulator, repository, pullRequest, 'reopened', by)
  return true
}
