import { pullRequestResponse } from './answers/pull-request.ts'
import type { World } from './events.ts'
import type { Account, PullRequest, Repository } from './state.ts'

/** Merged or not: that is noted before. */
export async function closePullRequest(
  world: World,
  repository: Repository,
  pullRequest: PullRequest,
  by: Account,
): Promise<void> {
  pullRequest.state = 'closed'
  pullRequest.closedAt = new Date()
  pullRequest.updatedAt = pullRequest.closedAt
  await tellPullRequest(world, repository, pullRequest, 'closed', by)
}

export async function tellPullRequest(
  world: World,
  repository: Repository,
  pullRequest: PullRequest,
  action: 'opened' | 'closed' | 'reopened',
  by: Account,
): Promise<void> {
  world.events.ofRepository(repository, 'pull_request', by, {
    action,
    number: pullRequest.number,
    pull_request: await pullRequestResponse(world.state, repository, pullRequest, null),
  })
}

/** False: there is nothing to open again. */
export async function reopenPullRequest(
  world: World,
  repository: Repository,
  pullRequest: PullRequest,
  by: Account,
): Promise<boolean> {
  const head = repository.branches.get(pullRequest.headBranch)
  if (pullRequest.merged || head === undefined) return false
  Object.assign(pullRequest, { state: 'open', closedAt: null, headSha: head, updatedAt: new Date() })
  await tellPullRequest(world, repository, pullRequest, 'reopened', by)
  return true
}
