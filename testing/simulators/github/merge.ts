import { processBranchChanges } from './branch-changes.ts'
import { mergeTrees, updateRef, writeCommit } from './git.ts'
import { closePullRequest } from './pull-request-changes.ts'
import { emailOf } from './responses/commit.ts'
import type { Account, PullRequest, Repository } from './state.ts'
import type { SimulatorContext } from './webhook-event-emitter.ts'

export type MergeResult =
  | { kind: 'merged'; sha: string }
  | { kind: 'not_open' }
  | { kind: 'conflict' }
  | { kind: 'base_moved' }

/** Creates a merge commit on the base branch, as GitHub's merge button does. */
export async function mergePullRequest(
  simulator: SimulatorContext,
  repository: Repository,
  pullRequest: PullRequest,
  by: Account,
): Promise<MergeResult> {
  const { directory } = repository
  const { headSha, baseBranch } = pullRequest
  const base = repository.branches.get(baseBranch)
  if (pullRequest.state !== 'open' || base === undefined) return { kind: 'not_open' }
  const tree = await mergeTrees(directory, base, headSha)
  if (tree === undefined) return { kind: 'conflict' }
  const from = `${repository.owner.login}/${pullRequest.headBranch}`
  const person = { name: by.login, email: emailOf(by), date: new Date() }
  const sha = await writeCommit(directory, {
    tree,
    parents: [base, headSha],
    message: `Merge pull request #${pullRequest.number} from ${from}\n\n${pullRequest.title}`,
    author: person,
    committer: { ...person, name: 'GitHub', email: 'noreply@github.com' },
    signature: null,
  })
  // Before the branch moves, so that the merge is not mistaken for a push to the base branch.
  pullRequest.merged = { at: new Date(), by, sha }
  pullRequest.baseSha = base
  pullRequest.state = 'closed'
  if (!(await updateRef(directory, `refs/heads/${baseBranch}`, sha, base))) {
    Object.assign(pullRequest, { merged: null, state: 'open' })
    return { kind: 'base_moved' }
  }
  await processBranchChanges(simulator, repository, by)
  await closePullRequest(simulator, repository, pullRequest, by)
  return { kind: 'merged', sha }
}
