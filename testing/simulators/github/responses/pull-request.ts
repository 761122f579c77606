import { isAncestor, mergeBase, mergeTrees, readCommits, readDiffStatistics } from '../git.ts'
import { type Label, type PullRequest, type Repository, roleOf, type State } from '../state.ts'
import { accountResponse, nodeId } from './account.ts'
import { formatGithubTime, repositoryApiUrl, repositoryPageUrl, repositoryResponse } from './repository.ts'

const timeOrNull = (time: Date | null) => (time ? formatGithubTime(time) : null)

export const labelResponse = (state: State, repository: Repository, { id, name }: Label) => ({
  id,
  node_id: nodeId('Label', id),
  url: `${repositoryApiUrl(state, repository)}/labels/${encodeURIComponent(name)}`,
  name,
  description: '', // not null: GitHub's description of lists does not allow it
  color: 'ededed',
  default: false,
})

const branchRefResponse = (state: State, repository: Repository, ref: string, sha: string) => ({
  label: `${repository.owner.login}:${ref}`,
  ref,
  sha,
  user: accountResponse(state, repository.owner),
  repo: repositoryResponse(state, repository),
})

export function authorAssociation(repository: Repository, author: PullRequest['author']): string {
  if (author.type === 'Bot') return 'NONE'
  const role = roleOf(repository, author)
  if (role === undefined) return 'NONE'
  if (repository.owner === author) return 'OWNER'
  return repository.owner.owners.has(author.login.toLowerCase()) ? 'MEMBER' : 'COLLABORATOR'
}

/** A pull request in a list. */
export function pullRequestListItemResponse(state: State, repository: Repository, pullRequest: PullRequest) {
  const { number, headSha } = pullRequest
  const api = repositoryApiUrl(state, repository)
  const url = `${api}/pulls/${number}`
  const page = `${repositoryPageUrl(state, repository)}/pull/${number}`
  const issue = `${api}/issues/${number}`
  const urls = {
    commits: `${url}/commits`,
    review_comments: `${url}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    comments: `${issue}/comments`,
    statuses: `${api}/statuses/${headSha}`,
  }
  const links = { self: url, html: page, issue, ...urls }
  return {
    url,
    id: pullRequest.id,
    node_id: nodeId('PullRequest', pullRequest.id),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issue,
    number,
    state: pullRequest.state,
    locked: false,
    title: pullRequest.title,
    user: accountResponse(state, pullRequest.author),
    body: pullRequest.body,
    created_at: formatGithubTime(pullRequest.createdAt),
    updated_at: formatGithubTime(pullRequest.updatedAt),
    closed_at: timeOrNull(pullRequest.closedAt),
    merged_at: timeOrNull(pullRequest.merged?.at ?? null),
    merge_commit_sha: pullRequest.merged?.sha ?? null,
    assignee: null,
    assignees: [],
    requested_reviewers: pullRequest.reviewers.map((reviewer) => accountResponse(state, reviewer)),
    requested_teams: [],
    labels: pullRequest.labels.map((label) => labelResponse(state, repository, label)),
    milestone: null,
    draft: pullRequest.isDraft,
    ...Object.fromEntries(Object.entries(urls).map(([name, address]) => [`${name}_url`, address])),
    head: branchRefResponse(state, repository, pullRequest.headBranch, headSha),
    base: branchRefResponse(state, repository, pullRequest.baseBranch, pullRequest.baseSha),
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    author_association: authorAssociation(repository, pullRequest.author),
    auto_merge: null,
    active_lock_reason: null,
  }
}

/** A single pull request, with the fields that are computed from git. */
export async function pullRequestResponse(
  state: State,
  repository: Repository,
  pullRequest: PullRequest,
  mergeable: boolean | null,
) {
  const { directory } = repository
  const range = await diffRange(repository, pullRequest)
  const { additions, deletions, changedFiles } = await readDiffStatistics(directory, range.from, pullRequest.headSha)
  const commits = await readCommits(directory, [`${range.base}..${pullRequest.headSha}`])
  return {
    ...pullRequestListItemResponse(state, repository, pullRequest),
    merged: pullRequest.merged !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: mergeable === null ? 'unknown' : mergeable ? (pullRequest.isDraft ? 'draft' : 'clean') : 'dirty',
    merged_by: pullRequest.merged ? accountResponse(state, pullRequest.merged.by) : null,
    comments: repository.comments.filter(({ number }) => number === pullRequest.number).length,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: commits.length,
    additions,
    deletions,
    changed_files: changedFiles,
  }
}

/** The base commit, and the merge base from which the pull request's changes start. */
export async function diffRange(
  repository: Repository,
  pullRequest: PullRequest,
): Promise<{ base: string; from: string }> {
  const base = pullRequest.merged
    ? pullRequest.baseSha
    : (repository.branches.get(pullRequest.baseBranch) ?? pullRequest.baseSha)
  return { base, from: (await mergeBase(repository.directory, base, pullRequest.headSha)) ?? base }
}

/** As on GitHub, the first read starts the computation and returns null. */
export async function readMergeability(repository: Repository, pullRequest: PullRequest): Promise<boolean | null> {
  if (pullRequest.state === 'closed') return null
  const base = repository.branches.get(pullRequest.baseBranch)
  if (base === undefined) return null
  const of = `${base} ${pullRequest.headSha}`
  if (pullRequest.mergeability?.of !== of) {
    pullRequest.mergeability = { of, isMergeable: null }
    return null
  }
  if (pullRequest.mergeability.isMergeable === null) {
    const { directory } = repository
    const isMergeable =
      (await isAncestor(directory, base, pullRequest.headSha)) ||
      (await mergeTrees(directory, base, pullRequest.headSha)) !== undefined
    pullRequest.mergeability = { of, isMergeable }
  }
  return pullRequest.mergeability.isMergeable
}
