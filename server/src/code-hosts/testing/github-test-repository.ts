/** A test repository on a running GitHub simulator. */
import { randomBytes } from 'node:crypto'
import {
  createGithubControlClient,
  type GithubControl,
  type GithubSimulatorAccess,
} from '@colophon/github-simulator/control'
import { createEgress } from '../../platform/egress/egress.ts'
import { createCodeHostFactory } from '../code-host-factory.ts'
import { craftCommit } from './craft-commit.ts'
import { baseFiles, type HostTestRepository } from './host-test-repository.ts'
import { createPersonGit } from './person-git.ts'

export type GithubTestRepository = HostTestRepository & {
  id: number
  control: GithubControl
  cloneUrl: string
  /** The Authorization header for git as the owner. */
  ownerAuthorization: string
  /** Calls GitHub's API as the owner. `path` is below the repository. */
  callAsOwner(method: string, path: string, body?: unknown): Promise<unknown>
  /** Null: connected with a token. */
  installationId: number | null
}

const readPermissions = { metadata: 'read', statuses: 'read', deployments: 'read', actions: 'read' } as const
/** The permissions that a personal token for Colophon needs; the last one is for the webhook. */
export const personalTokenPermissions = {
  ...readPermissions,
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  repository_hooks: 'write',
} as const
const appPermissions = {
  ...readPermissions,
  checks: 'read',
  contents: 'write',
  pull_requests: 'write',
  issues: 'read',
} as const
const events = ['pull_request', 'issue_comment', 'check_run', 'status', 'deployment_status', 'repository']

export async function createGithubTestRepository(
  address: GithubSimulatorAccess,
  { by = 'app', files = baseFiles }: { by?: 'app' | 'token'; files?: typeof baseFiles } = {},
): Promise<GithubTestRepository> {
  const control = createGithubControlClient(address)
  const randomName = () => randomBytes(6).toString('hex')
  const owner = `owner-${randomName()}`
  await control.createUser(owner)
  const created = await control.createRepository(owner, `repository-${randomName()}`, { labels: ['docs'] })
  const { id, name } = created
  const createToken = (login: string, permissions: Record<string, 'read' | 'write' | 'admin'>) =>
    control.createFineGrainedToken(login, { repositories: [id], permissions })

  const gitToken = await createToken(owner, { contents: 'write', workflows: 'write' })
  const personGit = await createPersonGit(created.cloneUrl, { name: owner, token: gitToken })
  const base = craftCommit(files, [])
  await personGit.pushAsPerson(base, 'main')

  async function installApp() {
    const app = await control.createApp(owner, {
      name: `colophon-${randomName()}`,
      url: 'https://colophon.example',
      public: true,
      default_permissions: appPermissions,
      default_events: events,
    })
    const installationId = await control.installApp(app.slug, owner, [id])
    return { kind: 'installation', appId: app.id, privateKeyPem: app.privateKeyPem, installationId } as const
  }
  const token = await createToken(owner, personalTokenPermissions)
  const tokenAccess = { kind: 'token', token } as const
  const access = by === 'app' ? await installApp() : tokenAccess

  async function asOwner(method: string, path: string, body?: unknown): Promise<unknown> {
    const { fullName } = await control.repository(id)
    const response = await fetch(`${address.url}/api/v3/repos/${fullName}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${await response.text()}`)
    return await response.json()
  }

  const egress = createEgress({ allowedHosts: [new URL(address.url).host] })
  const openHost = createCodeHostFactory(egress)
  const connection = { host: 'github', baseUrl: address.url, owner, name, repositoryId: id, access } as const

  return {
    ...personGit,
    variant: by === 'app' ? 'github' : 'github_by_token',
    owner,
    name,
    id,
    control,
    base,
    egress,
    connection,
    callAsOwner: asOwner,
    cloneUrl: created.cloneUrl,
    ownerAuthorization: `Basic ${Buffer.from(`${owner}:${gitToken}`).toString('base64')}`,
    installationId: access.kind === 'installation' ? access.installationId : null,
    host: openHost(connection),
    hostWithToken: (otherToken) => openHost({ ...connection, access: { kind: 'token', token: otherToken } }),
    // With a name, the connection is like that of a repository that is connected for the first time.
    hostWithChanges: (change, hostEgress = egress) =>
      createCodeHostFactory(hostEgress)({
        ...connection,
        ...change,
        ...(change.name !== undefined && { repositoryId: null, access: tokenAccess }),
      }),

    async invite(role) {
      const login = `person-${randomName()}`
      await control.createUser(login)
      if (role !== 'none') await control.addCollaborator(id, login, role)
      return { name: login, token: await createToken(login, personalTokenPermissions) }
    },
    async inviteBot() {
      const login = `helper-${randomName()}[bot]`
      await control.createUser(login, { isBot: true })
      await control.addCollaborator(id, login, 'write')
      return { name: login, token: '' }
    },
    merge: async (number) => void (await control.mergePullRequest(id, number)),
    close: (number) => control.closePullRequest(id, number),
    reopen: (number) => control.reopenPullRequest(id, number),
    retitle: async (number, title) => void (await asOwner('PATCH', `/pulls/${number}`, { title })),
    comment: (number, { name: login }, text) => control.comment(id, number, login, text),
    reactionsTo: async (comment) => (await control.reactions(id, comment)).map(({ content }) => content),
    setStatus: (commit, { name: context, state, url, summary }) =>
      control.setStatus(id, commit, {
        context,
        state,
        ...(url !== undefined && { targetUrl: url }),
        ...(summary !== undefined && { description: summary }),
      }),
    async setFailedRun(commit, { name: run, summary, annotation, log }) {
      // With such tokens, GitHub returns the check runs of public repositories only.
      if (by === 'token') await control.setVisibility(id, false)
      await control.setCheckRun(id, commit, {
        name: run,
        status: 'completed',
        conclusion: 'failure',
        log,
        output: { title: summary, summary },
        annotations: [{ path: 'docs/index.md', startLine: 3, endLine: 3, level: 'failure', message: annotation }],
      })
    },
    setDeployment: (commit, environmentUrl) => control.setDeployment(id, commit, { environmentUrl }),
    async listPullRequests(branch) {
      const all = await control.pullRequests(id)
      return all.filter(({ headBranch }) => headBranch === branch)
    },
    existingLabel: async () => 'docs',
    labels: async () => ((await asOwner('GET', '/labels')) as { name: string }[]).map((label) => label.name),
    deleteBranch: (branch) => control.deleteBranch(id, branch),
    async webhooks() {
      return ((await asOwner('GET', '/hooks')) as { config: { url: string } }[]).map(({ config }) => config.url)
    },
    rename: async (newName) => void (await control.rename(id, newName)),
    archive: () => control.archive(id),
    delete: () => control.deleteRepository(id),
    async remove() {
      await control.deleteRepository(id).catch(() => {}) // a test may have deleted it
      await egress.close()
      await personGit[Symbol.asyncDispose]()
    },
  }
}
