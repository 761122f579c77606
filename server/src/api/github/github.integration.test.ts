import { signInToGithubSimulator } from '@colophon/github-simulator/browser-session'
import { createGithubControlClient } from '@colophon/github-simulator/control'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { type SignedInClient, startTestApi } from '../../../../testing/harness/test-api.ts'
import { startTestWorker } from '../../../../testing/harness/test-worker.ts'
import type { Id } from '../../platform/ids.ts'

const { github } = inject('services')
const baseUrl = github.url
const control = createGithubControlClient(github)
const api = await startTestApi(inject('services'), 'api github', {
  COLOPHON_GITHUB_URLS: `${baseUrl}/`,
})
const jobs = await startTestWorker(api)
afterAll(async () => {
  await jobs.stop()
  await api.drop()
})

const logins = new Map<string, string>()
/** The GitHub simulator is shared between tests, so each login is unique to this run. */
const loginOf = (name: string): string => {
  const login = logins.get(name) ?? `${name}-${crypto.randomUUID().slice(0, 8)}`
  logins.set(name, login)
  return login
}
for (const name of ['ada', 'bob', 'eve', 'carol']) await control.createUser(loginOf(name))
const onGithub = (name: string) => signInToGithubSimulator(github, loginOf(name))
const makeRepository = (name: string) =>
  control.createRepository(loginOf('ada'), name, { files: { 'docs/a.md': '# A' } })
const docs = await makeRepository('docs')
const other = await makeRepository('other')
const operator = await api.signInOperator()

const parametersOf = ({ searchParams }: URL) => ({
  code: searchParams.get('code') ?? '',
  state: searchParams.get('state') ?? '',
})

async function makeApp(permissions = {}) {
  const { action, manifest } = await operator.client.github.startApp({ baseUrl })
  const requested = JSON.parse(manifest)
  const uniqueManifest = JSON.stringify({
    ...requested,
    name: `Colophon ${crypto.randomUUID().slice(0, 8)}`,
    default_permissions: { ...requested.default_permissions, ...permissions },
  })
  const redirect = await (await onGithub('ada')).createApp(action, uniqueManifest)
  expect(redirect.pathname).toBe('/github/app-created')
  return parametersOf(redirect)
}

async function makeOwner(): Promise<{ projectId: Id<'prj'>; owner: SignedInClient }> {
  const { projectId } = await api.createProject()
  return { projectId, owner: await api.signIn({ projectId, role: 'owner' }) }
}

const invalid = { code: 'invalid_request' }

test('only the operator creates an App from its manifest, once', async () => {
  expect(await operator.client.github.apps()).toEqual({ apps: [], baseUrls: [baseUrl] })
  await expect(operator.client.github.startApp({ baseUrl: 'https://evil.example' })).rejects.toMatchObject(invalid)
  const organization = await operator.client.github.startApp({ baseUrl, organization: 'acme' })
  expect(organization.action).toMatch(`${baseUrl}/organizations/acme/settings/apps/new?state=`)

  const parameters = await makeApp()
  await expect(operator.client.github.completeApp({ ...parameters, state: 'another' })).rejects.toMatchObject(invalid)
  const app = await operator.client.github.completeApp(parameters)
  expect(app).toMatchObject({ baseUrl, hasWebhook: true, url: expect.stringContaining(baseUrl) })
  await expect(operator.client.github.completeApp(parameters), 'the state is valid once').rejects.toMatchObject(invalid)
  const [stored] = (await api.pool.query('SELECT * FROM github_app')).rows
  expect(JSON.stringify(stored)).not.toContain('PRIVATE KEY')

  const { owner, projectId } = await makeOwner()
  expect(await owner.client.github.apps()).toEqual({ apps: [app], baseUrls: [baseUrl] })
  for (const stranger of [owner.client, api.clientWith()]) {
    await expect(stranger.github.startApp({ baseUrl })).rejects.toMatchObject({ status: expect.toBeOneOf([401, 403]) })
    await expect(stranger.github.completeApp(parameters)).rejects.toMatchObject({
      status: expect.toBeOneOf([401, 403]),
    })
  }
  const { client: key } = await api.createKey(projectId)
  await expect(key.github.startAuthorization(projectId, { baseUrl })).rejects.toMatchObject({
    code: 'insufficient_scope',
  })
  await expect(
    owner.client.github.startAuthorization(projectId, { baseUrl: 'https://github.com' }),
  ).rejects.toMatchObject({
    code: 'project_not_ready',
  })
})

