import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import type { EnsuredPullRequest, PullRequest, PullRequestText, WantedPullRequest } from '../code-host.ts'
import { isCodeHostError } from '../code-host-error.ts'
import { encodePath, unlessMissing } from '../json-api.ts'
import { changeOfText } from '../pull-request-change.ts'
import { GiteaLabel, GiteaPullRequest } from './gitea-answers.ts'
import type { GiteaApi } from './gitea-api.ts'

/** Gitea knows a draft by its title. */
const draftPrefix = 'WIP: '

const looksForOneUnderWay = 5
const newestPullRequests = 50
const looksForConflicts = 3

export async function ensureGiteaPullRequest(api: GiteaApi, wanted: WantedPullRequest): Promise<EnsuredPullRequest> {
  let existing = await findByBranch(api, wanted)
  for (let looks = 0; !existing && wanted.mayBeUnderWay && looks < looksForOneUnderWay; looks++) {
    await sleep(1_000)
    existing = await findByBranch(api, wanted)
  }
  if (existing) {
    const pullRequest = wanted.mayBeUnderWay ? await onlyOne(api, wanted, existing) : existing
    return { pullRequest, skipped: { labels: [], reviewers: [] } }
  }
  const labels = wanted.labels.length === 0 ? [] : await labelsNamed(api, wanted.labels)
  const { pullRequest, skippedReviewers } = await create(api, wanted, labels)
  const applied = labels.map(({ name }) => name)
  return {
    pullRequest,
    skipped: { labels: wanted.labels.filter((name) => !applied.includes(name)), reviewers: skippedReviewers },
  }
}

/**
 * Gitea looks for conflicts in the background, and says "not mergeable" until it has: only what it says again a moment later
 * is believed.
 */
export async function findGiteaPullRequest(api: GiteaApi, number: number): Promise<PullRequest | undefined> {
  for (let looks = 1; ; looks++) {
    const found = await unlessMissing(api.call('GET', `/pulls/${number}`, GiteaPullRequest))
    if (!found || !isFromHere(found)) return undefined
    const isUnsure = found.state === 'open' && !found.mergeable && !found.draft
    if (!isUnsure) return asPullRequest(found)
    if (looks === looksForConflicts) return { ...asPullRequest(found), hasConflicts: true }
    await sleep(700)
  }
}

export async function rewriteGiteaPullRequest(
  api: GiteaApi,
  number: number,
  { written, wanted }: { written: PullRequestText; wanted: PullRequestText },
): Promise<PullRequest> {
  const found = await api.call('GET', `/pulls/${number}`, GiteaPullRequest)
  // Whether it is a draft is left as people have it.
  const prefix = found.title.startsWith(draftPrefix) ? draftPrefix : ''
  const prefixed = (text: PullRequestText) => ({ ...text, title: prefix + text.title })
  const change = changeOfText(found, { written: prefixed(written), wanted: prefixed(wanted) })
  if (!change) return asPullRequest(found)
  return asPullRequest(await api.call('PATCH', `/pulls/${number}`, GiteaPullRequest, change))
}

/** Open, merged or closed: this call, unlike the check behind "already exists", looks at all of them. */
async function findByBranch(api: GiteaApi, wanted: WantedPullRequest) {
  const path = `/pulls/${encodeURIComponent(wanted.baseBranch)}/${encodePath(wanted.branch)}`
  const found = await unlessMissing(api.call('GET', path, GiteaPullRequest).then(asPullRequest))
  if (!found || found.state === 'open') return found
  const [open] = await findOpen(api, wanted)
  return open ?? found // which may be the one of two that stepped back
}

/** Oldest first; among the newest of the repository, where two that were made together would be. */
async function findOpen(api: GiteaApi, { branch, baseBranch }: WantedPullRequest): Promise<PullRequest[]> {
  const newest = await api.call('GET', `/pulls?state=open&limit=${newestPullRequests}`, Type.Array(GiteaPullRequest))
  return newest
    .filter((one) => one.head.ref === branch && one.base.ref === baseBranch && isFromHere(one))
    .map(asPullRequest)
    .sort((a, b) => a.number - b.number)
}

type Label = { id: number; name: string }

async function labelsNamed(api: GiteaApi, names: readonly string[]): Promise<Label[]> {
  try {
    const all = await api.list('/labels', GiteaLabel)
    return all.filter(({ name }) => names.includes(name))
  } catch (error) {
    if (isCodeHostError(error, 'forbidden')) return [] // a token good for pull requests need not be good for labels
    throw error
  }
}

async function create(api: GiteaApi, wanted: WantedPullRequest, labels: readonly Label[]) {
  const { branch, baseBranch, title, body, draft, reviewers } = wanted
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
    const made = asPullRequest(await post(reviewers))
    return { pullRequest: await onlyOne(api, wanted, made), skippedReviewers: [] }
  } catch (error) {
    // "Already exists": another attempt was quicker. A reviewer without access is an error after the pull request was
    // made (500), an unknown one before (404).
    const found = await findByBranch(api, wanted)
    if (found && isCodeHostError(error, 'conflict')) return { pullRequest: found, skippedReviewers: [] }
    if (found) return { pullRequest: await onlyOne(api, wanted, found), skippedReviewers: reviewers }
    if (reviewers.length === 0 || !isCodeHostError(error, 'not_found', 'forbidden', 'rejected')) throw error
    const made = asPullRequest(await post([]))
    return { pullRequest: await onlyOne(api, wanted, made), skippedReviewers: reviewers }
  }
}

/**
 * Gitea looks for an open one of the same branch some time before it makes one, and makes two of two calls within that
 * time (tried: 150 ms apart). The younger one steps back, whoever asked for it, so that people see one. Whoever comes by
 * looks: one may be made just after the other's maker has looked, and its own maker may have lost the answer.
 */
async function onlyOne(api: GiteaApi, wanted: WantedPullRequest, known: PullRequest): Promise<PullRequest> {
  const [oldest, ...younger] = await findOpen(api, wanted)
  for (const { number } of younger) await api.call('PATCH', `/pulls/${number}`, GiteaPullRequest, { state: 'closed' })
  return oldest ?? known
}

/** A fork can have a branch of any name. */
const isFromHere = ({ head, base }: GiteaPullRequest) => head.repo_id === base.repo_id

function asPullRequest(found: GiteaPullRequest): PullRequest {
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
