/** On a running stand-in for GitHub. */
import { randomBytes } from 'node:crypto'
import {
  type GithubAddress,
  type GithubControl,
  githubControl,
} from '../../../../dev-services/github/github-control.ts'
import { createEgress } from '../../platform/egress/egress.ts'
import { createOpenCodeHost } from '../open-code-host.ts'
import { craftCommit } from './craft-commit.ts'
import { baseFiles, type HostRepository } from './host-repository.ts'
import { createPersonGit } from './person-git.ts'

export type GithubRepository = HostRepository & {
  id: number
  control: GithubControl
  cloneUrl: string
  /** Of the owner's own git. */
  ownerAuthorization: string
  /** GitHub's API as the owner, below the repository. */
  asOwner(method: string, path: string, body?: unknown): Promise<unknown>
  /** Null: it was connected with a token. */
  installationId: number | null
}

const read = { metadata: 'read', statuses: 'read', deployments: 'read', actions: 'read' } as const
/** What a person gives a token that is to do our work; the last for its webhook. */
export const ofTokens = {
  ...read,
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  repository_hooks: 'write',
} as const
const ofApps = { ...read, checks: 'read', contents: 'write', pull_requests: 'write', issues: 'read' } as const
const events = ['pull_request', 'issue_comment', 'check_run', 'status', 'deployment_status', 'repository']

export async function createGithubRepository(
  address: GithubAddress,
  { by = 'app', files = baseFiles }: { by?: 'app' | 'token'; files?: typeof baseFiles } = {},
): Promise<GithubRepository> {
  const control = githubControl(address)
  const someName = () => randomBytes(6).toString('hex')
  const owner = `owner-${someName()}`
  await control.makeUser(owner)
  const made = await control.makeRepository(owner, `repository-${someName()}`, { labels: ['docs'] })
  const { id, name } = made
  const tokenOf = (login: string, permissions: Record<string, 'read' | 'write' | 'admin'>) =>
    control.makeFineGrainedToken(login, { repositories: [id], permissions })

  const gitToken = await tokenOf(owner, { contents: 'write', workflows: 'write' })
  const personGit = await createPersonGit(made.cloneUrl, { name: owner, token: gitToken })
  const base = craftCommit(files, [])
  await personGit.pushAsPerson(base, 'main')

  async function installed() {
    const app = await control.makeApp(owner, {
      name: `colophon-${someName()}`,
      url: 'https://colophon.example',
      public: true,
      default_permissions: ofApps,
      default_events: events,
    })
    const installationId = await control.installApp(app.slug, owner, [id])
    return { kind: 'installation', appId: app.id, privateKeyPem: app.privateKeyPem, installationId } as const
  }
  const token = await tokenOf(owner, ofTokens)
  const byToken = { kind: 'token', token } as const
  const access = by === 'app' ? await installed() : byToken

  /** As the owner. */
  async function asOwner(method: string, path: string, body?: unknown): Promise<unknown> {
    const { fullName } = await control.repository(id)
    const response = await fetch(`${address.url}/api/v3/repos/${fullName}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    return await response.json()
  }

  const egress = createEgress({ allowedHosts: [new URL(address.url).host] })
  const openHost = createOpenCodeHost(egress)
  const connection = { host: 'github', baseUrl: address.url, owner, name, repositoryId: id, access } as const

  return {
    ...personGit,
    way: by === 'app' ? 'github' : 'github_by_token',
    owner,
    name,
    id,
    control,
    base,
    egress,
    connection,
    asOwner,
    cloneUrl: made.cloneUrl,
    ownerAuthorization: `Basic ${Buffer.from(`${owner}:${gitToken}`).toString('base64')}`,
    installationId: access.kind === 'installation' ? access.installationId : null,
    host: openHost(connection),
    hostWith: (other) => openHost({ ...connection, access: { kind: 'token', token: other } }),
    // A name that is not the repository's is looked for as it is when a repository is connected for the first time.
    hostAt: (change, wayOut = egress) =>
      createOpenCodeHost(wayOut)({
        ...connection,
        ...change,
        ...(change.name !== undefined && { repositoryId: null, access: byToken }),
      }),

    async invite(role) {
      const login = `person-${someName()}`
      await control.makeUser(login)
      if (role !== 'none') await control.addCollaborator(id, login, role)
      return { name: login, token: await tokenOf(login, ofTokens) }
    },
    async inviteBot() {
      const login = `helper-${someName()}[bot]`
      await control.makeUser(login, { isBot: true })
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
      // GitHub lets such tokens see the runs of public repositories only.
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
    async pullRequestsOf(branch) {
      const all = await control.pullRequests(id)
      return all.filter(({ headBranch }) => headBranch === branch)
    },
    knownLabel: async () => 'docs',
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