test('rejects an App with more permissions than requested, and Apps from an old session', async () => {
  const { apps } = await operator.client.github.apps()
  await expect(operator.client.github.completeApp(await makeApp({ workflows: 'write' }))).rejects.toMatchObject({
    ...invalid,
    detail: expect.stringContaining('workflows: write'),
  })
  const parameters = await makeApp()
  const setSessionAge = (interval: string) =>
    api.pool.query(
      `UPDATE person_session SET created_at = now() - $1::interval
       WHERE person_id = (SELECT id FROM person WHERE email = $2)`,
      [interval, operator.email],
    )
  await setSessionAge('11 minutes')
  const stale = { code: 'reauthentication_required' }
  await expect(operator.client.github.startApp({ baseUrl })).rejects.toMatchObject(stale)
  await expect(operator.client.github.completeApp(parameters)).rejects.toMatchObject(stale)
  await setSessionAge('0 minutes')
  expect((await operator.client.github.apps()).apps).toEqual(apps)
  expect(await operator.client.github.completeApp(parameters), 'the parameters are still valid').toMatchObject({
    baseUrl,
  })
})

test('an authorization is valid once, for its person and project', async () => {
  const { projectId, owner } = await makeOwner()
  const second = await api.signIn({ projectId, role: 'owner' })
  const another = await makeOwner()
  const { authorizeUrl } = await owner.client.github.startAuthorization(projectId, { baseUrl })
  const parameters = parametersOf(await (await onGithub('eve')).authorize(authorizeUrl))
  await expect(second.client.github.completeAuthorization(projectId, parameters)).rejects.toMatchObject(invalid)
  await expect(another.owner.client.github.completeAuthorization(another.projectId, parameters)).rejects.toMatchObject(
    invalid,
  )
  expect((await owner.client.github.completeAuthorization(projectId, parameters)).repositories).toEqual([])
  await expect(owner.client.github.completeAuthorization(projectId, parameters)).rejects.toMatchObject(invalid)

  const again = await owner.client.github.startAuthorization(projectId, { baseUrl })
  const { state } = parametersOf(new URL(again.authorizeUrl))
  const forged = { state, code: 'made-up' }
  await expect(owner.client.github.completeAuthorization(projectId, forged), 'a made-up code').rejects.toMatchObject({
    ...invalid,
    detail: expect.stringContaining('rejected the authorization code'),
  })
  expect(await countCalls('apps/delete-token'), "the person's token was revoked").toBeGreaterThan(0)
}, 30_000)

test('connects only repositories that the person can write to and the App has access to', async () => {
  const { projectId, owner } = await makeOwner()
  const { installUrl } = await owner.client.github.startAuthorization(projectId, { baseUrl })
  const ada = await onGithub('ada')
  const redirect = await ada.install(installUrl, [docs.id])
  expect(redirect.pathname).toBe('/github/installed')
  const authorization = await owner.client.github.completeAuthorization(projectId, parametersOf(redirect))
  const expected = { id: docs.id, owner: loginOf('ada'), name: 'docs', defaultBranch: 'main', isPrivate: true }
  expect(authorization.repositories, 'without those that the App has no access to').toEqual([expected])

  const chosen = {
    authorizationId: authorization.authorizationId,
    repositoryId: docs.id,
    baseBranch: 'main',
    docsFolder: 'docs',
  }
  const { client } = owner
  await expect(client.github.connectRepository(projectId, { ...chosen, repositoryId: other.id })).rejects.toMatchObject(
    invalid,
  )
  const forged = { ...chosen, installationId: 1 }
  await expect(client.github.connectRepository(projectId, forged)).rejects.toMatchObject(invalid)
  const second = await api.signIn({ projectId, role: 'owner' })
  await expect(
    second.client.github.connectRepository(projectId, chosen),
    "another person's authorization",
  ).rejects.toMatchObject(invalid)
  const elsewhere = await makeOwner()
  const theirs = elsewhere.owner.client.github.connectRepository(elsewhere.projectId, chosen)
  await expect(theirs, 'for another project').rejects.toMatchObject(invalid)
  expect(await client.repository.get(projectId)).toEqual({ repository: null })

  const nowhere = { ...chosen, baseBranch: 'gone' }
  expect(await client.github.testRepository(projectId, nowhere)).toMatchObject({ ok: false })
  await expect(client.github.connectRepository(projectId, nowhere)).rejects.toMatchObject(invalid)
  expect(await client.github.testRepository(projectId, chosen)).toEqual({
    ok: true,
    message: expect.stringContaining('docs'),
    found: { defaultBranch: 'main', docsFolderExists: true, pages: 1, canManageWebhooks: true },
  })
  const connected = await client.github.connectRepository(projectId, chosen)
  expect(connected).toMatchObject({ host: 'github', url: baseUrl, owner: loginOf('ada'), name: 'docs', access: 'app' })
  expect(await client.repository.get(projectId)).toEqual({ repository: connected })
  await expect(
    client.github.connectRepository(projectId, chosen),
    'the authorization is used up',
  ).rejects.toMatchObject(invalid)
}, 60_000)

