import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import type { Egress } from '../../platform/egress/egress.ts'
import type { CodeHost, GitRemote, PullRequest, WantedPullRequest } from '../code-host.ts'
import { isCodeHostError } from '../code-host-error.ts'
import { GiteaBranch, GiteaHook, GiteaLabel, GiteaPullRequest } from './gitea-answers.ts'
import { createGiteaApi, type GiteaApi, type GiteaConnection } from './gitea-api.ts'
import { testGiteaConnection } from './test-connection.ts'

/** Gitea knows a draft by its title. */
const draftPrefix = 'WIP: '

const looksForOneUnderWay = 5
const newestPullRequests = 50

export function createGiteaHost(connection: GiteaConnection, egress: Egress): CodeHost {
  const api = createGiteaApi(connection, egress)
  const gitRemote = gitRemoteOf(connection)

  return {
    gitRemote,
    testConnection: (baseBranch) => testGiteaConnection({ api, gitRemote, egress, baseBranch }),
    branchHead: (branch) => branchHead(api, branch),

    async deleteBranch(branch, pushed) {
      const head = await branchHead(api, branch)
      if (!head) return 'absent'
      if (head !== pushed) return 'moved'
      const deleted = await unlessMissing(api.run('DELETE', `/branches/${encodePath(branch)}`).then(() => true))
      return deleted ? 'deleted' : 'absent'
    },

    async ensurePullRequest(wanted) {
      let existing = await findByBranch(api, wanted)
      for (let looks = 0; !existing && wanted.mayBeUnderWay && looks < looksForOneUnderWay; looks++) {
        await sleep(1_000)
        existing = await findByBranch(api, wanted)
      }
      if (existing) return { pullRequest: existing, skipped: { labels: [], reviewers: [] } }
      const labels = wanted.labels.length === 0 ? [] : await labelsNamed(api, wanted.labels)
      const { pullRequest, skippedReviewers } = await create(api, wanted, labels)
      const applied = labels.map(({ name }) => name)
      return {
        pullRequest,
        skipped: { labels: wanted.labels.filter((name) => !applied.includes(name)), reviewers: skippedReviewers },
      }
    },

    findPullRequest: (number) =>
      unlessMissing(api.call('GET', `/pulls/${number}`, GiteaPullRequest).then(asPullRequest)),

    async rewritePullRequest(number, { written, wanted }) {
      const found = await api.call('GET', `/pulls/${number}`, GiteaPullRequest)
      const change = changeOfText(found, written, wanted)
      if (!change) return asPullRequest(found)
      return asPullRequest(await api.call('PATCH', `/pulls/${number}`, GiteaPullRequest, change))
    },

    async ensureWebhook({ url, secret }) {
      try {
        const before = await api.list('/hooks', GiteaHook)
        const hook = {
          type: 'gitea',
          active: true,
          events: ['pull_request_only'], // `pull_request` alone would mean labels, comments and reviews too
          config: { url, content_type: 'json', secret },
        }
        // Made anew each time: Gitea does not tell a hook's secret, and editing a hook leaves its secret as it was.
        await api.call('POST', '/hooks', GiteaHook, hook)
        for (const { id, config } of before) {
          if (config.url === url) await unlessMissing(api.run('DELETE', `/hooks/${id}`))
        }
        return 'ensured'
      } catch (error) {
        if (isCodeHostError(error, 'forbidden')) return 'not_permitted'
        throw error
      }
    },
  }
}

function gitRemoteOf({ baseUrl, owner, name, token }: GiteaConnection): GitRemote {
  return {
    // Built here and not taken from an answer: the token goes where a person said, not where a host says.
    url: `${baseUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}.git`,
    authorization: () => `Basic ${Buffer.from(`colophon:${token}`).toString('base64')}`,
  }
}

async function branchHead(api: GiteaApi, branch: string) {
  const found = await unlessMissing(api.call('GET', `/branches/${encodePath(branch)}`, GiteaBranch))
  return found?.commit.id
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
    .filter(({ head, base }) => head.ref === branch && base.ref === baseBranch)
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
    return { pullRequest: await onlyOne(api, wanted, await post(reviewers)), skippedReviewers: [] }
  } catch (error) {
    // "Already exists": another attempt was quicker. A reviewer without access is an error after the pull request was
    // made (500), an unknown one before (404).
    const made = await findByBranch(api, wanted)
    if (made) return { pullRequest: made, skippedReviewers: isCodeHostError(error, 'conflict') ? [] : reviewers }
    if (reviewers.length === 0 || !isCodeHostError(error, 'not_found', 'forbidden', 'rejected')) throw error
    return { pullRequest: await onlyOne(api, wanted, await post([])), skippedReviewers: reviewers }
  }
}

/**
 * Gitea looks for an open one of the same branch some time before it makes one, and makes two of two calls within that
 * time (tried: 150 ms apart). The younger one steps back, whoever asked for it, so that people see one.
 */
async function onlyOne(api: GiteaApi, wanted: WantedPullRequest, made: GiteaPullRequest): Promise<PullRequest> {
  const [oldest, ...younger] = await findOpen(api, wanted)
  for (const { number } of younger) await api.call('PATCH', `/pulls/${number}`, GiteaPullRequest, { state: 'closed' })
  return oldest ?? asPullRequest(made)
}

/** What has to change, or nothing. Whether it is a draft is left as people have it. */
function changeOfText(
  found: GiteaPullRequest,
  written: { title: string; body: string },
  wanted: { title: string; body: string },
) {
  const prefix = found.title.startsWith(draftPrefix) ? draftPrefix : ''
  const isTitleOurs = found.title === prefix + written.title
  const isBodyOurs = withUnixLines(found.body) === withUnixLines(written.body)
  const title = isTitleOurs ? prefix + wanted.title : found.title
  const body = isBodyOurs ? wanted.body : found.body
  const isSame = title === found.title && withUnixLines(body) === withUnixLines(found.body)
  return isSame ? undefined : { title, body }
}

/** Hosts change line ends, and cut blanks off the end. */
const withUnixLines = (text: string) => text.replaceAll('\r\n', '\n').trim()

function asPullRequest(found: GiteaPullRequest): PullRequest {
  return {
    number: found.number,
    url: found.html_url,
    state: found.merged ? 'merged' : found.state,
    title: found.title,
    body: found.body,
    headCommit: found.head.sha,
  }
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

async function unlessMissing<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    if (isCodeHostError(error, 'not_found')) return undefined
    throw error
  }
}
