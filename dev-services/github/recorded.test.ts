/** The stand-in's answers and events beside those that were recorded on github.com. */
import { expect, test } from 'vitest'
import { readFixture, readWebhookExamples } from './descriptions.ts'
import { appManifest } from './testing/app-manifest.ts'
import { hookReceiver } from './testing/hook-receiver.ts'
import { missingOf } from './testing/same-shape.ts'
import { testGithub } from './testing/test-github.ts'

async function withOrganization(permissions: Record<string, 'read' | 'write'>) {
  const github = await testGithub()
  await github.control.makeUser('ada')
  await github.control.makeOrganization('octokit-fixture-org', ['ada'])
  const made = await github.control.makeRepository('octokit-fixture-org', 'hello-world', {
    isPrivate: false,
    labels: ['bug'],
  })
  const token = await github.control.makeFineGrainedToken('ada', { repositories: [made.id], permissions })
  return { ...github, made, token, at: '/repos/octokit-fixture-org/hello-world' }
}

/** Of old recordings: GitHub leaves it out by now, or it is about what the stand-in has not. */
const outdated = (fault: string) => /permissions\.(maintain|triage)|template_repository/.test(fault)

test('a repository', async () => {
  const { api, token, at } = await withOrganization({ contents: 'read' })
  const [recorded] = await readFixture('get-repository')
  const response = await api(token, 'GET', at)
  expect(missingOf(recorded?.response, response.body, 3).filter((fault) => !outdated(fault))).toEqual([])
  const names = Object.keys(recorded?.headers ?? {}).filter((name) => /^x-(ratelimit|github)/.test(name))
  expect(names.filter((name) => !response.headers.has(name))).toEqual([])
})

test('refs', async () => {
  const { api, token, at, made } = await withOrganization({ contents: 'write' })
  const [, created, updated, , deleted] = await readFixture('git-refs')
  const create = await api(token, 'POST', `${at}/git/refs`, { ref: 'refs/heads/test', sha: made.head })
  expect(create.status).toBe(created?.status)
  expect(missingOf(created?.response, create.body, 2)).toEqual([])
  const update = await api(token, 'PATCH', `${at}/git/refs/heads/test`, { sha: made.head })
  expect(update.status).toBe(updated?.status)
  expect(missingOf(updated?.response, update.body, 2)).toEqual([])
  expect((await api(token, 'DELETE', `${at}/git/refs/heads/test`)).status).toBe(deleted?.status)
})

test('statuses', async () => {
  const { api, control, token, at, made } = await withOrganization({ statuses: 'read' })
  const [, , list, combined] = await readFixture('create-status')
  for (const [context, state] of [
    ['example/1', 'failure'],
    ['example/2', 'success'],
  ] as const) {
    await control.setStatus(made.id, made.head, { context, state, targetUrl: 'https://example.com' })
  }
  const statuses = await api(token, 'GET', `${at}/commits/${made.head}/statuses`)
  expect(missingOf({ 0: list?.response }, { 0: statuses.body }, 3)).toEqual([])
  const all = await api(token, 'GET', `${at}/commits/${made.head}/status`)
  expect(all.body.state).toBe(combined?.response.state)
  expect(missingOf(combined?.response, all.body, 1)).toEqual([])
})

test('labels and errors', async () => {
  const { api, token, at } = await withOrganization({ pull_requests: 'write' })
  const [labels] = await readFixture('labels')
  const recorded = labels?.response[0]
  expect(missingOf(recorded, (await api(token, 'GET', `${at}/labels`)).body[0], 1)).toEqual([])
  const [failed] = await readFixture('errors')
  const error = await api(token, 'POST', `${at}/pulls`, { title: 'T', head: 'nothing', base: 'main' })
  expect(error.status).toBe(failed?.status)
  expect(missingOf(failed?.response, error.body, 1)).toEqual([])
  expect(
    missingOf(
      { errors: Object.assign({}, failed?.response.errors) },
      { errors: Object.assign({}, error.body.errors) },
      3,
    ),
  ).toEqual([])
})

