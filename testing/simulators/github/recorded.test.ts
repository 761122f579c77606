/** Compares the simulator's responses and events with recorded ones of github.com. */
import { expect, test } from 'vitest'
import { readFixture, readWebhookExamples } from './descriptions.ts'
import { appManifest } from './testing/app-manifest.ts'
import { startHookReceiver } from './testing/hook-receiver.ts'
import { shapeDifferences } from './testing/shape-differences.ts'
import { startTestGithub } from './testing/test-github.ts'

async function withOrganization(permissions: Record<string, 'read' | 'write'>) {
  const github = await startTestGithub()
  await github.control.createUser('ada')
  await github.control.createOrganization('octokit-fixture-org', ['ada'])
  const repository = await github.control.createRepository('octokit-fixture-org', 'hello-world', {
    isPrivate: false,
    labels: Array.from({ length: 13 }, (_, index) => `label ${index + 1}`),
  })
  const token = await github.control.createFineGrainedToken('ada', { repositories: [repository.id], permissions })
  return { ...github, repository, token, at: '/repos/octokit-fixture-org/hello-world' }
}

/** Fields of old recordings that GitHub no longer sends, or that the simulator does not have. */
const isOutdated = (difference: string) => /permissions\.(maintain|triage)|template_repository/.test(difference)

test('returns a repository as recorded', async () => {
  const { api, token, at } = await withOrganization({ contents: 'read' })
  const [recorded] = await readFixture('get-repository')
  const response = await api(token, 'GET', at)
  expect(
    shapeDifferences(recorded?.response, response.body, 3).filter((difference) => !isOutdated(difference)),
  ).toEqual([])
  const names = Object.keys(recorded?.headers ?? {}).filter((name) => /^x-(ratelimit|github)/.test(name))
  expect(names.filter((name) => !response.headers.has(name))).toEqual([])
})

test('returns refs as recorded', async () => {
  const { api, token, at, repository } = await withOrganization({ contents: 'write' })
  const [, created, updated, , deleted] = await readFixture('git-refs')
  const create = await api(token, 'POST', `${at}/git/refs`, { ref: 'refs/heads/test', sha: repository.head })
  expect(create.status).toBe(created?.status)
  expect(shapeDifferences(created?.response, create.body, 2)).toEqual([])
  const update = await api(token, 'PATCH', `${at}/git/refs/heads/test`, { sha: repository.head })
  expect(update.status).toBe(updated?.status)
  expect(shapeDifferences(updated?.response, update.body, 2)).toEqual([])
  expect((await api(token, 'DELETE', `${at}/git/refs/heads/test`)).status).toBe(deleted?.status)
})

test('returns statuses as recorded', async () => {
  const { api, control, token, at, repository } = await withOrganization({ statuses: 'read' })
  const [, , , combined] = await readFixture('create-status')
  for (const [context, state] of [
    ['example/1', 'failure'],
    ['example/2', 'success'],
  ] as const) {
    await control.setStatus(repository.id, repository.head, { context, state, targetUrl: 'https://example.com' })
  }
  const all = await api(token, 'GET', `${at}/commits/${repository.head}/status`)
  expect(all.body.state).toBe(combined?.response.state)
  expect(shapeDifferences(combined?.response, all.body, 1)).toEqual([])
})

test('returns labels and errors as recorded', async () => {
  const { api, token, at } = await withOrganization({ pull_requests: 'write' })
  const [labels] = await readFixture('labels')
  const recorded = labels?.response[0]
  expect(shapeDifferences(recorded, (await api(token, 'GET', `${at}/labels`)).body[0], 1)).toEqual([])
  const [failed] = await readFixture('errors')
  const error = await api(token, 'POST', `${at}/pulls`, { title: 'T', head: 'nothing', base: 'main' })
  expect(error.status).toBe(failed?.status)
  expect(shapeDifferences(failed?.response, error.body, 1)).toEqual([])
  expect(
    shapeDifferences(
      { errors: Object.assign({}, failed?.response.errors) },
      { errors: Object.assign({}, error.body.errors) },
      3,
    ),
  ).toEqual([])
})

test('redirects after a rename as recorded', async () => {
  const { api, control, token, at, repository, url } = await withOrganization({ contents: 'read' })
  const [, moved, found, movedChange] = await readFixture('rename-repository')
  await control.rename(repository.id, 'new-name')
  const response = await api(token, 'GET', at)
  expect(response.status).toBe(moved?.status)
  expect(Object.keys(response.body).sort()).toEqual(Object.keys(moved?.response ?? {}).sort())
  const toLocalUrl = (address: unknown) =>
    String(address).replace('https://api.github.com', `${url}/api/v3`).replace('/1000', `/${repository.id}`)
  expect(response.headers.get('location')).toBe(toLocalUrl(moved?.headers.location))
  expect((await api(token, 'GET', response.headers.get('location') ?? '')).status).toBe(found?.status)
  const change = await api(token, 'POST', `${at}/git/refs`, { ref: 'refs/heads/x', sha: repository.head })
  expect(change.status).toBe(movedChange?.status)
})

