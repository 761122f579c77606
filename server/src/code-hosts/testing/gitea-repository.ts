/** On a running Gitea. */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { createEgress } from '../../platform/egress/egress.ts'
import type { CodeHost } from '../code-host.ts'
import { createOpenCodeHost } from '../open-code-host.ts'
import { craftCommit } from './craft-commit.ts'
import { baseFiles, type HostRepository } from './host-repository.ts'
import { createPersonGit } from './person-git.ts'

export type GiteaAddress = { url: string; adminName: string; adminToken: string }

export type GiteaPerson = { name: string; password: string; token: string }

export type GiteaRepository = HostRepository & {
  /** Gitea's API as the administrator, below the repository. */
  asPerson(method: string, path: string, body?: unknown): Promise<unknown>
  /** Somebody new, who may do this in the repository, with a token that may do that. */
  addPerson(permission: 'admin' | 'read' | 'write' | 'none', tokenScopes: readonly string[]): Promise<GiteaPerson>
}

const missing = (what: string): never => {
  throw new Error(`Gitea has no ${what}.`)
}

const everyScope = ['write:repository', 'write:issue', 'read:user', 'read:notification']

export async function createGiteaRepository(gitea: GiteaAddress, files = baseFiles): Promise<GiteaRepository> {
  const name = `repository-${randomBytes(6).toString('hex')}`
  const owner = gitea.adminName
  let currentName = name

  async function call(method: string, path: string, body?: unknown, authorization = `token ${gitea.adminToken}`) {
    const response = await fetch(`${gitea.url}/api/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }
  const asPerson = (method: string, path: string, body?: unknown) =>
    call(method, `/repos/${owner}/${currentName}${path}`, body)

  const addPerson: GiteaRepository['addPerson'] = async (permission, scopes) => {
    const person = `person-${randomBytes(6).toString('hex')}`
    const password = randomBytes(12).toString('hex')
    const email = `${person}@localhost.invalid`
    await call('POST', '/admin/users', { username: person, email, password, must_change_password: false })
    if (permission !== 'none') await asPerson('PUT', `/collaborators/${person}`, { permission })
    const basic = `Basic ${Buffer.from(`${person}:${password}`).toString('base64')}`
    const made = await call('POST', `/users/${person}/tokens`, { name: 'test', scopes }, basic)
    return { name: person, password, token: (made as { sha1: string }).sha1 }
  }

  await call('POST', '/user/repos', { name, private: true, default_branch: 'main' })
  const remoteUrl = `${gitea.url}/${owner}/${name}.git`
  const personGit = await createPersonGit(remoteUrl, { name: owner, token: gitea.adminToken })
  const base = craftCommit(files, [])
  await personGit.pushAsPerson(base, 'main')
  // Gitea notes in the background that a repository is no longer empty, and knows no branches before.
  while (((await asPerson('GET', '')) as { empty: boolean }).empty) await setTimeout(20)

  const egress = createEgress({ allowedHosts: [new URL(gitea.url).host] })
  const connection = { host: 'gitea', baseUrl: gitea.url, owner, name, token: gitea.adminToken } as const
  const openHost = createOpenCodeHost(egress)
  const hostWith = (token: string): CodeHost => openHost({ ...connection, token })

  /** Gitea looks for conflicts in the background, and merges nothing before. */
  async function mergeable(number: number): Promise<void> {
    while (!((await asPerson('GET', `/pulls/${number}`)) as { mergeable: boolean }).mergeable) await setTimeout(50)
  }

  return {
    ...personGit,
    way: 'gitea',
    owner,
    name,
    base,
    egress,
    connection,
    hostWith,
    asPerson,
    addPerson,
    host: hostWith(gitea.adminToken),
    hostAt: (change, wayOut = egress) => createOpenCodeHost(wayOut)({ ...connection, ...change }),

    invite: (role) => addPerson(role, everyScope),
    async merge(number) {
      await mergeable(number)
      await asPerson('POST', `/pulls/${number}/merge`, { Do: 'merge' })
    },
    close: async (number) => void (await asPerson('PATCH', `/pulls/${number}`, { state: 'closed' })),
    reopen: async (number) => void (await asPerson('PATCH', `/pulls/${number}`, { state: 'open' })),
    retitle: async (number, title) => void (await asPerson('PATCH', `/pulls/${number}`, { title })),
    async comment(number, by, text) {
      const path = `/repos/${owner}/${currentName}/issues/${number}/comments`
      return ((await call('POST', path, { body: text }, `token ${by.token}`)) as { id: number }).id
    },
    async reactionsTo(commentId) {
      const found = await asPerson('GET', `/issues/comments/${commentId}/reactions`)
      return ((found ?? []) as { content: string }[]).map(({ content }) => content)
    },
    async setStatus(commit, { name: context, state, url: target_url, summary: description }) {
      await asPerson('POST', `/statuses/${commit}`, { context, state, target_url, description })
    },
    setFailedRun: () => missing('runs of a CI that others report'),
    setDeployment: () => missing('deployments'),
    inviteBot: () => missing('users that it calls bots'),
    async pullRequestsOf(branch) {
      type Found = {
        number: number
        title: string
        draft: boolean
        labels: { name: string }[]
        requested_reviewers: { login: string }[] | null
        head: { ref: string }
      }
      const all = (await asPerson('GET', '/pulls?state=all&limit=50')) as Found[]
      return all
        .filter(({ head }) => head.ref === branch)
        .map(({ number, title, draft, labels, requested_reviewers: reviewers }) => ({
          number,
          title,
          isDraft: draft,
          labels: labels.map((label) => label.name),
          reviewers: (reviewers ?? []).map(({ login }) => login),
        }))
    },
    async knownLabel() {
      const known = (await asPerson('GET', '/labels')) as { name: string }[]
      if (known.length === 0) await asPerson('POST', '/labels', { name: 'docs', color: '#00aabb' })
      return 'docs'
    },
    labels: async () => ((await asPerson('GET', '/labels')) as { name: string }[]).map((label) => label.name),
    deleteBranch: async (branch) => void (await asPerson('DELETE', `/branches/${branch}`)),
    async webhooks() {
      return ((await asPerson('GET', '/hooks')) as { config: { url: string } }[]).map(({ config }) => config.url)
    },
    async rename(newName) {
      await asPerson('PATCH', '', { name: newName })
      currentName = newName
    },
    archive: async () => void (await asPerson('PATCH', '', { archived: true })),
    delete: async () => void (await asPerson('DELETE', '')),
    async remove() {
      await asPerson('DELETE', '').catch(() => {}) // a test may have deleted it
      await egress.close()
      await personGit[Symbol.asyncDispose]()
    },
  }
}