test('offers no repositories that the person can only read, or that belong to others', async () => {
  const { slug } = (await operator.client.github.apps()).apps[0] ?? { slug: '' }
  const ofCarol = await control.createRepository(loginOf('carol'), 'secrets')
  await control.installApp(slug, loginOf('carol'), [ofCarol.fullName])
  await control.addCollaborator(docs.fullName, loginOf('bob'), 'read')
  const { projectId, owner } = await makeOwner()
  const offeredTo = async (name: string) => {
    const { authorizeUrl } = await owner.client.github.startAuthorization(projectId, { baseUrl })
    const parameters = parametersOf(await (await onGithub(name)).authorize(authorizeUrl))
    const { repositories } = await owner.client.github.completeAuthorization(projectId, parameters)
    return repositories.map(({ id }) => id)
  }
  expect(await offeredTo('bob')).toEqual([])
  await control.addCollaborator(docs.fullName, loginOf('bob'), 'write')
  expect(await offeredTo('bob')).toEqual([docs.id])
  expect(await offeredTo('ada')).toEqual([docs.id])
  expect(await offeredTo('carol')).toEqual([ofCarol.id])
}, 60_000)

test('follows changes of the repository on GitHub and describes its issues', { timeout: 240_000 }, async () => {
  await control.createOrganization(loginOf('acme'), [loginOf('ada')])
  const handbook = await makeRepository('handbook')
  const { projectId, owner } = await makeOwner()
  const installationId = await installationOf(loginOf('ada'))
  await control.addToInstallation(installationId, handbook.fullName)
  const { authorizeUrl } = await owner.client.github.startAuthorization(projectId, { baseUrl })
  const authorization = await owner.client.github.completeAuthorization(
    projectId,
    parametersOf(await (await onGithub('ada')).authorize(authorizeUrl)),
  )
  await owner.client.github.connectRepository(projectId, {
    authorizationId: authorization.authorizationId,
    repositoryId: handbook.id,
    baseBranch: 'main',
    docsFolder: '',
  })
  const becomes = (expected: { name?: string; issue: object | null }) =>
    vi.waitFor(async () => expect((await owner.client.repository.get(projectId)).repository).toMatchObject(expected), {
      timeout: 40_000,
      interval: 250,
    })
  const dueInSeconds = 'SELECT extract(epoch FROM poll_at - now()) AS seconds FROM repository WHERE project_id = $1'
  const isDueIn = (min: number, max: number, message: string) =>
    vi.waitFor(
      async () => {
        const { seconds } = (await api.pool.query(dueInSeconds, [projectId])).rows[0]
        expect(Number(seconds), message).toSatisfy((s) => s > min && s <= max)
      },
      { timeout: 40_000, interval: 250 },
    )
  await isDueIn(3_000, 3_600, 'it was polled when it was connected')
  // Two, because the poll that was due when it was connected may still be in progress.
  const unavailable = { kind: 'server_error', operation: 'repos/get' } as const
  await control.setFaults(loginOf('ada'), { next: [unavailable, unavailable] })
  await control.rename(handbook.id, 'manual')
  await isDueIn(30, 60, 'GitHub was unavailable: it is polled again soon')
  await control.setFaults(loginOf('ada'), { next: [] })
  await api.pool.query('UPDATE repository SET poll_at = now() WHERE project_id = $1', [projectId])
  await becomes({ name: 'manual', issue: null })
  await control.archive(handbook.id)
  await becomes({ issue: { code: 'archived', message: expect.stringContaining('Unarchive') } })
  await control.archive(handbook.id, false)
  await becomes({ issue: null })
  await control.removeFromInstallation(installationId, handbook.id)
  await becomes({ issue: { code: 'not_found', message: expect.stringContaining('Give the App access') } })
  await control.addToInstallation(installationId, handbook.id)
  await becomes({ issue: null })
  await control.transfer(handbook.id, loginOf('acme'))
  await becomes({ issue: { code: 'not_found', message: expect.stringContaining('transferred') } })
  await control.transfer(handbook.id, loginOf('ada'))
  await control.rename(handbook.id, 'guide') // the App gets no webhook for this
  await control.addToInstallation(installationId, handbook.id)
  await becomes({ name: 'guide', issue: null })
  await control.suspend(installationId)
  await becomes({ issue: { code: 'access_revoked', message: expect.stringContaining('suspended') } })
  await control.suspend(installationId, false)
  await becomes({ issue: null })
  await control.deleteRepository(handbook.id)
  await becomes({ issue: { code: 'not_found', message: expect.stringContaining('deleted') } })
  await control.uninstall(installationId)
  await becomes({ issue: { code: 'access_revoked', message: expect.stringContaining('Install it again') } })
  const { entries } = await owner.client.audit.list(projectId, { limit: 20 })
  const actions = entries.filter(({ actor }) => actor === 'code-host').map(({ action }) => action)
  expect(actions.filter((action) => action === 'repository.issue_changed')).toHaveLength(10)
  expect(actions.filter((action) => action === 'repository.renamed')).toHaveLength(2)
  expect(await control.violations()).toEqual([])
})

async function installationOf(login: string): Promise<number> {
  const { rows } = await api.pool.query('SELECT installation_id FROM repository WHERE owner = $1', [login])
  return Number(rows[0].installation_id)
}

async function countCalls(name: string): Promise<number> {
  const calls = await control.calls()
  return calls.filter(({ operation }) => operation === name).length
}
