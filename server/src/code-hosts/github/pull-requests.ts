import { setTimeout as sleep } from 'node:timers/promises'
import type { EnsuredPullRequest, PullRequest, PullRequestText, WantedPullRequest } from '../code-host.ts'
import { CodeHostError, isCodeHostError } from '../code-host-error.ts'
import { longTextsPerPage, unlessMissing } from '../json-api.ts'
import { changeOfText } from '../pull-request-change.ts'
import { GithubLabel, GithubListedPullRequest, GithubPullRequest } from './github-answers.ts'
import type { GithubApi } from './github-api.ts'

/** What was made a moment ago may be missing from a list. */
const looksForExisting = 4

export async function ensureGithubPullRequest(api: GithubApi, wanted: WantedPullRequest): Promise<EnsuredPullRequest> {
  const existing = await findByBranch(api, wanted)
  if (existing) return { pullRequest: existing, skipped: { labels: [], reviewers: [] } }
  const { pullRequest, isOurs } = await create(api, wanted)
  if (!isOurs) return { pullRequest, skipped: { labels: [], reviewers: [] } }
  const patiently = createPatience()
  const labels = await addLabels(api, patiently, pullRequest.number, wanted.labels)
  const reviewers = await askReviewers(api, patiently, pullRequest.number, wanted.reviewers)
  return { pullRequest, skipped: { labels, reviewers } }
}

export async function findGithubPullRequest(api: GithubApi, number: number): Promise<PullRequest | undefined> {
  const found = await unlessMissing(api.call('GET', `/pulls/${number}`, GithubPullRequest))
  return found && isFromHere(found) ? asPullRequest(found) : undefined
}

export async function rewriteGithubPullRequest(
  api: GithubApi,
  number: number,
  text: { written: PullRequestText; wanted: PullRequestText },
): Promise<PullRequest> {
  const found = asPullRequest(await api.call('GET', `/pulls/${number}`, GithubPullRequest))
  const change = changeOfText(found, text)
  if (!change) return found
  return asPullRequest(await api.call('PATCH', `/pulls/${number}`, GithubPullRequest, change))
}

/** The open one, of which there can be one; else the youngest. */
async function findByBranch(
  api: GithubApi,
  { branch, baseBranch }: WantedPullRequest,
): Promise<PullRequest | undefined> {
  const { owner } = await api.readRepository()
  const head = encodeURIComponent(`${owner.login}:${branch}`)
  const path = `/pulls?head=${head}&base=${encodeURIComponent(baseBranch)}&state=all`
  const all = await api.list(path, GithubListedPullRequest, longTextsPerPage)
  // Asked for a head that it does not know, GitHub may answer with everything.
  const found = all.filter((one) => one.head.ref === branch && one.base.ref === baseBranch && isFromHere(one))
  const youngest = found.toSorted((a, b) => b.number - a.number)
  const chosen = youngest.find(({ state }) => state === 'open') ?? youngest[0]
  return chosen && asPullRequest(chosen)
}

async function create(
  api: GithubApi,
  wanted: WantedPullRequest,
): Promise<{ pullRequest: PullRequest; isOurs: boolean }> {
  const { branch, baseBranch, title, body } = wanted
  const post = (draft: boolean) =>
    api.call('POST', '/pulls', GithubPullRequest, { head: branch, base: baseBranch, title, body, draft })
  try {
    return { pullRequest: asPullRequest(await postAsDraft(post, wanted.draft)), isOurs: true }
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error
    const isQuicker = /already exists/i.test(error.message)
    // Of a lost answer too: it may have been made.
    for (let looks = 1; ; looks++) {
      const made = await findByBranch(api, wanted)
      if (made) return { pullRequest: made, isOurs: !isQuicker }
      if (!isQuicker || looks === looksForExisting) throw error
      await sleep(1_000)
    }
  }
}

/** Drafts are not in every plan. */
async function postAsDraft(post: (draft: boolean) => Promise<GithubPullRequest>, draft: boolean) {
  try {
    return await post(draft)
  } catch (error) {
    if (draft && isCodeHostError(error, 'rejected') && /draft/i.test(error.message)) return await post(false)
    throw error
  }
}

/** Those that exist: GitHub would make the others. Returns those that were not set. */
async function addLabels(
  api: GithubApi,
  patiently: Patiently,
  number: number,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return []
  const all = (await patiently(() => api.list('/labels', GithubLabel))) ?? []
  const known = names.filter((name) => all.some((label) => label.name.toLowerCase() === name.toLowerCase()))
  if (known.length === 0) return [...names]
  const added = await patiently(() => api.run('POST', `/issues/${number}/labels`, { labels: known }).then(yes))
  return names.filter((name) => !added || !known.includes(name))
}

/** One by one: of several, one wrong name would refuse them all. Returns those that were not asked. */
async function askReviewers(
  api: GithubApi,
  patiently: Patiently,
  number: number,
  names: readonly string[],
): Promise<string[]> {
  const skipped: string[] = []
  for (const name of names) {
    const ask = () => api.run('POST', `/pulls/${number}/requested_reviewers`, { reviewers: [name] }).then(yes)
    if (!(await patiently(ask))) skipped.push(name)
  }
  return skipped
}

const yes = () => true

/** Undefined: it was refused, or there was no time left for it. */
type Patiently = <Value>(call: () => Promise<Value>) => Promise<Value | undefined>

const patienceMs = 20_000

/**
 * The pull request is there: whatever is wrong with its labels and reviewers does not take it back. What passes is waited
 * for here, because the next attempt finds the pull request and leaves it as it is; but for all of them together, and not
 * for long, because others wait to be published.
 */
function createPatience(): Patiently {
  const endsAt = Date.now() + patienceMs
  let isOver = false
  return async (call) => {
    while (!isOver) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof CodeHostError)) throw error
        if (error.failure.kind === 'final') return undefined
        const restMs = (error.failure.retryAfterSeconds ?? 1) * 1000
        isOver = Date.now() + restMs > endsAt
        if (!isOver) await sleep(restMs)
      }
    }
    return undefined
  }
}

/** A fork can have a branch of any name. */
const isFromHere = ({ head, base }: GithubListedPullRequest) => head.repo?.id === base.repo.id

function asPullRequest(found: GithubListedPullRequest | GithubPullRequest): PullRequest {
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
