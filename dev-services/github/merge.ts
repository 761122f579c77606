import { emailOf } from './answers/commit.ts'
import { noticeChanges } from './branch-changes.ts'
import type { World } from './events.ts'
import { mergedTree, updateRef, writeCommit } from './git.ts'
import { closePullRequest } from './pull-request-changes.ts'
import type { Account, PullRequest, Repository } from './state.ts'

export type Merge =
  | { kind: 'merged'; sha: string }
  | { kind: 'not_open' }
  | { kind: 'conflict' }
  | { kind: 'base_moved' }

/** A real merge commit on the base branch, as GitHub's button makes it. */
export async function mergePullRequest(
  world: World,
  repository: Repository,
  pullRequest: PullRequest,
  by: Account,
): Promise<Merge> {
  const { directory } = repository
  const { headSha, baseBranch } = pullRequest
  const base = repository.branches.get(baseBranch)
  if (pullRequest.state !== 'open' || base === undefined) return { kind: 'not_open' }
  const tree = await mergedTree(directory, base, headSha)
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
  // Before the branch moves: whoever sees the merge must not take it for somebody's push.
  pullRequest.merged = { at: new Date(), by, sha }
  pullRequest.baseSha = base
  pullRequest.state = 'closed'
  if (!(await updateRef(directory, `refs/heads/${baseBranch}`, sha, base))) {
    Object.assign(pullRequest, { merged: null, state: 'open' })
    return { kind: 'base_moved' }
  }
  await noticeChanges(world, repository, by)
  await closePullRequest(world, repository, pullRequest, by)
  return { kind: 'merged', sha }
}
