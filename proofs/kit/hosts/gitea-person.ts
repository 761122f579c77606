/** Somebody on Gitea, through Gitea's own API. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostPerson, SeenPullRequest } from './host-person.ts'

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

/** And what other proofs ask Gitea alone. */
export interface GiteaPerson extends HostPerson {
  json<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  text(method: string, path: string, body?: unknown): Promise<string>
}

export function giteaPerson(giteaUrl: string, repository: string, token: string): GiteaPerson {
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
  const json = async <Answer>(method: string, path: string, body?: unknown) =>
    JSON.parse(await text(method, path, body)) as Answer
  const here = `/repos/${repository}`

  const all = async <Item>(path: string): Promise<Item[]> => {
    const items: Item[] = []
    for (let page = 1; ; page++) {
      const found = await json<Item[]>('GET', `${path}${path.includes('?') ? '&' : '?'}limit=50&page=${page}`)
      if (found.length === 0) return items
      items.push(...found)
    }
  }

  const find = (number: number) => json<GiteaPullRequest>('GET', `${here}/pulls/${number}`)
  const edit = (number: number, change: Record<string, string>) => text('PATCH', `${here}/pulls/${number}`, change)

  /**
   * Gitea looks in the background whether a pull request can be merged, and says 405 until it knows; and of two who change a
   * branch at once one finds it locked, or moved.
   */
  async function change(method: string, path: string, body: object): Promise<void> {
    for (;;) {
      const response = await send(method, path, body)
      if (response.ok) return
      const isSoon = response.status === 405 || /cannot lock ref|out of date/.test(response.text)
      if (!isSoon) throw new Error(`Gitea: ${method} ${path}: ${response.status} ${response.text}`)
      await sleep(100)
    }
  }

  return {
    repository,
    json,
    text,
    pullRequest: async (number) => asSeen(await find(number)),
    pullRequests: async () =>
      (await all<GiteaPullRequest>(`${here}/pulls?state=all`)).map(asSeen).sort((a, b) => a.number - b.number),
    branches: async () => (await all<{ name: string }>(`${here}/branches`)).map(({ name }) => name),
    diffOf: (number) => text('GET', `${here}/pulls/${number}.diff`),
    commitsOf: async (number) =>
      (await all<GiteaCommit>(`${here}/pulls/${number}/commits`)).reverse().map(({ sha, parents, commit }) => ({
        id: sha,
        parents: parents.map((parent) => parent.sha),
        message: commit.message,
        isOurs: commit.author.name === 'Colophon',
      })),
    read: (path, branch) => text('GET', `${here}/raw/${path}?ref=${encodeURIComponent(branch)}`),

    merge: (number) => change('POST', `${here}/pulls/${number}/merge`, { Do: 'merge' }),

    async close(number) {
      await edit(number, { state: 'closed' })
    },
    async rewrite(number, words) {
      await edit(number, words)
    },
    async declareReady(number) {
      await edit(number, { title: (await find(number)).title.replace(/^WIP: /, '') })
    },

    async push(branch, path, contents) {
      const known = await send('GET', `${here}/contents/${path}?ref=${encodeURIComponent(branch)}`)
      const sha = known.ok ? (JSON.parse(known.text) as { sha: string }).sha : undefined
      const content = Buffer.from(contents).toString('base64')
      const file = { branch, content, message: `Change ${path}`, ...(sha && { sha }) }
      await change(sha ? 'PUT' : 'POST', `${here}/contents/${path}`, file)
    },

    async deleteBranch(branch) {
      await text('DELETE', `${here}/branches/${branch}`)
    },
    async removeLabel(number, name) {
      const label = (await find(number)).labels.find((found) => found.name === name)
      await text('DELETE', `${here}/issues/${number}/labels/${label?.id}`)
    },
  }
}

const asSeen = (found: GiteaPullRequest): SeenPullRequest => ({
  number: found.number,
  url: found.html_url,
  state: found.merged ? 'merged' : found.state,
  title: found.title,
  body: found.body,
  isDraft: found.draft,
  branch: found.head.ref,
  labels: found.labels.map(({ name }) => name),
  reviewers: (found.requested_reviewers ?? []).map(({ login }) => login),
})
