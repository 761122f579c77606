/** What GitHub has and no other host: Apps and their tokens, numbers, addresses that lead elsewhere. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { githubControl } from '../../../../dev-services/github/github-control.ts'
import { createEgress, type Egress } from '../../platform/egress/egress.ts'
import { type CodeHostConnection, createOpenCodeHost } from '../open-code-host.ts'
import { answering, commitOn, publish, wantedFrom } from '../testing/behaviours/behaviour.ts'
import { createGithubRepository, type GithubRepository } from '../testing/github-repository.ts'

const { github } = inject('services')
const control = githubControl(github)
let repository: GithubRepository
beforeAll(async () => {
  repository = await createGithubRepository(github)
})
afterAll(async () => {
  await repository.remove()
  expect(await control.violations()).toEqual([])
})

async function another(by: 'app' | 'token' = 'app'): Promise<GithubRepository> {
  const made = await createGithubRepository(github, { by })
  onTestFinished(() => made.remove())
  return made
}

type Seen = { method: string; url: string; token: string; body: string }

function watching(egress: Egress): { egress: Egress; seen: Seen[] } {
  const seen: Seen[] = []
  return {
    seen,
    egress: {
      ...egress,
      fetch(url, request) {
        const token = new Headers(request?.headers).get('authorization') ?? ''
        const body = typeof request?.body === 'string' ? request.body : ''
        seen.push({ method: request?.method ?? 'GET', url: String(url), token, body })
        return egress.fetch(url, request)
      },
    },
  }
}

const isMint = ({ url }: { url: string }) => url.endsWith('/access_tokens')

describe('tokens of an App', () => {
  it('are for the one repository and what is needed, and kept', async () => {
    const { egress, seen } = watching(repository.egress)
    const open = createOpenCodeHost(egress)
    await Promise.all([1, 2, 3].map(() => open(repository.connection).branchHead('main')))
    await open(repository.connection).look()
    const minted = seen.filter(isMint)
    expect(minted.map(({ body }) => JSON.parse(body))).toEqual([
      {
        repository_ids: [repository.id],
        permissions: {
          contents: 'write',
          pull_requests: 'write',
          metadata: 'read',
          checks: 'read',
          statuses: 'read',
          deployments: 'read',
          actions: 'read',
          issues: 'read',
        },
      },
    ])
  })

  it('are asked for again, once, when GitHub does not take one any more', async () => {
    let refusals = 1
    const { egress, seen } = watching(repository.egress)
    const isBranch = ({ url }: { url: string }) => url.includes('/git/ref/') && refusals-- > 0
    const refuse = () => Response.json({ message: 'Bad credentials' }, { status: 401 })
    const open = createOpenCodeHost(answering(egress, isBranch, refuse))
    await expect(open(repository.connection).branchHead('main')).resolves.toBe(repository.base.id)
    expect(seen.filter(isMint)).toHaveLength(2)
    refusals = 99
    const asked = seen.length
    await expect(open(repository.connection).branchHead('main')).rejects.toMatchObject({
      failure: { kind: 'final', code: 'token_rejected' },
    })
    expect(seen.slice(asked).filter(isMint)).toHaveLength(1)
  })

  it('end with the installation: the project is shut out, and told what to do', async () => {
    const installed = await another()
    const id = installed.installationId ?? 0
    await control.suspend(id)
    await expect(installed.hostAt({}).look()).resolves.toEqual({ kind: 'access_revoked' })
    await control.suspend(id, false)
    await expect(installed.hostAt({}).look()).resolves.toMatchObject({ kind: 'usable' })
    await control.uninstall(id)
    await expect(installed.host.look()).resolves.toEqual({ kind: 'access_revoked' })
    await expect(installed.host.testConnection('main')).resolves.toMatchObject({
      ok: false,
      message: expect.stringContaining('Install it again'),
    })
  })

  it('are not given for a repository that was taken out of the installation', async () => {
    const installed = await another()
    await control.removeFromInstallation(installed.installationId ?? 0, installed.id)
    await expect(installed.hostAt({}).look()).resolves.toEqual({ kind: 'not_found' })
    await expect(installed.hostAt({}).testConnection('main')).resolves.toMatchObject({
      ok: false,
      message: expect.stringContaining('Add it to the repositories of its installation'),
    })
  })
})

describe('the number of a repository', () => {
  it.each(['app', 'token'] as const)('leads to it though its old name is of another one: by %s', async (by) => {
    const renamed = await another(by)
    await control.rename(renamed.id, `${renamed.name}-renamed`)
    await control.makeRepository(renamed.owner, renamed.name)
    onTestFinished(() => control.deleteRepository(`${renamed.owner}/${renamed.name}`))
    const host = renamed.hostAt({})
    await expect(host.look()).resolves.toMatchObject({ id: renamed.id, name: `${renamed.name}-renamed` })
    await expect(host.branchHead('main')).resolves.toBe(renamed.base.id)
    const { ours } = await publish(renamed, { branch: 'by-number', change: { 'docs/new.md': 'x' }, host })
    expect((await control.branches(renamed.id))['by-number']).toBe(ours)
  })

  it('leads to it though it has another owner', async () => {
    const moved = await another('token')
    const person = await moved.invite('admin')
    await control.transfer(moved.id, person.name)
    await expect(moved.hostWith(person.token).look()).resolves.toMatchObject({ id: moved.id, owner: person.name })
  })

  it('is found by the name alone while it is not known', async () => {
    const moved = await another('token')
    await control.rename(moved.id, `${moved.name}-renamed`)
    const connection: CodeHostConnection = { ...moved.connection, repositoryId: null } as CodeHostConnection
    await expect(createOpenCodeHost(moved.egress)(connection).look()).resolves.toMatchObject({ id: moved.id })
  })

  it('is asked of the same GitHub only', async () => {
    const given = await another('token')
    const { egress, seen } = watching(given.egress)
    const location = 'http://127.0.0.1:1/api/v3/repositories/1'
    const lying = answering(
      egress,
      () => true,
      () => new Response('{}', { status: 301, headers: { location } }),
    )
    const connection: CodeHostConnection = { ...given.connection, repositoryId: null } as CodeHostConnection
    const host = createOpenCodeHost(lying)(connection)
    await expect(host.look()).rejects.toMatchObject({ failure: { kind: 'final', code: 'moved' } })
    expect(seen).toEqual([])
  })
})

describe('a token that a person made', () => {
  it.each([
    ['contents', { pull_requests: 'write' }, 'Contents: read and write'],
    ['pull requests', { contents: 'write' }, 'Pull requests: read and write'],
    ['writing', { contents: 'read', pull_requests: 'write' }, 'Contents: read and write'],
  ] as const)('without the permission for %s is told so', async (_, permissions, words) => {
    const token = await control.makeFineGrainedToken(repository.owner, { repositories: [repository.id], permissions })
    await expect(repository.hostWith(token).testConnection('main')).resolves.toMatchObject({
      ok: false,
      code: 'token_cannot_push',
      message: expect.stringContaining(words),
    })
  })

  it('for other repositories is told so', async () => {
    const other = await another('token')
    const permissions = { contents: 'write', pull_requests: 'write' } as const
    const token = await control.makeFineGrainedToken(repository.owner, { repositories: [repository.id], permissions })
    await expect(other.hostWith(token).testConnection('main')).resolves.toMatchObject({
      code: 'repository_not_found',
      message: expect.stringContaining('not among those that the token was made for'),
    })
  })
})

describe('GitHub', () => {
  it('that makes another tree than ours is not believed', async () => {
    const isTree = ({ method, url }: { method: string; url: string }) => method === 'POST' && url.endsWith('/git/trees')
    const other = () => Response.json({ sha: 'a'.repeat(40) }, { status: 201 })
    const host = repository.hostAt({}, answering(repository.egress, isTree, other))
    await expect(
      publish(repository, { branch: 'other-tree', change: { 'docs/new.md': 'x' }, host }),
    ).rejects.toMatchObject({ failure: { kind: 'retry', code: 'unexpected_response' } })
    await expect(repository.host.branchHead('other-tree')).resolves.toBeUndefined()
  })

  it('whose rules refuse a branch says why, for good', async () => {
    const isRef = ({ method, url }: { method: string; url: string }) => method === 'POST' && url.endsWith('/git/refs')
    const rule = () => Response.json({ message: 'Repository rule violations found' }, { status: 422 })
    const host = repository.hostAt({}, answering(repository.egress, isRef, rule))
    await expect(publish(repository, { branch: 'ruled', change: { 'docs/new.md': 'x' }, host })).rejects.toMatchObject({
      failure: { kind: 'final', code: 'push_refused' },
      message: expect.stringContaining('rule violations'),
    })
  })

  it('without drafts in its plan gets a pull request that is none', async () => {
    const wanted = await wantedFrom(repository, 'no-drafts', { draft: true })
    const { egress, seen } = watching(repository.egress)
    const refusing: Egress = {
      ...egress,
      fetch: async (url, request) =>
        typeof request?.body === 'string' && request.body.includes('"draft":true')
          ? Response.json({ message: 'Draft pull requests are not supported in this repository.' }, { status: 422 })
          : await egress.fetch(url, request),
    }
    await repository.hostAt({}, refusing).ensurePullRequest(wanted)
    expect((await repository.pullRequestsOf('no-drafts')).map(({ isDraft }) => isDraft)).toEqual([false])
    expect(seen.length).toBeGreaterThan(0)
  })

  it('that has made a pull request meanwhile has made ours', async () => {
    const wanted = await wantedFrom(repository, 'meanwhile')
    const first = await repository.host.ensurePullRequest(wanted)
    let looks = 0
    const isFirstLook = ({ url }: { url: string }) => url.includes('/pulls?head=') && ++looks === 1
    const late = answering(repository.egress, isFirstLook, () => Response.json([]))
    const { pullRequest } = await repository.hostAt({}, late).ensurePullRequest(wanted)
    expect(pullRequest.number).toBe(first.pullRequest.number)
    expect(looks).toBe(2)
  })

  it.each([{ id: 1 }, null])(
    "whose pull request is from another's branch of the same name (%j) has none of ours",
    async (repo) => {
      const branch = `fork-${repo?.id ?? 'gone'}`
      const wanted = await wantedFrom(repository, branch)
      const { number } = (await repository.host.ensurePullRequest(wanted)).pullRequest
      const fromFork: Egress = {
        ...repository.egress,
        async fetch(url, request) {
          const response = await repository.egress.fetch(url, request)
          if (!String(url).includes('/pulls') || !response.ok) return response
          const whole: unknown = await response.json()
          for (const one of [whole].flat() as { head: { repo: unknown } }[]) one.head.repo = repo
          return Response.json(whole, response)
        },
      }
      const host = repository.hostAt({}, fromFork)
      await expect(host.findPullRequest(number)).resolves.toBeUndefined()
      await expect(host.ensurePullRequest(wanted)).rejects.toThrow('already exists')
    },
    30_000,
  )

  it('sets labels and reviewers although its first answers fail, and asks nobody while we are to rest', async () => {
    const label = await repository.knownLabel()
    const { name: reviewer } = await repository.invite('write')
    const isOfThese = ({ url }: { url: string }) => /\/labels$|\/requested_reviewers$/.test(url)
    let asked = 0
    const open = async (branch: string, response: (calls: number) => Response | undefined) => {
      asked = 0
      const failing: Egress = {
        ...repository.egress,
        async fetch(url, request) {
          const played = isOfThese({ url: String(url) }) ? response(++asked) : undefined
          return played ?? repository.egress.fetch(url, request)
        },
      }
      const wanted = { ...(await wantedFrom(repository, branch)), labels: [label], reviewers: [reviewer, 'another'] }
      const { skipped } = await repository.hostAt({}, failing).ensurePullRequest(wanted)
      return { skipped, seen: (await repository.pullRequestsOf(branch))[0] }
    }
    const late = await open('late-labels', (calls) => (calls < 3 ? new Response('', { status: 502 }) : undefined))
    expect(late.seen).toMatchObject({ labels: [label], reviewers: [reviewer] })
    expect(late.skipped).toEqual({ labels: [], reviewers: ['another'] })
    const headers = { 'retry-after': '60' }
    const resting = await open('no-reviewers', (calls) =>
      calls > 1 ? new Response('', { status: 429, headers }) : undefined,
    )
    expect(resting.seen).toMatchObject({ labels: [label], reviewers: [] })
    expect(resting.skipped).toEqual({ labels: [], reviewers: [reviewer, 'another'] })
    expect(asked).toBe(2)
  }, 60_000)

  it('hands out logs from elsewhere, where our token does not go', async () => {
    const commit = commitOn(repository.base, { 'docs/elsewhere.md': 'x' })
    await repository.pushAsPerson(commit, 'elsewhere')
    await repository.setFailedRun(commit.id, { name: 'links', summary: 's', annotation: 'a', log: 'the log\n' })
    const { egress, seen } = watching(repository.egress)
    const host = repository.hostAt({}, egress)
    const [check] = (await host.readChecks(commit.id)).checks
    if (!check) throw new Error('there is no check')
    await expect(host.readCheckLog(check)).resolves.toContain('the log')
    const last = seen.at(-1)
    expect(last?.url).not.toContain('/api/v3/')
    expect(last?.token).toBe('')
  })

  it('cannot lead us by a log to what is listed for others', async () => {
    const inside = createServer((_, response) => response.end('a page inside')).listen(0, '127.0.0.1')
    await once(inside, 'listening')
    onTestFinished(() => void inside.close())
    const { port } = inside.address() as AddressInfo
    const egress = createEgress({ allowedHosts: [new URL(github.url).host, `127.0.0.1:${port}`] })
    onTestFinished(() => egress.close())

    const commit = commitOn(repository.base, { 'docs/inside.md': 'x' })
    await repository.pushAsPerson(commit, 'inside')
    await repository.setFailedRun(commit.id, { name: 'links', summary: 'broken', annotation: 'a', log: 'the log\n' })
    const isLog = ({ url }: { url: string }) => url.includes('/actions/jobs/')
    const location = `http://127.0.0.1:${port}/`
    const lying = answering(egress, isLog, () => new Response(null, { status: 302, headers: { location } }))
    const host = repository.hostAt({}, lying)
    const [check] = (await host.readChecks(commit.id)).checks
    if (!check) throw new Error('there is no check')
    const log = await host.readCheckLog(check)
    expect(log).toContain('broken')
    expect(log).not.toContain('inside')
  })

  it('of a long log the last whole lines are kept, and no part of a token', async () => {
    const commit = commitOn(repository.base, { 'docs/long-log.md': 'x' })
    await repository.pushAsPerson(commit, 'long-log')
    const token = `ghs_${'secret-part.'.repeat(10)}`
    const log = `${`${token}\n`.repeat(4_000)}the end\n`
    const summary = `${'s'.repeat(7_990)} ${token}`
    await repository.setFailedRun(commit.id, { name: 'links', summary, annotation: 'a', log })
    const [check] = (await repository.host.readChecks(commit.id)).checks
    if (!check) throw new Error('there is no check')
    const read = await repository.host.readCheckLog(check)
    expect(read).toMatch(/\*\*\*\nthe end$/)
    expect(read).not.toMatch(/ghs|secret|part/)
  })
})
