/** A test repository on a running Gitea. */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { createEgress } from '../../platform/egress/egress.ts'
import type { CodeHost } from '../code-host.ts'
import { createCodeHostFactory } from '../code-host-factory.ts'
import { craftCommit } from './craft-commit.ts'
import { baseFiles, type HostTestRepository } from './host-test-repository.ts'
import { createPersonGit } from './person-git.ts'

export type GiteaAdminAccess = { url: string; adminName: string; adminToken: string }

export type GiteaPerson = { name: string; password: string; token: string }

export type GiteaTestRepository = HostTestRepository & {
  merge(number: number, how?: 'merge' | 'squash'): Promise<void>
  /** Calls Gitea's API as the administrator. `path` is below the repository. */
  callAsAdmin(method: string, path: string, body?: unknown): Promise<unknown>
  /** Creates a user with this permission in the repository, and a token with these scopes. */
  addPerson(permission: 'admin' | 'read' | 'write' | 'none', tokenScopes: readonly string[]): Promise<GiteaPerson>
}

const notSupported = (feature: string): never => {
  throw new Error(`Gitea has no ${feature}.`)
}

const allScopes = ['write:repository', 'write:issue', 'read:user', 'read:notification']

export async function createGiteaTestRepository(
  gitea: GiteaAdminAccess,
  files = baseFiles,
): Promise<GiteaTestRepository> {
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
    if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`)
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }
  const callAsAdmin = (method: string, path: string, body?: unknown) =>
    call(method, `/repos/${owner}/${currentName}${path}`, body)

  const addPerson: GiteaTestRepository['addPerson'] = async (permission, scopes) => {
    const person = `person-${randomBytes(6).toString('hex')}`
    const password = randomBytes(12).toString('hex')
    const email = `${person}@localhost.invalid`
    await call('POST', '/admin/users', { username: person, email, password, must_change_password: false })
    if (permission !== 'none') await callAsAdmin('PUT', `/collaborators/${person}`, { permission })
    const basic = `Basic ${Buffer.from(`${person}:${password}`).toString('base64')}`
    const created = await call('POST', `/users/${person}/tokens`, { name: 'test', scopes }, basic)
    return { name: person, password, token: (created as { sha1: string }).sha1 }
  }

  await call('POST', '/user/repos', { name, private: true, default_branch: 'main' })
  const remoteUrl = `${gitea.url}/${owner}/${name}.git`
  const personGit = await createPersonGit(remoteUrl, { name: owner, token: gitea.adminToken })
  const base = craftCommit(files, [])
  await personGit.pushAsPerson(base, 'main')
  // Gitea updates in the background that a repository is no longer empty, and returns no branches before that.
  while (((await callAsAdmin('GET', '')) as { empty: boolean }).empty) await setTimeout(20)

  const egress = createEgress({ allowedHosts: [new URL(gitea.url).host] })
  const connection = { host: 'gitea', baseUrl: gitea.url, owner, name, token: gitea.adminToken } as const
  const openHost = createCodeHostFactory(egress)
  const hostWith = (token: string): CodeHost => openHost({ ...connection, token })

  return {
    ...personGit,
    variant: 'gitea',
    owner,
    name,
    base,
    egress,
    connection,
    hostWithToken: hostWith,
    callAsAdmin,
    addPerson,
    host: hostWith(gitea.adminToken),
    hostWithChanges: (change, hostEgress = egress) => createCodeHostFactory(hostEgress)({ ...connection, ...change }),

    invite: (role) => addPerson(role, allScopes),
    async merge(number, how = 'merge') {
      // Gitea checks for conflicts in the background, and responds with 405 until it knows that there are none.
      for (;;) {
        const merged = callAsAdmin('POST', `/pulls/${number}/merge`, { Do: how })
        const error = await merged.then(() => undefined, String)
        if (error === undefined) return
        if (!error.includes('responded with 405')) throw new Error(error)
        await setTimeout(100)
      }
    },
    close: async (number) => void (await callAsAdmin('PATCH', `/pulls/${number}`, { state: 'closed' })),
    reopen: async (number) => void (await callAsAdmin('PATCH', `/pulls/${number}`, { state: 'open' })),
    retitle: async (number, title) => void (await callAsAdmin('PATCH', `/pulls/${number}`, { title })),
    async comment(number, by, text) {
      const path = `/repos/${owner}/${currentName}/issues/${number}/comments`
      return ((await call('POST', path, { body: text }, `token ${by.token}`)) as { id: number }).id
    },
    async reactionsTo(commentId) {
      const found = await callAsAdmin('GET', `/issues/comments/${commentId}/reactions`)
      return ((found ?? []) as { content: string }[]).map(({ content }) => content)
    },
    async setStatus(commit, { name: context, state, url: target_url, summary: description }) {
      await callAsAdmin('POST', `/statuses/${commit}`, { context, state, target_url, description })
    },
    setFailedRun: () => notSupported('check runs'),
    setDeployment: () => notSupported('deployments'),
    inviteBot: () => notSupported('bot users'),
    async listPullRequests(branch) {
      type Found = {
        number: number
        title: string
        draft: boolean
        labels: { name: string }[]
        requested_reviewers: { login: string }[] | null
        head: { ref: string }
      }
      const all = (await callAsAdmin('GET', '/pulls?state=all&limit=50')) as Found[]
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
    async existingLabel() {
      const labels = (await callAsAdmin('GET', '/labels')) as { name: string }[]
      if (labels.length === 0) await callAsAdmin('POST', '/labels', { name: 'docs', color: '#00aabb' })
      return 'docs'
    },
    labels: async () => ((await callAsAdmin('GET', '/labels')) as { name: string }[]).map((label) => label.name),
    deleteBranch: async (branch) => void (await callAsAdmin('DELETE', `/branches/${branch}`)),
    async webhooks() {
      return ((await callAsAdmin('GET', '/hooks')) as { config: { url: string } }[]).map(({ config }) => config.url)
    },
    async rename(newName) {
      await callAsAdmin('PATCH', '', { name: newName })
      currentName = newName
    },
    archive: async () => void (await callAsAdmin('PATCH', '', { archived: true })),
    delete: async () => void (await callAsAdmin('DELETE', '')),
    async remove() {
      await callAsAdmin('DELETE', '').catch(() => {}) // a test may have deleted it
      await egress.close()
      await personGit[Symbol.asyncDispose]()
    },
  }
}