test('a new name', async () => {
  const { api, control, token, at, made, url } = await withOrganization({ contents: 'read' })
  const [, moved, found, movedChange] = await readFixture('rename-repository')
  await control.rename(made.id, 'new-name')
  const response = await api(token, 'GET', at)
  expect(response.status).toBe(moved?.status)
  expect(Object.keys(response.body).sort()).toEqual(Object.keys(moved?.response ?? {}).sort())
  const home = (address: unknown) =>
    String(address).replace('https://api.github.com', `${url}/api/v3`).replace('/1000', `/${made.id}`)
  expect(response.headers.get('location')).toBe(home(moved?.headers.location))
  expect((await api(token, 'GET', response.headers.get('location') ?? '')).status).toBe(found?.status)
  const change = await api(token, 'POST', `${at}/git/refs`, { ref: 'refs/heads/x', sha: made.head })
  expect(change.status).toBe(movedChange?.status)
})

test('pages of a list', async () => {
  const { api, control, token, at, made, url } = await withOrganization({ contents: 'read' })
  for (let number = 1; number <= 12; number++) await control.forcePush(made.id, `branch-${number}`, made.head)
  const recorded = await readFixture('paginate-issues')
  for (const [index, { headers }] of recorded.entries()) {
    const response = await api(token, 'GET', `${at}/branches?per_page=3${index === 0 ? '' : `&page=${index + 1}`}`)
    const expected = String(headers.link)
      .replaceAll('https://api.github.com', `${url}/api/v3`)
      .replaceAll('/1000/issues', `/${made.id}/branches`)
    expect(response.headers.get('link')).toBe(expected)
  }
})

/** Every App has its own permissions; and the description, which is newer, has times in the form of the API. */
const ofInstallations = /^installation\.(permissions|created_at|updated_at)/

const leftOut: Record<string, RegExp> = {
  installation: ofInstallations,
  installation_repositories: ofInstallations,
  // A form of its own, of old: nothing is read from it.
  push: /^repository\.(owner\.(name|email)|created_at|pushed_at|stargazers|master_branch)/,
}

test('every event has what the recorded ones of its kind all have', async () => {
  const github = await withOrganization({ contents: 'write', pull_requests: 'write' })
  const { api, control, made, token, at } = github
  const receiver = await hookReceiver()
  const app = await control.makeApp('octokit-fixture-org', appManifest({ hookUrl: receiver.url }))
  const installation = await control.installApp(app.slug, 'octokit-fixture-org', [made.id])
  const hooks = await control.makeFineGrainedToken('ada', {
    repositories: [made.id],
    permissions: { repository_hooks: 'write' },
  })
  await api(hooks, 'POST', `${at}/hooks`, { config: { url: receiver.url, content_type: 'json' }, events: ['push'] })
  const head = await control.pushFile(made.id, 'x', 'docs/a.md', 'A')
  await api(token, 'POST', `${at}/pulls`, { title: 'T', head: 'x', base: 'main', body: 'B' })
  await api(token, 'PATCH', `${at}/pulls/1`, { title: 'U' })
  const latest = await control.pushFile(made.id, 'x', 'docs/b.md', 'B')
  await control.comment(made.id, 1, 'ada', 'Hello')
  await control.setCheckRun(made.id, latest, { name: 'build', status: 'completed', conclusion: 'failure', log: 'no' })
  await control.setStatus(made.id, head, { context: 'ci', state: 'failure' })
  await control.setDeployment(made.id, head, { environmentUrl: 'https://preview.example.com' })
  await control.closePullRequest(made.id, 1)
  await control.reopenPullRequest(made.id, 1)
  await control.rename(made.id, 'handbook')
  const other = await control.makeRepository('octokit-fixture-org', 'other')
  await control.addToInstallation(installation, other.id)
  await control.removeFromInstallation(installation, other.id)
  await control.suspend(installation)
  await control.uninstall(installation)
  expect(await control.violations()).toEqual([])

  const recorded = await readWebhookExamples()
  const deliveries = await control.deliveries()
  expect(new Set(deliveries.map(({ event }) => event)).size).toBeGreaterThan(8)
  const faults = deliveries.flatMap(({ event, action, body }) => {
    const ofEvent = recorded.find(({ name }) => name === event)?.examples ?? []
    const ofAction = ofEvent.filter((example) => (example.action ?? null) === action)
    const examples = ofAction.length > 0 ? ofAction : ofEvent // not every action was recorded
    if (examples.length === 0) return [`${event} ${action}: none was recorded`]
    const ours: unknown = JSON.parse(body)
    const [first = [], ...others] = examples.map((example) => missingOf(example, ours, 3))
    const inAll = first.filter((fault) => others.every((other) => other.includes(fault)))
    return inAll.filter((fault) => !leftOut[event]?.test(fault)).map((fault) => `${event} ${action}: ${fault}`)
  })
  expect([...new Set(faults)]).toEqual([])
})