test('paginates as recorded', async () => {
  const { api, token, at, repository, url } = await withOrganization({ pull_requests: 'read' })
  const recorded = await readFixture('paginate-issues')
  for (const [index, { headers }] of recorded.entries()) {
    const response = await api(token, 'GET', `${at}/labels?per_page=3${index === 0 ? '' : `&page=${index + 1}`}`)
    const expected = String(headers.link)
      .replaceAll('https://api.github.com', `${url}/api/v3`)
      .replaceAll('/1000/issues', `/${repository.id}/labels`)
    expect(response.headers.get('link')).toBe(expected)
  }
})

/** Permissions differ between Apps, and the description, which is newer, has times in the format of the API. */
const installationFields = /^installation\.(permissions|created_at|updated_at)/

const ignoredDifferences: Record<string, RegExp> = {
  installation: installationFields,
  installation_repositories: installationFields,
  // An old format of its own that nothing reads.
  push: /^repository\.(owner\.(name|email)|created_at|pushed_at|stargazers|master_branch)/,
}

/** Long: each of the actions runs git. */
const eventsTimeoutMs = 60_000

test(
  'sends the subscribed events, with all fields that the recorded events of their kind have in common',
  async () => {
    const github = await withOrganization({ contents: 'write', pull_requests: 'write' })
    const { api, control, repository, token, at } = github
    const receiver = await startHookReceiver()
    const app = await control.createApp('octokit-fixture-org', appManifest({ hookUrl: receiver.url }))
    const installation = await control.installApp(app.slug, 'octokit-fixture-org', [repository.id])
    const hooks = await control.createFineGrainedToken('ada', {
      repositories: [repository.id],
      permissions: { repository_hooks: 'write' },
    })
    await api(hooks, 'POST', `${at}/hooks`, { config: { url: receiver.url, content_type: 'json' }, events: ['push'] })
    const head = await control.pushFile(repository.id, 'x', 'docs/a.md', 'A')
    await api(token, 'POST', `${at}/pulls`, { title: 'T', head: 'x', base: 'main', body: 'B' })
    await api(token, 'PATCH', `${at}/pulls/1`, { title: 'U' })
    const latest = await control.pushFile(repository.id, 'x', 'docs/b.md', 'B')
    await control.comment(repository.id, 1, 'ada', 'Hello')
    await control.setCheckRun(repository.id, latest, {
      name: 'build',
      status: 'completed',
      conclusion: 'failure',
      log: 'no',
    })
    await control.setStatus(repository.id, head, { context: 'ci', state: 'failure' })
    await control.setDeployment(repository.id, head, { environmentUrl: 'https://preview.example.com' })
    await control.closePullRequest(repository.id, 1)
    await control.reopenPullRequest(repository.id, 1)
    await control.mergePullRequest(repository.id, 1)
    await control.rename(repository.id, 'handbook')
    await control.archive(repository.id)
    const other = await control.createRepository('octokit-fixture-org', 'other')
    await control.addToInstallation(installation, other.id)
    await control.removeFromInstallation(installation, other.id)
    await control.suspend(installation)
    await control.suspend(installation, false)
    await control.transfer(repository.id, 'ada')
    await control.uninstall(installation)
    expect(await control.violations()).toEqual([])

    const recorded = await readWebhookExamples()
    const deliveries = await control.deliveries()
    const sentEvents = deliveries.map(({ event, action }) => [event, action].filter(Boolean).join('.'))
    expect(sentEvents).toEqual([
      'installation.created',
      'ping',
      'push',
      'pull_request.opened',
      'pull_request.edited',
      'push',
      'pull_request.synchronize',
      'issue_comment.created',
      'check_run.completed',
      'status',
      'deployment_status.created',
      'pull_request.closed',
      'pull_request.reopened',
      'push',
      'pull_request.closed',
      'repository.renamed',
      'repository.archived',
      'installation_repositories.added',
      'installation_repositories.removed',
      'installation.suspend',
      'installation.unsuspend',
      'installation_repositories.removed',
      'installation.deleted',
    ])
    expect(receiver.received).toHaveLength(sentEvents.length)
    const differences = deliveries.flatMap(({ event, action, body }) => {
      const eventExamples = recorded.find(({ name }) => name === event)?.examples ?? []
      const actionExamples = eventExamples.filter((example) => (example.action ?? null) === action)
      const examples = actionExamples.length > 0 ? actionExamples : eventExamples // not every action was recorded
      if (examples.length === 0) return [`${event} ${action}: there is no recorded event`]
      const payload: unknown = JSON.parse(body)
      const [first = [], ...others] = examples.map((example) => shapeDifferences(example, payload, 3))
      const common = first.filter((difference) => others.every((other) => other.includes(difference)))
      return common
        .filter((difference) => !ignoredDifferences[event]?.test(difference))
        .map((difference) => `${event} ${action}: ${difference}`)
    })
    expect([...new Set(differences)]).toEqual([])
  },
  eventsTimeoutMs,
)
