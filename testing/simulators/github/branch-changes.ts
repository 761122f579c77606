/** Runs after every change of a repository, by push or API: updates pull requests to their branches, and emits events. */

import { isAncestor, readBranches, readCommit } from './git.ts'
import { closePullRequest } from './pull-request-changes.ts'
import { pullRequestResponse } from './responses/pull-request.ts'
import { repositoryPageUrl } from './responses/repository.ts'
import type { Account, PullRequest, Repository } from './state.ts'
import type { SimulatorContext } from './webhook-event-emitter.ts'

const noCommit = '0'.repeat(40)
const lastRuns = new WeakMap<Repository, Promise<void>>()

/** Runs one at a time per repository, so that each change is reported once. */
export function processBranchChanges(simulator: SimulatorContext, repository: Repository, by: Account): Promise<void> {
  const run = (lastRuns.get(repository) ?? Promise.resolve()).then(() => compareBranches(simulator, repository, by))
  lastRuns.set(
    repository,
    run.catch(() => {}),
  )
  return run
}

async function compareBranches(simulator: SimulatorContext, repository: Repository, by: Account): Promise<void> {
  const before = repository.branches
  const after = await readBranches(repository.directory)
  repository.branches = after
  for (const branch of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(branch)
    const now = after.get(branch)
    if (old === now) continue
    repository.pushedAt = new Date()
    await emitPush(simulator, repository, { branch, old, now }, by)
    for (const pullRequest of repository.pullRequests) {
      if (pullRequest.state === 'closed') continue
      if (pullRequest.headBranch === branch) await updateHead(simulator, repository, pullRequest, now, by)
      else if (pullRequest.baseBranch === branch) await updateBase(simulator, repository, pullRequest, now, by)
    }
  }
}

async function updateHead(
  simulator: SimulatorContext,
  repository: Repository,
  pullRequest: PullRequest,
  now: string | undefined,
  by: Account,
): Promise<void> {
  if (now === undefined) return closePullRequest(simulator, repository, pullRequest, by)
  const before = pullRequest.headSha
  pullRequest.headSha = now
  pullRequest.updatedAt = new Date()
  simulator.events.emitRepositoryEvent(repository, 'pull_request', by, {
    action: 'synchronize',
    number: pullRequest.number,
    before,
    after: now,
    pull_request: await pullRequestResponse(simulator.state, repository, pullRequest, null),
  })
}

async function updateBase(
  simulator: SimulatorContext,
  repository: Repository,
  pullRequest: PullRequest,
  now: string | undefined,
  by: Account,
): Promise<void> {
  if (now === undefined) return closePullRequest(simulator, repository, pullRequest, by)
  if (await isAncestor(repository.directory, pullRequest.headSha, now)) {
    pullRequest.merged = { at: new Date(), by, sha: now } // someone pushed the merge
    return closePullRequest(simulator, repository, pullRequest, by)
  }
  pullRequest.baseSha = now
}

async function emitPush(
  simulator: SimulatorContext,
  repository: Repository,
  { branch, old, now }: { branch: string; old: string | undefined; now: string | undefined },
  by: Account,
): Promise<void> {
  const commit = now === undefined ? undefined : await readCommit(repository.directory, now)
  const page = repositoryPageUrl(simulator.state, repository)
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
  simulator.events.emitRepositoryEvent(repository, 'push', by, {
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
