/** A person on Gitea, through Gitea's own API. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostPullRequest, HostUserClient } from './host-user-client.ts'

interface GiteaPullRequest {
  number: number
  html_url: string
  state: 'open' | 'closed'
  merged: boolean
  title: string
  body: string
  draft: boolean
  head: { ref: string }
  labels: { id: number; name: string }[]
  requested_reviewers: { login: string }[] | null
}

interface GiteaCommit {
  sha: string
  parents: { sha: string }[]
  commit: { message: string; author: { name: string } }
}

/** Plus direct API calls, for proofs that run on Gitea only. */
export interface GiteaUserClient extends HostUserClient {
  json<Body>(method: string, path: string, body?: unknown): Promise<Body>
  text(method: string, path: string, body?: unknown): Promise<string>
}

export function createGiteaUserClient(giteaUrl: string, repository: string, token: string): GiteaUserClient {
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${giteaUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    return { status: response.status, ok: response.ok, text: await response.text() }
  }
  const text = async (method: string, path: string, body?: unknown) => {
    const response = await send(method, path, body)
    if (!response.ok) throw new Error(`Gitea: ${method} ${path}: ${response.status} ${response.text}`)
    return response.text
  }
  const json = async <Body>(method: string, path: string, body?: unknown) =>
    JSON.parse(await text(method, path, body)) as Body
  const repositoryPath = `/repos/${repository}`

  const all = async <Item>(path: string): Promise<Item[]> => {
    const items: Item[] = []
    for (let page = 1; ; page++) {
      const batch = await json<Item[]>('GET', `${path}${path.includes('?') ? '&' : '?'}limit=50&page=${page}`)
      if (batch.length === 0) return items
      items.push(...batch)
    }
  }

  const find = (number: number) => json<GiteaPullRequest>('GET', `${repositoryPath}/pulls/${number}`)
  const edit = (number: number, change: Record<string, string>) =>
    text('PATCH', `${repositoryPath}/pulls/${number}`, change)

  /**
   * Retries: Gitea checks in the background whether a pull request can be merged and responds with 405 until it knows; and of
   * two concurrent changes of a branch, one finds it locked or moved.
   */
  async function change(method: string, path: string, body: object): Promise<void> {
    for (;;) {
      const response = await send(method, path, body)
      if (response.ok) return
      const isTransient = response.status === 405 || /cannot lock ref|out of date|PushOutOfDate/.test(response.text)
      if (!isTransient) throw new Error(`Gitea: ${method} ${path}: ${response.status} ${response.text}`)
      await sleep(100)
    }
  }

  return {
    repository,
    json,
    text,
    pullRequest: async (number) => toHostPullRequest(await find(number)),
    pullRequests: async () =>
      (await all<GiteaPullRequest>(`${repositoryPath}/pulls?state=all`))
        .map(toHostPullRequest)
        .sort((a, b) => a.number - b.number),
    branches: async () => (await all<{ name: string }>(`${repositoryPath}/branches`)).map(({ name }) => name),
    pullRequestDiff: (number) => text('GET', `${repositoryPath}/pulls/${number}.diff`),
    pullRequestCommits: async (number) =>
      (await all<GiteaCommit>(`${repositoryPath}/pulls/${number}/commits`))
        .reverse()
        .map(({ sha, parents, commit }) => ({
          id: sha,
          parents: parents.map((parent) => parent.sha),
          message: commit.message,
          isByColophon: commit.author.name === 'Colophon',
        })),
    read: (path, branch) => text('GET', `${repositoryPath}/raw/${path}?ref=${encodeURIComponent(branch)}`),

    merge: (number) => change('POST', `${repositoryPath}/pulls/${number}/merge`, { Do: 'merge' }),

    async close(number) {
      await edit(number, { state: 'closed' })
    },
    async editText(number, text) {
      await edit(number, text)
    },
    async markReady(number) {
      await edit(number, { title: (await find(number)).title.replace(/^WIP: /, '') })
    },

    async push(branch, path, contents) {
      const existing = await send('GET', `${repositoryPath}/contents/${path}?ref=${encodeURIComponent(branch)}`)
      const sha = existing.ok ? (JSON.parse(existing.text) as { sha: string }).sha : undefined
      const content = Buffer.from(contents).toString('base64')
      const file = { branch, content, message: `Change ${path}`, ...(sha && { sha }) }
      await change(sha ? 'PUT' : 'POST', `${repositoryPath}/contents/${path}`, file)
    },

    async deleteBranch(branch) {
      await text('DELETE', `${repositoryPath}/branches/${branch}`)
    },
    async removeLabel(number, name) {
      const label = (await find(number)).labels.find((label) => label.name === name)
      await text('DELETE', `${repositoryPath}/issues/${number}/labels/${label?.id}`)
    },
  }
}

const toHostPullRequest = (pullRequest: GiteaPullRequest): HostPullRequest => ({
  number: pullRequest.number,
  url: pullRequest.html_url,
  state: pullRequest.merged ? 'merged' : pullRequest.state,
  title: pullRequest.title,
  body: pullRequest.body,
  isDraft: pullRequest.draft,
  branch: pullRequest.head.ref,
  labels: pullRequest.labels.map(({ name }) => name),
  reviewers: (pullRequest.requested_reviewers ?? []).map(({ login }) => login),
})
