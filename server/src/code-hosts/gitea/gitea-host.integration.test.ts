import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Egress } from '../../platform/egress/egress.ts'
import type { CodeHost, WantedPullRequest } from '../code-host.ts'
import { wantedFrom as wantedOn } from '../testing/behaviours/behaviour.ts'
import { createGiteaRepository, type GiteaRepository } from '../testing/gitea-repository.ts'
import { defaultTemplates, renderPullRequest } from '../text/pull-request-text.ts'

const services = inject('services')
let gitea: GiteaRepository
let host: CodeHost
beforeAll(async () => {
  gitea = await createGiteaRepository(services.gitea)
  host = gitea.host
})
afterAll(() => gitea.remove())

/** What Gitea has and no other host; what they have in common is in `testing/behaviours`. */
const wantedFrom = (branch: string, change?: Partial<WantedPullRequest>) => wantedOn(gitea, branch, change)

describe('testConnection', () => {
  it('works with the least that is needed', async () => {
    const person = await gitea.addPerson('write', ['write:repository'])
    const expected = { ok: true, baseCommit: gitea.base.id, defaultBranch: 'main', canManageWebhooks: false }
    await expect(gitea.hostWith(person.token).testConnection('main')).resolves.toEqual(expected)
  })

  it('says what a token may not do', async () => {
    const reader = await gitea.addPerson('read', ['write:repository'])
    const readingWriter = await gitea.addPerson('write', ['read:repository'])
    const stranger = await gitea.addPerson('none', ['read:issue'])
    const codes = await Promise.all(
      [reader, readingWriter, stranger].map(async ({ token }) => {
        const test = await gitea.hostWith(token).testConnection('main')
        return test.ok || test.code
      }),
    )
    expect(codes).toEqual(['token_cannot_push', 'token_cannot_push', 'token_cannot_read'])
  })

  it('says what is wrong with the repository', async () => {
    const other = await createGiteaRepository(services.gitea)
    onTestFinished(() => other.remove())
    await other.asPerson('PATCH', '', { has_pull_requests: false })
    await expect(other.host.testConnection('main')).resolves.toMatchObject({ code: 'pull_requests_disabled' })
    await other.asPerson('PATCH', '', { archived: true })
    await expect(other.host.testConnection('main')).resolves.toMatchObject({ code: 'repository_archived' })
  })
})

describe('ensurePullRequest', () => {
  it("leaves a fork's pull request of the same branch name alone", async () => {
    const person = await gitea.invite('read')
    const asThem = async (path: string, body: unknown): Promise<{ number: number }> => {
      const headers = { authorization: `token ${person.token}`, 'content-type': 'application/json' }
      const url = `${services.gitea.url}/api/v1/repos/${path}`
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(response.ok).toBe(true)
      return (await response.json()) as { number: number }
    }
    await asThem(`${gitea.owner}/${gitea.name}/forks`, {})
    const change = { content: btoa('theirs'), message: 'Theirs', new_branch: 'forked' }
    await asThem(`${person.name}/${gitea.name}/contents/docs/theirs.md`, change)
    const theirs = { title: 'Theirs', head: `${person.name}:forked`, base: 'main' }
    const { number } = await asThem(`${gitea.owner}/${gitea.name}/pulls`, theirs)

    const { pullRequest } = await host.ensurePullRequest(await wantedFrom('forked'))
    expect(pullRequest).toMatchObject({ title: 'Add a page', state: 'open' })
    await expect(host.findPullRequest(number)).resolves.toBeUndefined()
    await expect(gitea.asPerson('GET', `/pulls/${number}`)).resolves.toMatchObject({ state: 'open' })
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
    const { number } = first.pullRequest
    await expect(gitea.hostAt({}, late).ensurePullRequest(wanted)).resolves.toMatchObject({ pullRequest: { number } })
    expect(looks).toBe(2)
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
      const response = await fetch(`${services.gitea.url}/api/v1/notifications?all=true`, {
        headers: { authorization: `token ${person.token}` },
      })
      return ((await response.json()) as unknown[]).length
    }
    const issueState = async (number: number) =>
      ((await gitea.asPerson('GET', `/issues/${number}`)) as { state: string }).state

    for (const isHarmless of [true, false]) {
      const issue = (await gitea.asPerson('POST', '/issues', { title: 'An issue' })) as { number: number }
      const words = `Fixes #${issue.number}, for @${person.name}.\n\nCloses ${services.gitea.url}/${gitea.owner}/${gitea.name}/issues/${issue.number}`
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
      { config: { url }, events: expect.arrayContaining(['pull_request', 'pull_request_comment', 'repository']) },
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
