import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createEgress, type Egress } from '../../platform/egress/egress.ts'
import { EgressError } from '../../platform/egress/egress-error.ts'
import type { CodeHost, WantedPullRequest } from '../code-host.ts'
import { openCodeHost } from '../open-code-host.ts'
import { craftCommit } from '../testing/craft-commit.ts'
import { createGiteaRepository, type GiteaRepository } from '../testing/gitea-repository.ts'
import { defaultTemplates, renderPullRequest } from '../text/pull-request-text.ts'

const engines = inject('engines')
let gitea: GiteaRepository
let host: CodeHost
beforeAll(async () => {
  gitea = await createGiteaRepository(engines.gitea)
  host = gitea.host
})
afterAll(() => gitea.remove())

const failure = (code: string) => expect.objectContaining({ failure: expect.objectContaining({ code }) })

/** The same repository, as some other part of the connection being wrong. */
function hostAt(change: { baseUrl?: string; name?: string; token?: string }, egress: Egress = gitea.egress): CodeHost {
  const { url: baseUrl, adminToken: token } = engines.gitea
  return openCodeHost({ host: 'gitea', baseUrl, owner: gitea.owner, name: gitea.name, token, ...change }, egress)
}

/** Does what it is asked, and loses the answer. */
function losing(egress: Egress, method: string): Egress {
  return {
    ...egress,
    async fetch(url, request) {
      const response = await egress.fetch(url, request)
      if (request?.method !== method) return response
      await response.text()
      throw new EgressError('connection_lost', 'The connection broke before the answer was complete.')
    },
  }
}

async function branchWithChange(branch: string): Promise<string> {
  const commit = craftCommit({ ...gitea.base.files, [`docs/${branch}.md`]: `# ${branch}\n` }, [gitea.base.id])
  await gitea.pushAsPerson(commit, branch)
  return commit.id
}

async function wantedFrom(branch: string, change: Partial<WantedPullRequest> = {}): Promise<WantedPullRequest> {
  await branchWithChange(branch)
  const text = { title: 'Add a page', body: 'It was missing.' }
  return { branch, baseBranch: 'main', ...text, draft: false, labels: [], reviewers: [], ...change }
}

