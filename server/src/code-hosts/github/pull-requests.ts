import { setTimeout as sleep } from 'node:timers/promises'
import type {
  EnsuredPullRequest,
  PullRequest,
  PullRequestBranches,
  PullRequestSpec,
  PullRequestText,
} from '../code-host.ts'
import { CodeHostError, isCodeHostErrorWithCode } from '../code-host-error.ts'
import { longTextPageSize, undefinedIfNotFound } from '../json-api.ts'
import { computeTextUpdate } from '../pull-request-text-update.ts'
import type { GithubApi } from './github-api.ts'
import { GithubLabel, GithubListedPullRequest, GithubPullRequest } from './github-schemas.ts'

/** A pull request that was created a moment ago may be missing from a list. */
const maxSearches = 4

export async function ensureGithubPullRequest(api: GithubApi, spec: PullRequestSpec): Promise<EnsuredPullRequest> {
  const existing = await findGithubPullRequestOfBranch(api, spec)
  if (existing) return { pullRequest: existing, skipped: { labels: [], reviewers: [] } }
  const { pullRequest, isNew } = await create(api, spec)
  if (!isNew) return { pullRequest, skipped: { labels: [], reviewers: [] } }
  const withRetries = createRetries()
  const labels = await addLabels(api, withRetries, pullRequest.number, spec.labels)
  const reviewers = await requestReviewers(api, withRetries, pullRequest.number, spec.reviewers)
  return { pullRequest, skipped: { labels, reviewers } }
}

export async function findGithubPullRequest(api: GithubApi, number: number): Promise<PullRequest | undefined> {
  const found = await undefinedIfNotFound(api.call('GET', `/pulls/${number}`, GithubPullRequest))
  return found && isFromSameRepository(found) ? toPullRequest(found) : undefined
}

export async function updateGithubPullRequestText(
  api: GithubApi,
  number: number,
  text: { previous: PullRequestText; updated: PullRequestText },
): Promise<PullRequest> {
  const found = toPullRequest(await api.call('GET', `/pulls/${number}`, GithubPullRequest))
  const change = computeTextUpdate(found, text)
  if (!change) return found
  return toPullRequest(await api.call('PATCH', `/pulls/${number}`, GithubPullRequest, change))
}

/** The open pull request, of which there can be only one; otherwise the newest. */
export async function findGithubPullRequestOfBranch(
  api: GithubApi,
  { branch, baseBranch }: PullRequestBranches,
): Promise<PullRequest | undefined> {
  const { owner } = await api.readRepository()
  const head = encodeURIComponent(`${owner.login}:${branch}`)
  const path = `/pulls?head=${head}&base=${encodeURIComponent(baseBranch)}&state=all`
  const all = await api.list(path, GithubListedPullRequest, longTextPageSize)
  // If it does not know the head, GitHub may return all pull requests.
  const found = all
    .filter(({ head, base }) => head.ref === branch && base.ref === baseBranch)
    .filter(isFromSameRepository)
  const newestFirst = found.toSorted((a, b) => b.number - a.number)
  const chosen = newestFirst.find(({ state }) => state === 'open') ?? newestFirst[0]
  return chosen && toPullRequest(chosen)
}

async function create(api: GithubApi, spec: PullRequestSpec): Promise<{ pullRequest: PullRequest; isNew: boolean }> {
  const { branch, baseBranch, title, body } = spec
  const post = (draft: boolean) =>
    api.call('POST', '/pulls', GithubPullRequest, { head: branch, base: baseBranch, title, body, draft })
  try {
    return { pullRequest: toPullRequest(await postAsDraft(post, spec.draft)), isNew: true }
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error
    const alreadyExists = /already exists/i.test(error.message)
    // After any error, because the response may have been lost after the pull request was created.
    for (let searches = 1; ; searches++) {
      const created = await findGithubPullRequestOfBranch(api, spec)
      if (created) return { pullRequest: created, isNew: !alreadyExists }
      if (!alreadyExists || searches === maxSearches) throw error
      await sleep(1_000)
    }
  }
}

/** Not every GitHub plan supports drafts. */
async function postAsDraft(post: (draft: boolean) => Promise<GithubPullRequest>, draft: boolean) {
  try {
    return await post(draft)
  } catch (error) {
    if (draft && isCodeHostErrorWithCode(error, 'rejected') && /draft/i.test(error.message)) return await post(false)
    throw error
  }
}

/** Adds only labels that exist, because GitHub would create the others. Returns those that were not set. */
async function addLabels(
  api: GithubApi,
  withRetries: WithRetries,
  number: number,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return []
  const all = (await withRetries(() => api.list('/labels', GithubLabel))) ?? []
  const existing = names.filter((name) => all.some((label) => label.name.toLowerCase() === name.toLowerCase()))
  if (existing.length === 0) return [...names]
  const added = await withRetries(() => api.send('POST', `/issues/${number}/labels`, { labels: existing }).then(yes))
  return names.filter((name) => !added || !existing.includes(name))
}

/** Requests reviewers one by one: one wrong name in a list would reject all. Returns those that were not requested. */
async function requestReviewers(
  api: GithubApi,
  withRetries: WithRetries,
  number: number,
  names: readonly string[],
): Promise<string[]> {
  const skipped: string[] = []
  for (const name of names) {
    const request = () => api.send('POST', `/pulls/${number}/requested_reviewers`, { reviewers: [name] }).then(yes)
    if (!(await withRetries(request))) skipped.push(name)
  }
  return skipped
}

const yes = () => true

/** Undefined: the call was rejected, or there was no time left for it. */
type WithRetries = <Value>(call: () => Promise<Value>) => Promise<Value | undefined>

const retryPeriodMs = 20_000

/**
 * The pull request exists, and problems with its labels and reviewers do not undo that. Temporary failures are retried here,
 * because the next attempt finds the pull request and leaves it as it is. All calls share one short period, because other
 * results are waiting to be published.
 */
function createRetries(): WithRetries {
  const deadline = Date.now() + retryPeriodMs
  let isOver = false
  return async (call) => {
    while (!isOver) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof CodeHostError)) throw error
        if (error.failure.kind === 'final') return undefined
        const waitMs = (error.failure.retryAfterSeconds ?? 1) * 1000
        isOver = Date.now() + waitMs > deadline
        if (!isOver) await sleep(waitMs)
      }
    }
    return undefined
  }
}

/** A fork can have a branch with the same name. */
const isFromSameRepository = ({ head, base }: GithubListedPullRequest) => head.repo?.id === base.repo.id

function toPullRequest(found: GithubListedPullRequest | GithubPullRequest): PullRequest {
  const isOpen = found.state === 'open'
  const mergeable = 'mergeable' in found ? found.mergeable : null
  return {
    number: found.number,
    url: found.html_url,
    state: found.merged_at === null ? found.state : 'merged',
    title: found.title,
    body: found.body ?? '',
    branch: found.head.ref,
    headCommit: found.head.sha,
    hasConflicts: isOpen && mergeable !== null ? !mergeable : null,
  }
}
