import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import type {
  EnsuredPullRequest,
  PullRequest,
  PullRequestBranches,
  PullRequestSpec,
  PullRequestText,
} from '../code-host.ts'
import { isCodeHostErrorWithCode } from '../code-host-error.ts'
import { encodePath, undefinedIfNotFound } from '../json-api.ts'
import { computeTextUpdate } from '../pull-request-text-update.ts'
import type { GiteaApi } from './gitea-api.ts'
import { GiteaLabel, GiteaPullRequest } from './gitea-schemas.ts'

/** Gitea recognizes a draft by its title. */
const draftPrefix = 'WIP: '

const maxSearches = 5
const maxNewestPullRequests = 50
const maxConflictReads = 3

export async function ensureGiteaPullRequest(api: GiteaApi, spec: PullRequestSpec): Promise<EnsuredPullRequest> {
  let existing = await findGiteaPullRequestOfBranch(api, spec)
  for (let searches = 0; !existing && spec.mayBeInProgress && searches < maxSearches; searches++) {
    await sleep(1_000)
    existing = await findGiteaPullRequestOfBranch(api, spec)
  }
  if (existing) {
    const pullRequest = spec.mayBeInProgress ? await closeDuplicates(api, spec, existing) : existing
    return { pullRequest, skipped: { labels: [], reviewers: [] } }
  }
  const labels = spec.labels.length === 0 ? [] : await findLabels(api, spec.labels)
  const { pullRequest, skippedReviewers } = await create(api, spec, labels)
  const applied = labels.map(({ name }) => name)
  return {
    pullRequest,
    skipped: { labels: spec.labels.filter((name) => !applied.includes(name)), reviewers: skippedReviewers },
  }
}

/**
 * Gitea checks for conflicts in the background, and reports "not mergeable" until it has finished. So a conflict is accepted
 * only if Gitea reports it repeatedly.
 */
export async function findGiteaPullRequest(api: GiteaApi, number: number): Promise<PullRequest | undefined> {
  for (let reads = 1; ; reads++) {
    const found = await undefinedIfNotFound(api.call('GET', `/pulls/${number}`, GiteaPullRequest))
    if (!found || !isFromSameRepository(found)) return undefined
    const mayBeUnchecked = found.state === 'open' && !found.mergeable && !found.draft
    if (!mayBeUnchecked) return toPullRequest(found)
    if (reads === maxConflictReads) return { ...toPullRequest(found), hasConflicts: true }
    await sleep(700)
  }
}

export async function updateGiteaPullRequestText(
  api: GiteaApi,
  number: number,
  { previous, updated }: { previous: PullRequestText; updated: PullRequestText },
): Promise<PullRequest> {
  const found = await api.call('GET', `/pulls/${number}`, GiteaPullRequest)
  // The draft state is left as people set it.
  const prefix = found.title.startsWith(draftPrefix) ? draftPrefix : ''
  const withPrefix = (text: PullRequestText) => ({ ...text, title: prefix + text.title })
  const change = computeTextUpdate(found, { previous: withPrefix(previous), updated: withPrefix(updated) })
  if (!change) return toPullRequest(found)
  return toPullRequest(await api.call('PATCH', `/pulls/${number}`, GiteaPullRequest, change))
}

/** Open, merged or closed: unlike the check behind "already exists", this request finds pull requests in every state. */
export async function findGiteaPullRequestOfBranch(
  api: GiteaApi,
  branches: PullRequestBranches,
): Promise<PullRequest | undefined> {
  const path = `/pulls/${encodeURIComponent(branches.baseBranch)}/${encodePath(branches.branch)}`
  const found = await undefinedIfNotFound(api.call('GET', path, GiteaPullRequest).then(toPullRequest))
  if (!found || found.state === 'open') return found
  const [open] = await findOpen(api, branches)
  return open ?? found // which may be a closed duplicate
}

/** Oldest first. Searches the newest of the repository, which include duplicates that were created at the same time. */
async function findOpen(api: GiteaApi, { branch, baseBranch }: PullRequestBranches): Promise<PullRequest[]> {
  const newest = await api.call('GET', `/pulls?state=open&limit=${maxNewestPullRequests}`, Type.Array(GiteaPullRequest))
  return newest
    .filter(({ head, base }) => head.ref === branch && base.ref === baseBranch)
    .filter(isFromSameRepository)
    .map(toPullRequest)
    .sort((a, b) => a.number - b.number)
}

type Label = { id: number; name: string }

async function findLabels(api: GiteaApi, names: readonly string[]): Promise<Label[]> {
  try {
    const all = await api.list('/labels', GiteaLabel)
    return all.filter(({ name }) => names.includes(name))
  } catch (error) {
    if (isCodeHostErrorWithCode(error, 'forbidden')) return [] // a token for pull requests need not have the scope for labels
    throw error
  }
}

async function create(api: GiteaApi, spec: PullRequestSpec, labels: readonly Label[]) {
  const { branch, baseBranch, title, body, draft, reviewers } = spec
  const post = (withReviewers: readonly string[]) =>
    api.call('POST', '/pulls', GiteaPullRequest, {
      head: branch,
      base: baseBranch,
      title: draft ? draftPrefix + title : title,
      body,
      labels: labels.map(({ id }) => id),
      reviewers: withReviewers,
    })
  try {
    const created = toPullRequest(await post(reviewers))
    return { pullRequest: await closeDuplicates(api, spec, created), skippedReviewers: [] }
  } catch (error) {
    // "Already exists" (409): another attempt was faster. A reviewer without access is an error after the pull request was
    // created (500), an unknown reviewer one before (404).
    const found = await findGiteaPullRequestOfBranch(api, spec)
    if (found && isCodeHostErrorWithCode(error, 'conflict')) return { pullRequest: found, skippedReviewers: [] }
    if (found) return { pullRequest: await closeDuplicates(api, spec, found), skippedReviewers: reviewers }
    if (reviewers.length === 0 || !isCodeHostErrorWithCode(error, 'not_found', 'forbidden', 'rejected')) throw error
    const created = toPullRequest(await post([]))
    return { pullRequest: await closeDuplicates(api, spec, created), skippedReviewers: reviewers }
  }
}

/**
 * Gitea checks for an open pull request of the same branch some time before it creates one, so two calls within that time
 * create two (tried: 150 ms apart). The newer ones are closed, whichever attempt created them, so that people see one. Every
 * attempt checks: a duplicate may be created just after the other attempt has checked, and the attempt that created it may
 * have lost the response.
 */
async function closeDuplicates(api: GiteaApi, spec: PullRequestSpec, fallback: PullRequest): Promise<PullRequest> {
  const [oldest, ...newer] = await findOpen(api, spec)
  for (const { number } of newer) await api.call('PATCH', `/pulls/${number}`, GiteaPullRequest, { state: 'closed' })
  return oldest ?? fallback
}

/** A fork can have a branch with the same name. */
const isFromSameRepository = ({ head, base }: GiteaPullRequest) => head.repo_id === base.repo_id

function toPullRequest(found: GiteaPullRequest): PullRequest {
  return {
    number: found.number,
    url: found.html_url,
    state: found.merged ? 'merged' : found.state,
    title: found.title,
    body: found.body,
    branch: found.head.ref,
    headCommit: found.head.sha,
    hasConflicts: found.mergeable ? false : null,
  }
}