describe('testConnection', () => {
  it('works', async () => {
    const expected = { works: true, baseCommit: gitea.base.id, canManageWebhooks: true }
    await expect(host.testConnection('main')).resolves.toEqual(expected)
  })

  it('works with the least that is needed', async () => {
    const person = await gitea.addPerson('write', ['write:repository'])
    const expected = { works: true, baseCommit: gitea.base.id, canManageWebhooks: false }
    await expect(gitea.hostWith(person.token).testConnection('main')).resolves.toEqual(expected)
  })

  it.each([
    ['token_rejected', () => hostAt({ token: 'f'.repeat(40) }), 'main'],
    ['repository_not_found', () => hostAt({ name: 'none' }), 'main'],
    ['base_branch_not_found', () => host, 'none'],
    ['address_refused', () => hostAt({}, createEgress({})), 'main'],
    [
      'unreachable',
      () => hostAt({ baseUrl: 'http://127.0.0.1:1' }, createEgress({ allowedHosts: ['127.0.0.1:1'] })),
      'main',
    ],
  ])('says %s', async (code, of, branch) => {
    await expect(of().testConnection(branch)).resolves.toMatchObject({
      works: false,
      code,
      message: expect.any(String),
    })
  })

  it('says what a token may not do', async () => {
    const reader = await gitea.addPerson('read', ['write:repository'])
    const readingWriter = await gitea.addPerson('write', ['read:repository'])
    const stranger = await gitea.addPerson('none', ['read:issue'])
    const codes = await Promise.all(
      [reader, readingWriter, stranger].map(async ({ token }) => {
        const test = await gitea.hostWith(token).testConnection('main')
        return test.works || test.code
      }),
    )
    expect(codes).toEqual(['token_cannot_push', 'token_cannot_push', 'token_cannot_read'])
  })

  it('says that something else answers', async () => {
    const server = createServer((_, response) => response.end('<html>hello</html>')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const other = hostAt({ baseUrl: `http://${address}` }, createEgress({ allowedHosts: [address] }))
    await expect(other.testConnection('main')).resolves.toMatchObject({ works: false, code: 'not_this_host' })
  })

  it('says what is wrong with the repository', async () => {
    const other = await createGiteaRepository(engines.gitea)
    onTestFinished(() => other.remove())
    await other.asPerson('PATCH', '', { has_pull_requests: false })
    await expect(other.host.testConnection('main')).resolves.toMatchObject({ code: 'pull_requests_disabled' })
    await other.asPerson('PATCH', '', { archived: true })
    await expect(other.host.testConnection('main')).resolves.toMatchObject({ code: 'repository_archived' })
  })
})

describe('branches', () => {
  it('finds a head, and deletes only what we pushed', async () => {
    const pushed = await branchWithChange('folder/to-delete')
    await expect(host.branchHead('folder/to-delete')).resolves.toBe(pushed)
    await expect(host.branchHead('none')).resolves.toBeUndefined()
    await expect(host.deleteBranch('folder/to-delete', gitea.base.id)).resolves.toBe('moved')
    await expect(host.deleteBranch('folder/to-delete', pushed)).resolves.toBe('deleted')
    await expect(host.deleteBranch('folder/to-delete', pushed)).resolves.toBe('absent')
  })
})

describe('ensurePullRequest', () => {
  it('opens one, and finds it the next time', async () => {
    const wanted = await wantedFrom('colophon/one')
    const first = await host.ensurePullRequest(wanted)
    expect(first).toMatchObject({
      pullRequest: {
        state: 'open',
        title: 'Add a page',
        body: 'It was missing.',
        url: expect.stringMatching(/\/pulls\/\d+$/),
        headCommit: await host.branchHead('colophon/one'),
      },
      skipped: { labels: [], reviewers: [] },
    })
    await expect(host.ensurePullRequest({ ...wanted, title: 'Other' })).resolves.toEqual(first)
    await expect(host.findPullRequest(first.pullRequest.number)).resolves.toEqual(first.pullRequest)
    await expect(host.findPullRequest(99_999)).resolves.toBeUndefined()
  })

  it('opens one although the answer is lost', async () => {
    const wanted = await wantedFrom('lost')
    const { pullRequest } = await hostAt({}, losing(gitea.egress, 'POST')).ensurePullRequest(wanted)
    await expect(host.ensurePullRequest(wanted)).resolves.toMatchObject({ pullRequest })
  })

  it('takes "already exists" for success', async () => {
    const wanted = await wantedFrom('exists')
    const first = await host.ensurePullRequest(wanted)
    let looks = 0
    const late: Egress = {
      ...gitea.egress,
      // The first look comes before the other attempt's pull request is there.
      fetch: (url, request) =>
        request?.method === 'GET' && ++looks === 1
          ? Promise.resolve(new Response('{}', { status: 404 }))
          : gitea.egress.fetch(url, request),
    }
    await expect(hostAt({}, late).ensurePullRequest(wanted)).resolves.toEqual(first)
    expect(looks).toBe(2)
  })

  it('returns a closed and a merged one as they are', async () => {
    for (const [branch, state, end] of [
      ['to-close', 'closed', (number: number) => gitea.asPerson('PATCH', `/pulls/${number}`, { state: 'closed' })],
      ['to-merge', 'merged', (number: number) => gitea.asPerson('POST', `/pulls/${number}/merge`, { Do: 'merge' })],
    ] as const) {
      const wanted = await wantedFrom(branch)
      const { pullRequest } = await host.ensurePullRequest(wanted)
      await mergeable(pullRequest.number)
      await end(pullRequest.number)
      await expect(host.ensurePullRequest(wanted)).resolves.toMatchObject({
        pullRequest: { number: pullRequest.number, state },
      })
    }
  })

  it('sets draft, labels and reviewers, and goes on without those that do not exist', async () => {
    const reviewer = await gitea.addPerson('read', ['read:user'])
    const stranger = await gitea.addPerson('none', ['read:user'])
    await gitea.asPerson('POST', '/labels', { name: 'docs', color: '#00aabb' })
    const wanted = await wantedFrom('dressed', { draft: true, labels: ['docs', 'none'], reviewers: [reviewer.name] })
    const { pullRequest, skipped } = await host.ensurePullRequest(wanted)
    expect(skipped).toEqual({ labels: ['none'], reviewers: [] })
    await expect(gitea.asPerson('GET', `/pulls/${pullRequest.number}`)).resolves.toMatchObject({
      title: 'WIP: Add a page',
      draft: true,
      labels: [{ name: 'docs' }],
      requested_reviewers: [{ login: reviewer.name }],
    })
    for (const name of ['nobody-of-this-name', stranger.name]) {
      const other = await host.ensurePullRequest(await wantedFrom(`reviewer-${name}`, { reviewers: [name] }))
      expect(other).toMatchObject({ pullRequest: { state: 'open' }, skipped: { reviewers: [name] } })
    }
  })

  it('fails for good where nothing can be opened', async () => {
    const wanted = await wantedFrom('no-base', { baseBranch: 'none' })
    await expect(host.ensurePullRequest(wanted)).rejects.toThrow(failure('not_found'))
    const reader = await gitea.addPerson('none', ['read:repository'])
    await expect(gitea.hostWith(reader.token).ensurePullRequest(await wantedFrom('by-reader'))).rejects.toThrow(
      failure('forbidden'),
    )
  })
})

describe('rewritePullRequest', () => {
  it('changes what is still ours, and a draft stays one', async () => {
    const written = { title: 'One', body: 'First.' }
    const wanted = { title: 'Two', body: 'Second.' }
    const made = await host.ensurePullRequest(await wantedFrom('rewrite', { ...written, draft: true }))
    const { number } = made.pullRequest
    await expect(host.rewritePullRequest(number, { written, wanted })).resolves.toMatchObject({
      title: 'WIP: Two',
      body: 'Second.',
    })
    await expect(host.rewritePullRequest(number, { written, wanted })).resolves.toMatchObject({
      title: 'WIP: Two',
      body: 'Second.',
    })

    await gitea.asPerson('PATCH', `/pulls/${number}`, { title: 'Ready, and renamed' })
    const next = { written: wanted, wanted: { title: 'Three', body: 'Third.' } }
    await expect(host.rewritePullRequest(number, next)).resolves.toMatchObject({
      title: 'Ready, and renamed',
      body: 'Third.',
    })
  })
})

describe('what an agent wrote', () => {
  it('closes no issue and mentions nobody, also when merged by squashing; as it was written it would', async () => {
    const person = await gitea.addPerson('read', ['read:user', 'read:notification'])
    const mentions = async () => {
      const response = await fetch(`${engines.gitea.url}/api/v1/notifications?all=true`, {
        headers: { authorization: `token ${person.token}` },
      })
      return ((await response.json()) as unknown[]).length
    }
    const issueState = async (number: number) =>
      ((await gitea.asPerson('GET', `/issues/${number}`)) as { state: string }).state

    for (const isHarmless of [true, false]) {
      const issue = (await gitea.asPerson('POST', '/issues', { title: 'An issue' })) as { number: number }
      const words = `Fixes #${issue.number}, for @${person.name}.\n\nCloses ${engines.gitea.url}/${gitea.owner}/${gitea.name}/issues/${issue.number}`
      const text = isHarmless
        ? renderPullRequest(defaultTemplates, 'job_1', { title: words, summary: words })
        : { title: 'Raw', body: words }
      const wanted = await wantedFrom(`words-${isHarmless}`, text)
      const { pullRequest } = await host.ensurePullRequest(wanted)
      await mergeable(pullRequest.number)
      await gitea.asPerson('POST', `/pulls/${pullRequest.number}/merge`, { Do: 'squash' })
      await expect.poll(() => issueState(issue.number), { timeout: 5000 }).toBe(isHarmless ? 'open' : 'closed')
      await expect.poll(mentions, { timeout: 5000 }).toBe(isHarmless ? 0 : 1)
    }
  })
})

describe('webhooks', () => {
  it('leaves exactly one, or says that it may not', async () => {
    const url = 'https://colophon.example/webhook'
    await expect(host.ensureWebhook({ url, secret: 'one' })).resolves.toBe('ensured')
    await expect(host.ensureWebhook({ url, secret: 'two' })).resolves.toBe('ensured')
    await expect(gitea.asPerson('GET', '/hooks')).resolves.toMatchObject([
      { config: { url }, events: ['pull_request'] },
    ])
    const writer = await gitea.addPerson('write', ['write:repository'])
    await expect(gitea.hostWith(writer.token).ensureWebhook({ url, secret: 'x' })).resolves.toBe('not_permitted')
  })
})

/** Gitea looks for conflicts in the background, and merges nothing before. */
async function mergeable(number: number): Promise<void> {
  const read = async () => ((await gitea.asPerson('GET', `/pulls/${number}`)) as { mergeable: boolean }).mergeable
  await expect.poll(read, { timeout: 10_000 }).toBe(true)
}
