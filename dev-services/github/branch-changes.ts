/** After every change of a repository, however it came in: pull requests follow their branches, and hooks are told. */
import { pullRequestResponse } from './answers/pull-request.ts'
import { repositoryPage } from './answers/repository.ts'
import type { World } from './events.ts'
import { branchesOf, isAncestor, readCommit } from './git.ts'
import { closePullRequest } from './pull-request-changes.ts'
import type { Account, PullRequest, Repository } from './state.ts'

const noCommit = '0'.repeat(40)
const turns = new WeakMap<Repository, Promise<void>>()

/** One look after the other, so that each change is told once. */
export function noticeChanges(world: World, repository: Repository, by: Account): Promise<void> {
  const turn = (turns.get(repository) ?? Promise.resolve()).then(() => look(world, repository, by))
  turns.set(
    repository,
    turn.catch(() => {}),
  )
  return turn
}

async function look(world: World, repository: Repository, by: Account): Promise<void> {
  const before = repository.branches
  const after = await branchesOf(repository.directory)
  repository.branches = after
  for (const branch of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(branch)
    const now = after.get(branch)
    if (old === now) continue
    repository.pushedAt = new Date()
    await tellPush(world, repository, { branch, old, now }, by)
    for (const pullRequest of repository.pullRequests) {
      if (pullRequest.state === 'closed') continue
      if (pullRequest.headBranch === branch) await followHead(world, repository, pullRequest, now, by)
      else if (pullRequest.baseBranch === branch) await followBase(world, repository, pullRequest, now, by)
    }
  }
}

async function followHead(
  world: World,
  repository: Repository,
  pullRequest: PullRequest,
  now: string | undefined,
  by: Account,
): Promise<void> {
  if (now === undefined) return closePullRequest(world, repository, pullRequest, by)
  const before = pullRequest.headSha
  pullRequest.headSha = now
  pullRequest.updatedAt = new Date()
  world.events.ofRepository(repository, 'pull_request', by, {
    action: 'synchronize',
    number: pullRequest.number,
    before,
    after: now,
    pull_request: await pullRequestResponse(world.state, repository, pullRequest, null),
  })
}

async function followBase(
  world: World,
  repository: Repository,
  pullRequest: PullRequest,
  now: string | undefined,
  by: Account,
): Promise<void> {
  if (now === undefined) return closePullRequest(world, repository, pullRequest, by)
  if (await isAncestor(repository.directory, pullRequest.headSha, now)) {
    pullRequest.merged = { at: new Date(), by, sha: now } // somebody pushed the merge
    return closePullRequest(world, repository, pullRequest, by)
  }
  pullRequest.baseSha = now
}

async function tellPush(
  world: World,
  repository: Repository,
  { branch, old, now }: { branch: string; old: string | undefined; now: string | undefined },
  by: Account,
): Promise<void> {
  const commit = now === undefined ? undefined : await readCommit(repository.directory, now)
  const page = repositoryPage(world.state, repository)
  const head = commit && {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date.toISOString(),
    url: `${page}/commit/${commit.sha}`,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
    added: [],
    removed: [],
    modified: [],
  }
  world.events.ofRepository(repository, 'push', by, {
    ref: `refs/heads/${branch}`,
    before: old ?? noCommit,
    after: now ?? noCommit,
    pusher: { name: by.login, email: `${by.login}@users.noreply.github.com` },
    created: old === undefined,
    deleted: now === undefined,
    forced: old !== undefined && now !== undefined && !(await isAncestor(repository.directory, old, now)),
    base_ref: null,
    compare: `${page}/compare/${(old ?? noCommit).slice(0, 12)}...${(now ?? noCommit).slice(0, 12)}`,
    commits: head ? [head] : [],
    head_commit: head ?? null,
  })
}
