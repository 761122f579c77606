import type { CodeHost } from '../code-hosts/code-host.ts'
import type { PullRequestStore } from '../jobs/pull-request-store.ts'
import type { TurnStore } from '../jobs/turn-store.ts'
import type { Id } from '../platform/ids.ts'

/**
 * An earlier turn that failed because publishing took too long may have opened a pull request all the same. It becomes the job's
 * pull request, so that the job does not open a second one.
 */
export async function adoptPullRequest(
  { turns, pullRequests }: { turns: TurnStore; pullRequests: PullRequestStore },
  host: CodeHost,
  turnId: Id<'trn'>,
): Promise<'adopted' | 'none'> {
  const failed = await turns.readBranchOfFailedTurn(turnId)
  if (!failed) return 'none'
  const found = await host.findPullRequestOfBranch(failed)
  if (found?.state !== 'open') return 'none'
  await pullRequests.adopt(failed.jobId, { number: found.number, url: found.url, branch: failed.branch })
  return 'adopted'
}
