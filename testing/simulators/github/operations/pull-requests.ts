import { actorOf } from '../access.ts'
import { defineRepositoryOperation, type Operations, paginate, type RepositoryCall } from '../api-call.ts'
import { ApiError, notFound, validationFailed } from '../api-error.ts'
import { isAncestor, readCommits } from '../git.ts'
import { closePullRequest, emitPullRequest, reopenPullRequest } from '../pull-request-changes.ts'
import { commitResponse } from '../responses/commit.ts'
import {
  diffRange,
  labelResponse,
  pullRequestListItemResponse,
  pullRequestResponse,
  readMergeability,
} from '../responses/pull-request.ts'
import { fullName, type PullRequest, roleOf } from '../state.ts'

const fieldInvalid = (field: string) => validationFailed({ resource: 'PullRequest', field, code: 'invalid' })
const invalidPullRequest = (message: string) => validationFailed({ resource: 'PullRequest', code: 'custom', message })

const reviewersOnly =
  'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator'

function requirePullRequest({ repository }: RepositoryCall, number: string | undefined): PullRequest {
  const found = repository.pullRequests.find((pullRequest) => pullRequest.number === Number(number))
  if (!found) throw notFound()
  return found
}

/** Returns the branch of `owner:branch` or `branch`. Undefined for another owner, because there are no forks. */
function parseHead({ repository }: RepositoryCall, head: string): string | undefined {
  const colon = head.indexOf(':')
  if (colon < 0) return head
  return head.slice(0, colon).toLowerCase() === repository.owner.login.toLowerCase() ? head.slice(colon + 1) : undefined
}

