import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Egress } from '../../platform/egress/egress.ts'
import type { CodeHost, PullRequestSpec } from '../code-host.ts'
import { pushPullRequestBranch } from '../testing/behaviors/behavior.ts'
import { createGiteaTestRepository, type GiteaTestRepository } from '../testing/gitea-test-repository.ts'
import { defaultPublishingTemplates, renderPullRequest } from '../text/pull-request-text.ts'

const services = inject('services')
let gitea: GiteaTestRepository
let host: CodeHost
beforeAll(async () => {
  gitea = await createGiteaTestRepository(services.gitea)
  host = gitea.host
})
afterAll(() => gitea.remove())

/** These tests cover what is specific to Gitea. `testing/behaviors` covers what all hosts have in common. */
const createSpec = (branch: string, overrides?: Partial<PullRequestSpec>) =>
  pushPullRequestBranch(gitea, branch, overrides)

describe('testConnection', () => {
  it('succeeds with the minimum permissions', async () => {
    const person = await gitea.addPerson('write', ['write:repository'])
    const expected = { ok: true, baseCommit: gitea.base.id, defaultBranch: 'main', canManageWebhooks: false }
    await expect(gitea.hostWithToken(person.token).testConnection('main')).resolves.toEqual(expected)
  })

  it('reports missing permissions of a token', async () => {
    const reader = await gitea.addPerson('read', ['write:repository'])
    const writerWithReadToken = await gitea.addPerson('write', ['read:repository'])
    const stranger = await gitea.addPerson('none', ['read:issue'])
    const codes = await Promise.all(
      [reader, writerWithReadToken, stranger].map(async ({ token }) => {
        const test = await gitea.hostWithToken(token).testConnection('main')
        return test.ok || test.code
      }),
    )
    expect(codes).toEqual(['token_cannot_push', 'token_cannot_push', 'token_cannot_read'])
  })

  it('reports a repository that cannot be used', async () => {
    const other = await createGiteaTestRepository(services.gitea)
    onTestFinished(() => other.remove())
    await other.callAsAdmin('PATCH', '', { has_pull_requests: false })
    await expect(other.host.testConnection('main')).resolves.toMatchObject({ code: 'pull_requests_disabled' })
    await other.callAsAdmin('PATCH', '', { archived: true })
    await expect(other.host.testConnection('main')).resolves.toMatchObject({ code: 'repository_archived' })
  })
})

describe('ensurePullRequest', () => {
  it('ignores a pull request from a branch of the same name in a fork', async () => {
    const person = await gitea.invite('read')
    const postAsPerson = async (path: string, body: unknown): Promise<{ number: number }> => {
      const headers = { authorization: `token ${person.token}`, 'content-type': 'application/json' }
      const url = `${services.gitea.url}/api/v1/repos/${path}`
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(response.ok).toBe(true)
      return (await response.json()) as { number: number }
    }
    await postAsPerson(`${gitea.owner}/${gitea.name}/forks`, {})
    const change = { content: btoa('theirs'), message: 'Theirs', new_branch: 'forked' }
    await postAsPerson(`${person.name}/${gitea.name}/contents/docs/theirs.md`, change)
    const theirs = { title: 'Theirs', head: `${person.name}:forked`, base: 'main' }
    const { number } = await postAsPerson(`${gitea.owner}/${gitea.name}/pulls`, theirs)

    const { pullRequest } = await host.ensurePullRequest(await createSpec('forked'))
    expect(pullRequest).toMatchObject({ title: 'Add a page', state: 'open' })
    await expect(host.findPullRequest(number)).resolves.toBeUndefined()
    await expect(gitea.callAsAdmin('GET', `/pulls/${number}`)).resolves.toMatchObject({ state: 'open' })
  })

  it('treats "already exists" as success', async () => {
    const spec = await createSpec('exists')
    const first = await host.ensurePullRequest(spec)
    let reads = 0
    const stale: Egress = {
      ...gitea.egress,
      // The first read happens before the other attempt has created the pull request.
      fetch: (url, request) =>
        request?.method === 'GET' && ++reads === 1
          ? Promise.resolve(new Response('{}', { status: 404 }))
          : gitea.egress.fetch(url, request),
    }
    const { number } = first.pullRequest
    await expect(gitea.hostWithChanges({}, stale).ensurePullRequest(spec)).resolves.toMatchObject({
      pullRequest: { number },
    })
    expect(reads).toBe(2)
  })

  it('sets draft, labels and reviewers, and skips those that do not exist', async () => {
    const reviewer = await gitea.addPerson('read', ['read:user'])
    const stranger = await gitea.addPerson('none', ['read:user'])
    await gitea.callAsAdmin('POST', '/labels', { name: 'docs', color: '#00aabb' })
    const spec = await createSpec('all-options', { draft: true, labels: ['docs', 'none'], reviewers: [reviewer.name] })
    const { pullRequest, skipped } = await host.ensurePullRequest(spec)
    expect(skipped).toEqual({ labels: ['none'], reviewers: [] })
    await expect(gitea.callAsAdmin('GET', `/pulls/${pullRequest.number}`)).resolves.toMatchObject({
      title: 'WIP: Add a page',
      draft: true,
      labels: [{ name: 'docs' }],
      requested_reviewers: [{ login: reviewer.name }],
    })
    for (const name of ['unknown-user', stranger.name]) {
      const other = await host.ensurePullRequest(await createSpec(`reviewer-${name}`, { reviewers: [name] }))
      expect(other).toMatchObject({ pullRequest: { state: 'open' }, skipped: { reviewers: [name] } })
    }
  })
})

