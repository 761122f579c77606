/** Specific to GitHub: Apps and their tokens, repository ids, redirects to other hosts. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGithubControlClient } from '@colophon/github-simulator/control'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createEgress, type Egress } from '../../platform/egress/egress.ts'
import { type CodeHostConnection, createCodeHostFactory } from '../code-host-factory.ts'
import {
  craftChildCommit,
  createInterceptingEgress,
  publishWithoutRetries,
  pushPullRequestBranch,
} from '../testing/behaviors/behavior.ts'
import { createGithubTestRepository, type GithubTestRepository } from '../testing/github-test-repository.ts'

const { github } = inject('services')
const control = createGithubControlClient(github)
let repository: GithubTestRepository
beforeAll(async () => {
  repository = await createGithubTestRepository(github)
})
afterAll(async () => {
  await repository.remove()
  expect(await control.violations()).toEqual([])
})

async function createAnother(by: 'app' | 'token' = 'app'): Promise<GithubTestRepository> {
  const created = await createGithubTestRepository(github, { by })
  onTestFinished(() => created.remove())
  return created
}

type SentRequest = { method: string; url: string; token: string; body: string }

function recordRequests(egress: Egress): { egress: Egress; requests: SentRequest[] } {
  const requests: SentRequest[] = []
  return {
    requests,
    egress: {
      ...egress,
      fetch(url, request) {
        const token = new Headers(request?.headers).get('authorization') ?? ''
        const body = typeof request?.body === 'string' ? request.body : ''
        requests.push({ method: request?.method ?? 'GET', url: String(url), token, body })
        return egress.fetch(url, request)
      },
    },
  }
}

const isTokenRequest = ({ url }: { url: string }) => url.endsWith('/access_tokens')

describe('installation tokens', () => {
  it('are limited to one repository and the needed permissions, and cached', async () => {
    const { egress, requests } = recordRequests(repository.egress)
    const open = createCodeHostFactory(egress)
    await Promise.all([1, 2, 3].map(() => open(repository.connection).branchHead('main')))
    await open(repository.connection).readRepositoryState()
    const tokenRequests = requests.filter(isTokenRequest)
    expect(tokenRequests.map(({ body }) => JSON.parse(body))).toEqual([
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

  it('are requested again, once, if GitHub rejects one', async () => {
    let rejections = 1
    const { egress, requests } = recordRequests(repository.egress)
    const isBranch = ({ url }: { url: string }) => url.includes('/git/ref/') && rejections-- > 0
    const reject = () => Response.json({ message: 'Bad credentials' }, { status: 401 })
    const open = createCodeHostFactory(createInterceptingEgress(egress, isBranch, reject))
    await expect(open(repository.connection).branchHead('main')).resolves.toBe(repository.base.id)
    expect(requests.filter(isTokenRequest)).toHaveLength(2)
    rejections = 99
    const requestCount = requests.length
    await expect(open(repository.connection).branchHead('main')).rejects.toMatchObject({
      failure: { kind: 'final', code: 'token_rejected' },
    })
    expect(requests.slice(requestCount).filter(isTokenRequest)).toHaveLength(1)
  })

  it('are revoked with the installation, and the connection test says what to do', async () => {
    const installed = await createAnother()
    const id = installed.installationId ?? 0
    await control.suspend(id)
    await expect(installed.hostWithChanges({}).readRepositoryState()).resolves.toEqual({ kind: 'access_revoked' })
    await control.suspend(id, false)
    await expect(installed.hostWithChanges({}).readRepositoryState()).resolves.toMatchObject({ kind: 'usable' })
    await control.uninstall(id)
    await expect(installed.host.readRepositoryState()).resolves.toEqual({ kind: 'access_revoked' })
    await expect(installed.host.testConnection('main')).resolves.toMatchObject({
      ok: false,
      message: expect.stringContaining('Install it again'),
    })
  })

  it('are not issued for a repository that was removed from the installation', async () => {
    const installed = await createAnother()
    await control.removeFromInstallation(installed.installationId ?? 0, installed.id)
    await expect(installed.hostWithChanges({}).readRepositoryState()).resolves.toEqual({ kind: 'not_found' })
    await expect(installed.hostWithChanges({}).testConnection('main')).resolves.toMatchObject({
      ok: false,
      message: expect.stringContaining('add the repository'),
    })
  })
})

describe('the id of a repository', () => {
  it.each(['app', 'token'] as const)(
    'identifies it although another repository has its old name: by %s',
    async (by) => {
      const renamed = await createAnother(by)
      await control.rename(renamed.id, `${renamed.name}-renamed`)
      await control.createRepository(renamed.owner, renamed.name)
      onTestFinished(() => control.deleteRepository(`${renamed.owner}/${renamed.name}`))
      const host = renamed.hostWithChanges({})
      await expect(host.readRepositoryState()).resolves.toMatchObject({
        id: renamed.id,
        name: `${renamed.name}-renamed`,
      })
      await expect(host.branchHead('main')).resolves.toBe(renamed.base.id)
      const { ownCommit } = await publishWithoutRetries(renamed, {
        branch: 'by-id',
        change: { 'docs/new.md': 'x' },
        host,
      })
      expect((await control.branches(renamed.id))['by-id']).toBe(ownCommit)
    },
  )

  it('identifies it after a transfer to another owner', async () => {
    const moved = await createAnother('token')
    const person = await moved.invite('admin')
    await control.transfer(moved.id, person.name)
    await expect(moved.hostWithToken(person.token).readRepositoryState()).resolves.toMatchObject({
      id: moved.id,
      owner: person.name,
    })
  })

  it('is found by name while it is not known', async () => {
    const moved = await createAnother('token')
    await control.rename(moved.id, `${moved.name}-renamed`)
    const connection: CodeHostConnection = { ...moved.connection, repositoryId: null } as CodeHostConnection
    await expect(createCodeHostFactory(moved.egress)(connection).readRepositoryState()).resolves.toMatchObject({
      id: moved.id,
    })
  })

  it('is requested only from the same GitHub', async () => {
    const connected = await createAnother('token')
    const { egress, requests } = recordRequests(connected.egress)
    const location = 'http://127.0.0.1:1/api/v3/repositories/1'
    const redirecting = createInterceptingEgress(
      egress,
      () => true,
      () => new Response('{}', { status: 301, headers: { location } }),
    )
    const connection: CodeHostConnection = { ...connected.connection, repositoryId: null } as CodeHostConnection
    const host = createCodeHostFactory(redirecting)(connection)
    await expect(host.readRepositoryState()).rejects.toMatchObject({ failure: { kind: 'final', code: 'moved' } })
    expect(requests).toEqual([])
  })
})

describe('a personal token', () => {
  it.each([
    ['contents', { pull_requests: 'write' }, 'Contents: read and write'],
    ['pull requests', { contents: 'write' }, 'Pull requests: read and write'],
    ['writing', { contents: 'read', pull_requests: 'write' }, 'Contents: read and write'],
  ] as const)('without the permission for %s is reported', async (_, permissions, expected) => {
    const token = await control.createFineGrainedToken(repository.owner, { repositories: [repository.id], permissions })
    await expect(repository.hostWithToken(token).testConnection('main')).resolves.toMatchObject({
      ok: false,
      code: 'token_cannot_push',
      message: expect.stringContaining(expected),
    })
  })

  it('for other repositories is reported', async () => {
    const other = await createAnother('token')
    const permissions = { contents: 'write', pull_requests: 'write' } as const
    const token = await control.createFineGrainedToken(repository.owner, { repositories: [repository.id], permissions })
    await expect(other.hostWithToken(token).testConnection('main')).resolves.toMatchObject({
      code: 'repository_not_found',
      message: expect.stringContaining('the token has no access to it'),
    })
  })
})

describe('GitHub', () => {
  it('is not trusted if it creates another tree than ours', async () => {
    const isTree = ({ method, url }: { method: string; url: string }) => method === 'POST' && url.endsWith('/git/trees')
    const otherTree = () => Response.json({ sha: 'a'.repeat(40) }, { status: 201 })
    const host = repository.hostWithChanges({}, createInterceptingEgress(repository.egress, isTree, otherTree))
    await expect(
      publishWithoutRetries(repository, { branch: 'other-tree', change: { 'docs/new.md': 'x' }, host }),
    ).rejects.toMatchObject({ failure: { kind: 'retry', code: 'unexpected_response' } })
    await expect(repository.host.branchHead('other-tree')).resolves.toBeUndefined()
  })

  it('rejects a branch that violates a rule, with a reason and permanently', async () => {
    const isRef = ({ method, url }: { method: string; url: string }) => method === 'POST' && url.endsWith('/git/refs')
    const rule = () => Response.json({ message: 'Repository rule violations found' }, { status: 422 })
    const host = repository.hostWithChanges({}, createInterceptingEgress(repository.egress, isRef, rule))
    await expect(
      publishWithoutRetries(repository, { branch: 'ruled', change: { 'docs/new.md': 'x' }, host }),
    ).rejects.toMatchObject({
      failure: { kind: 'final', code: 'push_rejected' },
      message: expect.stringContaining('rule violations'),
    })
  })

  it('gets a pull request that is not a draft if its plan has no drafts', async () => {
    const spec = await pushPullRequestBranch(repository, 'no-drafts', { draft: true })
    const { egress, requests } = recordRequests(repository.egress)
    const rejecting: Egress = {
      ...egress,
      fetch: async (url, request) =>
        typeof request?.body === 'string' && request.body.includes('"draft":true')
          ? Response.json({ message: 'Draft pull requests are not supported in this repository.' }, { status: 422 })
          : await egress.fetch(url, request),
    }
    await repository.hostWithChanges({}, rejecting).ensurePullRequest(spec)
    expect((await repository.listPullRequests('no-drafts')).map(({ isDraft }) => isDraft)).toEqual([false])
    expect(requests.length).toBeGreaterThan(0)
  })

  it('returns the pull request that was created in the meantime', async () => {
    const spec = await pushPullRequestBranch(repository, 'in-the-meantime')
    const first = await repository.host.ensurePullRequest(spec)
    let searches = 0
    const isFirstSearch = ({ url }: { url: string }) => url.includes('/pulls?head=') && ++searches === 1
    const stale = createInterceptingEgress(repository.egress, isFirstSearch, () => Response.json([]))
    const { pullRequest } = await repository.hostWithChanges({}, stale).ensurePullRequest(spec)
    expect(pullRequest.number).toBe(first.pullRequest.number)
    expect(searches).toBe(2)
  })

  it.each([{ id: 1 }, null])(
    'ignores a pull request from a branch of the same name in a fork (%j)',
    async (repo) => {
      const branch = `fork-${repo?.id ?? 'gone'}`
      const spec = await pushPullRequestBranch(repository, branch)
      const { number } = (await repository.host.ensurePullRequest(spec)).pullRequest
      const fromFork: Egress = {
        ...repository.egress,
        async fetch(url, request) {
          const response = await repository.egress.fetch(url, request)
          if (!String(url).includes('/pulls') || !response.ok) return response
          const body: unknown = await response.json()
          for (const pullRequest of [body].flat() as { head: { repo: unknown } }[]) pullRequest.head.repo = repo
          return Response.json(body, response)
        },
      }
      const host = repository.hostWithChanges({}, fromFork)
      await expect(host.findPullRequest(number)).resolves.toBeUndefined()
      await expect(host.ensurePullRequest(spec)).rejects.toThrow('already exists')
    },
    30_000,
  )

  it('sets labels and reviewers after failed requests, and makes no requests while rate limited', async () => {
    const label = await repository.existingLabel()
    const { name: reviewer } = await repository.invite('write')
    const isLabelsOrReviewers = ({ url }: { url: string }) => /\/labels$|\/requested_reviewers$/.test(url)
    let calls = 0
    const open = async (branch: string, respond: (call: number) => Response | undefined) => {
      calls = 0
      const failing: Egress = {
        ...repository.egress,
        async fetch(url, request) {
          const simulated = isLabelsOrReviewers({ url: String(url) }) ? respond(++calls) : undefined
          return simulated ?? repository.egress.fetch(url, request)
        },
      }
      const spec = {
        ...(await pushPullRequestBranch(repository, branch)),
        labels: [label],
        reviewers: [reviewer, 'another'],
      }
      const { skipped } = await repository.hostWithChanges({}, failing).ensurePullRequest(spec)
      return { skipped, pullRequest: (await repository.listPullRequests(branch))[0] }
    }
    const late = await open('late-labels', (call) => (call < 3 ? new Response('', { status: 502 }) : undefined))
    expect(late.pullRequest).toMatchObject({ labels: [label], reviewers: [reviewer] })
    expect(late.skipped).toEqual({ labels: [], reviewers: ['another'] })
    const headers = { 'retry-after': '60' }
    const rateLimited = await open('no-reviewers', (call) =>
      call > 1 ? new Response('', { status: 429, headers }) : undefined,
    )
    expect(rateLimited.pullRequest).toMatchObject({ labels: [label], reviewers: [] })
    expect(rateLimited.skipped).toEqual({ labels: [], reviewers: [reviewer, 'another'] })
    expect(calls).toBe(2)
  }, 60_000)

  it('serves logs from another host, which does not get our token', async () => {
    const commit = craftChildCommit(repository.base, { 'docs/elsewhere.md': 'x' })
    await repository.pushAsPerson(commit, 'elsewhere')
    await repository.setFailedRun(commit.id, { name: 'links', summary: 's', annotation: 'a', log: 'the log\n' })
    const { egress, requests } = recordRequests(repository.egress)
    const host = repository.hostWithChanges({}, egress)
    const [check] = (await host.readChecks(commit.id)).checks
    if (!check) throw new Error('no check found')
    await expect(host.readCheckLog(check)).resolves.toContain('the log')
    const last = requests.at(-1)
    expect(last?.url).not.toContain('/api/v3/')
    expect(last?.token).toBe('')
  })

  it('cannot redirect a log request to other allowed hosts', async () => {
    const internal = createServer((_, response) => response.end('an internal page')).listen(0, '127.0.0.1')
    await once(internal, 'listening')
    onTestFinished(() => void internal.close())
    const { port } = internal.address() as AddressInfo
    const egress = createEgress({ allowedHosts: [new URL(github.url).host, `127.0.0.1:${port}`] })
    onTestFinished(() => egress.close())

    const commit = craftChildCommit(repository.base, { 'docs/inside.md': 'x' })
    await repository.pushAsPerson(commit, 'inside')
    await repository.setFailedRun(commit.id, { name: 'links', summary: 'broken', annotation: 'a', log: 'the log\n' })
    const isLog = ({ url }: { url: string }) => url.includes('/actions/jobs/')
    const location = `http://127.0.0.1:${port}/`
    const redirecting = createInterceptingEgress(
      egress,
      isLog,
      () => new Response(null, { status: 302, headers: { location } }),
    )
    const host = repository.hostWithChanges({}, redirecting)
    const [check] = (await host.readChecks(commit.id)).checks
    if (!check) throw new Error('no check found')
    const log = await host.readCheckLog(check)
    expect(log).toContain('broken')
    expect(log).not.toContain('internal')
  })

  it('returns the last complete lines of a long log, without any part of a token', async () => {
    const commit = craftChildCommit(repository.base, { 'docs/long-log.md': 'x' })
    await repository.pushAsPerson(commit, 'long-log')
    const token = `ghs_${'secret-part.'.repeat(10)}`
    const log = `${`${token}\n`.repeat(4_000)}the end\n`
    const summary = `${'s'.repeat(7_990)} ${token}`
    await repository.setFailedRun(commit.id, { name: 'links', summary, annotation: 'a', log })
    const [check] = (await repository.host.readChecks(commit.id)).checks
    if (!check) throw new Error('no check found')
    const text = await repository.host.readCheckLog(check)
    expect(text).toMatch(/\*\*\*\nthe end$/)
    expect(text).not.toMatch(/ghs|secret|part/)
  })
})