export const pullRequestOperations: Operations = {
  'pulls/create': defineRepositoryOperation('pull_requests:write', async (call) => {
    const { repository, caller, state, body } = call
    const input = body as { title?: string; head: string; base: string; body?: string; draft?: boolean }
    const headBranch = parseHead(call, input.head)
    const headSha = headBranch === undefined ? undefined : repository.branches.get(headBranch)
    const baseSha = repository.branches.get(input.base)
    if (baseSha === undefined) throw fieldInvalid('base')
    if (headBranch === undefined || headSha === undefined) throw fieldInvalid('head')
    if (input.title === undefined) {
      throw validationFailed({ resource: 'PullRequest', field: 'title', code: 'missing_field' })
    }
    if (await isAncestor(repository.directory, headSha, baseSha)) {
      throw invalidPullRequest(`No commits between ${input.base} and ${headBranch}`)
    }
    // No await between this check and the push below, so that two simultaneous calls create only one.
    const isSame = (other: PullRequest) =>
      other.state === 'open' && other.headBranch === headBranch && other.baseBranch === input.base
    if (repository.pullRequests.some(isSame)) {
      throw invalidPullRequest(`A pull request already exists for ${repository.owner.login}:${headBranch}.`)
    }
    const now = new Date()
    const pullRequest: PullRequest = {
      id: state.nextId(),
      number: repository.pullRequests.length + 1,
      title: input.title,
      body: input.body ?? null,
      author: actorOf(caller),
      headBranch,
      headSha,
      baseBranch: input.base,
      baseSha,
      state: 'open',
      isDraft: input.draft ?? false,
      labels: [],
      reviewers: [],
      createdAt: now,
      updatedAt: now,
      closedAt: null,
      merged: null,
      mergeability: null,
    }
    repository.pullRequests.push(pullRequest)
    await emitPullRequest(call, repository, pullRequest, 'opened', actorOf(caller))
    return { status: 201, body: await pullRequestResponse(state, repository, pullRequest, null) }
  }),

  'pulls/list': defineRepositoryOperation('pull_requests:read', (call) => {
    const { repository, state, query } = call
    const head = query.head === undefined ? undefined : String(query.head)
    const requestedState = query.state ?? 'open'
    const sort = String(query.sort ?? 'created')
    const direction = String(query.direction ?? (sort === 'created' ? 'desc' : 'asc'))
    // GitHub ignores the filter if the head is not `owner:branch`.
    const headBranch = head?.includes(':') ? parseHead(call, head) : undefined
    const found = repository.pullRequests
      .filter((pullRequest) => requestedState === 'all' || pullRequest.state === requestedState)
      .filter((pullRequest) => !head?.includes(':') || pullRequest.headBranch === headBranch)
      .filter((pullRequest) => query.base === undefined || pullRequest.baseBranch === query.base)
      .sort((a, b) => {
        const byTime = sort === 'updated' ? a.updatedAt.getTime() - b.updatedAt.getTime() : a.number - b.number
        return direction === 'desc' ? -byTime : byTime
      })
    const { items, headers } = paginate(found, call)
    return {
      status: 200,
      body: items.map((pullRequest) => pullRequestListItemResponse(state, repository, pullRequest)),
      headers,
    }
  }),

  'pulls/get': defineRepositoryOperation('pull_requests:read', async (call) => {
    const { repository, state, params } = call
    const pullRequest = requirePullRequest(call, params.pull_number)
    const mergeable = await readMergeability(repository, pullRequest)
    return { status: 200, body: await pullRequestResponse(state, repository, pullRequest, mergeable) }
  }),

  'pulls/update': defineRepositoryOperation('pull_requests:write', async (call) => {
    const { repository, state, params, caller, events } = call
    const input = call.body as { title?: string; body?: string; state?: 'open' | 'closed'; base?: string }
    const pullRequest = requirePullRequest(call, params.pull_number)
    const changes: Record<string, { from: string | null }> = {}
    for (const field of ['title', 'body'] as const) {
      const text = input[field]
      if (text === undefined || text === pullRequest[field]) continue
      changes[field] = { from: pullRequest[field] }
      pullRequest[field] = text
    }
    if (input.base !== undefined) {
      const baseSha = repository.branches.get(input.base)
      if (baseSha === undefined) throw fieldInvalid('base')
      Object.assign(pullRequest, { baseBranch: input.base, baseSha })
    }
    pullRequest.updatedAt = new Date()
    if (Object.keys(changes).length > 0) {
      events.emitRepositoryEvent(repository, 'pull_request', actorOf(caller), {
        action: 'edited',
        number: pullRequest.number,
        changes,
        pull_request: await pullRequestResponse(state, repository, pullRequest, null),
      })
    }
    if (input.state === 'closed' && pullRequest.state === 'open') {
      await closePullRequest(call, repository, pullRequest, actorOf(caller))
    }
    if (input.state === 'open' && pullRequest.state === 'closed') {
      const isOpen = await reopenPullRequest(call, repository, pullRequest, actorOf(caller))
      const message = `state cannot be changed. The ${pullRequest.headBranch} branch has been deleted.`
      if (!isOpen) throw validationFailed({ resource: 'PullRequest', code: 'custom', field: 'state', message })
    }
    return { status: 200, body: await pullRequestResponse(state, repository, pullRequest, null) }
  }),

  'pulls/list-commits': defineRepositoryOperation('pull_requests:read', async (call) => {
    const { repository, state, params } = call
    const pullRequest = requirePullRequest(call, params.pull_number)
    const { base } = await diffRange(repository, pullRequest)
    const commits = await readCommits(repository.directory, [`${base}..${pullRequest.headSha}`])
    const { items, headers } = paginate(commits.toReversed(), call)
    return { status: 200, body: items.map((commit) => commitResponse(state, repository, commit)), headers }
  }),

  'pulls/request-reviewers': defineRepositoryOperation('pull_requests:write', (call) => {
    const { repository, state, params } = call
    const { reviewers = [], team_reviewers: teams = [] } = call.body as {
      reviewers?: string[]
      team_reviewers?: string[]
    }
    const pullRequest = requirePullRequest(call, params.pull_number)
    const accounts = reviewers.map((login) => {
      const account = state.account(login)
      if (!account || !roleOf(repository, account) || teams.length > 0) {
        throw new ApiError(422, `${reviewersOnly} of the ${fullName(repository)} repository.`)
      }
      if (account === pullRequest.author)
        throw new ApiError(422, 'Review cannot be requested from pull request author.')
      return account
    })
    pullRequest.reviewers = [...new Set([...pullRequest.reviewers, ...accounts])]
    return { status: 201, body: pullRequestListItemResponse(state, repository, pullRequest) }
  }),

  'issues/list-labels-for-repo': defineRepositoryOperation(['issues:read', 'pull_requests:read'], (call) => {
    const { repository, state } = call
    const { items, headers } = paginate(repository.labels, call)
    return { status: 200, body: items.map((label) => labelResponse(state, repository, label)), headers }
  }),

  'issues/add-labels': defineRepositoryOperation(['issues:write', 'pull_requests:write'], (call) => {
    const { repository, state, params } = call
    const { labels = [] } = call.body as { labels?: (string | { name: string })[] }
    const pullRequest = requirePullRequest(call, params.issue_number)
    for (const labelInput of labels) {
      const name = typeof labelInput === 'string' ? labelInput : labelInput.name
      const isNamed = (label: { name: string }) => label.name.toLowerCase() === name.toLowerCase()
      let label = repository.labels.find(isNamed)
      if (!label) {
        label = { id: state.nextId(), name } // like GitHub, for callers with write permission
        repository.labels.push(label)
      }
      if (!pullRequest.labels.some(isNamed)) pullRequest.labels.push(label)
    }
    return { status: 200, body: pullRequest.labels.map((label) => labelResponse(state, repository, label)) }
  }),
}
