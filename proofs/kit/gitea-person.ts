/** Somebody who looks at a repository on Gitea, pushes to it, and merges or closes pull requests, through Gitea's own API. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface SeenPullRequest {
  number: number
  html_url: string
  state: 'open' | 'closed'
  merged: boolean
  title: string
  body: string
  draft: boolean
  head: { ref: string; sha: string }
  labels: { name: string }[]
  requested_reviewers: { login: string }[] | null
}

export interface SeenCommit {
  sha: string
  parents: { sha: string }[]
  commit: { message: string; author: { name: string } }
}

export type GiteaPerson = ReturnType<typeof giteaPerson>

export function giteaPerson(giteaUrl: string, repository: string, token: string) {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${giteaUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    return { status: answer.status, ok: answer.ok, text: await answer.text() }
  }
  const text = async (method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body)
    if (!answer.ok) throw new Error(`Gitea: ${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.text
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

  return {
    repository,
    json,
    text,

    pullRequest: (number: number) => json<SeenPullRequest>('GET', `${here}/pulls/${number}`),

    /** In every state, oldest first: those from a branch with the job's id in its name. */
    pullRequestsOf: async (jobId: string) =>
      (await all<SeenPullRequest>(`${here}/pulls?state=all`))
        .filter(({ head }) => head.ref.includes(jobId))
        .sort((a, b) => a.number - b.number),

    branchesOf: async (jobId: string) =>
      (await all<{ name: string }>(`${here}/branches`)).map(({ name }) => name).filter((name) => name.includes(jobId)),

    pullRequests: () => all<SeenPullRequest>(`${here}/pulls?state=all`),

    diffOf: (number: number) => text('GET', `${here}/pulls/${number}.diff`),

    /** Oldest first. */
    commitsOf: async (number: number) => (await all<SeenCommit>(`${here}/pulls/${number}/commits`)).reverse(),

    read: (path: string, branch: string) => text('GET', `${here}/raw/${path}?ref=${encodeURIComponent(branch)}`),

    async merge(number: number): Promise<void> {
      for (;;) {
        const answer = await send('POST', `${here}/pulls/${number}/merge`, { Do: 'merge' })
        if (answer.ok) return
        // Gitea looks in the background whether it can be merged, and asks to wait until it knows.
        if (answer.status !== 405) throw new Error(`Gitea: merge ${number}: ${answer.status} ${answer.text}`)
        await sleep(100)
      }
    },

    async edit(number: number, change: { title?: string; body?: string; state?: 'closed' }): Promise<void> {
      await text('PATCH', `${here}/pulls/${number}`, change)
    },

    /** A commit of one file on a branch. */
    async push(branch: string, path: string, contents: string): Promise<void> {
      const known = await send('GET', `${here}/contents/${path}?ref=${encodeURIComponent(branch)}`)
      const sha = known.ok ? (JSON.parse(known.text) as { sha: string }).sha : undefined
      const content = Buffer.from(contents).toString('base64')
      const file = { branch, content, message: `Change ${path}`, ...(sha && { sha }) }
      await text(sha ? 'PUT' : 'POST', `${here}/contents/${path}`, file)
    },

    async deleteBranch(branch: string): Promise<void> {
      await text('DELETE', `${here}/branches/${branch}`)
    },
  }
}

/** As git has it for files that were not there before, without the lines that name objects. */
export function diffOfNewFiles(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, contents]) => {
      const lines = contents.replace(/\n$/, '').split('\n')
      const head = [`diff --git a/${path} b/${path}`, 'new file mode 100644', '--- /dev/null', `+++ b/${path}`]
      const range = lines.length === 1 ? '@@ -0,0 +1 @@' : `@@ -0,0 +1,${lines.length} @@`
      return [...head, range, ...lines.map((line) => `+${line}`), ''].join('\n')
    })
    .join('')
}

export const withoutObjectNames = (diff: string): string => diff.replace(/^index .*\n/gm, '')