describe('updatePullRequestText', () => {
  it('changes only the text that people have not edited, and keeps drafts', async () => {
    const first = { title: 'One', body: 'First.' }
    const second = { title: 'Two', body: 'Second.' }
    const created = await host.ensurePullRequest(await createSpec('rewrite', { ...first, draft: true }))
    const { number } = created.pullRequest
    await expect(host.updatePullRequestText(number, { previous: first, updated: second })).resolves.toMatchObject({
      title: 'WIP: Two',
      body: 'Second.',
    })
    await expect(host.updatePullRequestText(number, { previous: first, updated: second })).resolves.toMatchObject({
      title: 'WIP: Two',
      body: 'Second.',
    })

    await gitea.callAsAdmin('PATCH', `/pulls/${number}`, { title: 'Ready, and renamed' })
    const third = { title: 'Three', body: 'Third.' }
    await expect(host.updatePullRequestText(number, { previous: second, updated: third })).resolves.toMatchObject({
      title: 'Ready, and renamed',
      body: 'Third.',
    })
  })
})

describe('text from an agent', () => {
  it('closes no issue and mentions nobody, even in a squash merge; unescaped text does', async () => {
    const person = await gitea.addPerson('read', ['read:user', 'read:notification'])
    const mentions = async () => {
      const response = await fetch(`${services.gitea.url}/api/v1/notifications?all=true`, {
        headers: { authorization: `token ${person.token}` },
      })
      return ((await response.json()) as unknown[]).length
    }
    const issueState = async (number: number) =>
      ((await gitea.callAsAdmin('GET', `/issues/${number}`)) as { state: string }).state

    for (const isNeutralized of [true, false]) {
      const issue = (await gitea.callAsAdmin('POST', '/issues', { title: 'An issue' })) as { number: number }
      const agentText = `Fixes #${issue.number}, for @${person.name}.\n\nCloses ${services.gitea.url}/${gitea.owner}/${gitea.name}/issues/${issue.number}`
      const text = isNeutralized
        ? renderPullRequest(defaultPublishingTemplates, 'job_1', { title: agentText, summary: agentText })
        : { title: 'Raw', body: agentText }
      const spec = await createSpec(`agent-text-${isNeutralized}`, text)
      const { pullRequest } = await host.ensurePullRequest(spec)
      await gitea.merge(pullRequest.number, 'squash')
      await expect.poll(() => issueState(issue.number)).toBe(isNeutralized ? 'open' : 'closed')
      await expect.poll(mentions).toBe(isNeutralized ? 0 : 1)
    }
  })
})

describe('webhooks', () => {
  it('leaves exactly one, or reports a missing permission', async () => {
    const url = 'https://colophon.example/webhook'
    await expect(host.ensureWebhook({ url, secret: 'one' })).resolves.toBe('ensured')
    await expect(host.ensureWebhook({ url, secret: 'two' })).resolves.toBe('ensured')
    await expect(gitea.callAsAdmin('GET', '/hooks')).resolves.toMatchObject([
      { config: { url }, events: expect.arrayContaining(['pull_request', 'pull_request_comment', 'repository']) },
    ])
    const writer = await gitea.addPerson('write', ['write:repository'])
    await expect(gitea.hostWithToken(writer.token).ensureWebhook({ url, secret: 'x' })).resolves.toBe('not_permitted')
  })
})
