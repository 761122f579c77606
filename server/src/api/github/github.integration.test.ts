import { afterAll, expect, inject, test, vi } from 'vitest'
import { githubControl } from '../../../../dev-services/github/github-control.ts'
import { githubPerson } from '../../../../dev-services/github/github-person.ts'
import { type SignedIn, startRunningApi } from '../../../../dev-services/running-api.ts'
import { startJobs, workerSettings } from '../../../../dev-services/running-jobs.ts'
import type { Id } from '../../platform/ids.ts'
import { generateSealingKeyPair } from '../../platform/sealed-secrets/sealing-keys.ts'

const { gitea, github } = inject('services')
const baseUrl = github.url
const control = githubControl(github)
const { publicEntry, privateEntry } = generateSealingKeyPair()
const egress = { COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(baseUrl).host }
const api = await startRunningApi(inject('services'), 'api github', {
  ...egress,
  COLOPHON_GITHUB_URLS: `${baseUrl}/`,
  COLOPHON_SEALING_PUBLIC_KEYS: publicEntry,
})
const jobs = await startJobs(api, {
  ...workerSettings({ gitea }),
  ...egress,
  COLOPHON_SEALING_PRIVATE_KEYS: privateEntry,
})
afterAll(async () => {
  await jobs.stop()
  await api.drop()
})

const logins = new Map<string, string>()
/** The stand-in is shared: everybody has a name of their own in this run. */
const named = (who: string): string => {
  const login = logins.get(who) ?? `${who}-${crypto.randomUUID().slice(0, 8)}`
  logins.set(who, login)
  return login
}
for (const who of ['ada', 'bob', 'eve', 'carol']) await control.makeUser(named(who))
const onGithub = (who: string) => githubPerson(github, named(who))
const makeRepository = (name: string) => control.makeRepository(named('ada'), name, { files: { 'docs/a.md': '# A' } })
const docs = await makeRepository('docs')
const other = await makeRepository('other')
const operator = await api.signInOperator()

const broughtBy = ({ searchParams }: URL) => ({
  code: searchParams.get('code') ?? '',
  state: searchParams.get('state') ?? '',
})

async function makeApp(permissions = {}) {
  const { action, manifest } = await operator.client.github.startApp({ baseUrl })
  const asked = JSON.parse(manifest)
  const named = JSON.stringify({
    ...asked,
    name: `Colophon ${crypto.randomUUID().slice(0, 8)}`,
    default_permissions: { ...asked.default_permissions, ...permissions },
  })
  const back = await (await onGithub('ada')).createApp(action, named)
  expect(back.pathname).toBe('/github/app-made')
  return broughtBy(back)
}

async function makeOwner(): Promise<{ projectId: Id<'prj'>; owner: SignedIn }> {
  const { projectId } = await api.makeProject()
  return { projectId, owner: await api.signIn({ projectId, role: 'owner' }) }
}

const invalid = { code: 'invalid_request' }

test('an App is made from its manifest, once, by who runs the installation', async () => {
  expect(await operator.client.github.apps()).toEqual({ apps: [], baseUrls: [baseUrl] })
  await expect(operator.client.github.startApp({ baseUrl: 'https://evil.example' })).rejects.toMatchObject(invalid)
  const organization = await operator.client.github.startApp({ baseUrl, organization: 'acme' })
  expect(organization.action).toMatch(`${baseUrl}/organizations/acme/settings/apps/new?state=`)

  const brought = await makeApp()
  await expect(operator.client.github.completeApp({ ...brought, state: 'another' })).rejects.toMatchObject(invalid)
  const app = await operator.client.github.completeApp(brought)
  expect(app).toMatchObject({ baseUrl, hasWebhook: true, url: expect.stringContaining(baseUrl) })
  await expect(operator.client.github.completeApp(brought), 'once').rejects.toMatchObject(invalid)
  const [stored] = (await api.pool.query('SELECT * FROM github_app')).rows
  expect(JSON.stringify(stored)).not.toContain('PRIVATE KEY')

  const { owner, projectId } = await makeOwner()
  expect(await owner.client.github.apps()).toEqual({ apps: [app], baseUrls: [baseUrl] })
  for (const stranger of [owner.client, api.clientWith()]) {
    await expect(stranger.github.startApp({ baseUrl })).rejects.toMatchObject({ status: expect.toBeOneOf([401, 403]) })
    await expect(stranger.github.completeApp(brought)).rejects.toMatchObject({ status: expect.toBeOneOf([401, 403]) })
  }
  const { client: key } = await api.makeKey(projectId)
  await expect(key.github.startAuthorization(projectId, { baseUrl })).rejects.toMatchObject({
    code: 'insufficient_scope',
  })
  await expect(
    owner.client.github.startAuthorization(projectId, { baseUrl: 'https://github.com' }),
  ).rejects.toMatchObject({
    code: 'project_not_ready',
  })
})

test('an App that may do more than was asked for is not kept, and none is taken over in an old session', async () => {
  const { apps } = await operator.client.github.apps()
  await expect(operator.client.github.completeApp(await makeApp({ workflows: 'write' }))).rejects.toMatchObject({
    ...invalid,
    detail: expect.stringContaining('workflows: write'),
  })
  const brought = await makeApp()
  const age = (interval: string) =>
    api.pool.query(
      `UPDATE person_session SET created_at = now() - $1::interval
       WHERE person_id = (SELECT id FROM person WHERE email = $2)`,
      [interval, operator.email],
    )
  await age('11 minutes')
  const stale = { code: 'reauthentication_required' }
  await expect(operator.client.github.startApp({ baseUrl })).rejects.toMatchObject(stale)
  await expect(operator.client.github.completeApp(brought)).rejects.toMatchObject(stale)
  await age('0 minutes')
  expect((await operator.client.github.apps()).apps).toEqual(apps)
  expect(await operator.client.github.completeApp(brought), 'what was brought is still good').toMatchObject({ baseUrl })
})

test('only the way of this person and project leads back, once', async () => {
  const { projectId, owner } = await makeOwner()
  const second = await api.signIn({ projectId, role: 'owner' })
  const another = await makeOwner()
  const { authorizeUrl } = await owner.client.github.startAuthorization(projectId, { baseUrl })
  const brought = broughtBy(await (await onGithub('eve')).authorize(authorizeUrl))
  await expect(second.client.github.completeAuthorization(projectId, brought)).rejects.toMatchObject(invalid)
  await expect(another.owner.client.github.completeAuthorization(another.projectId, brought)).rejects.toMatchObject(
    invalid,
  )
  expect((await owner.client.github.completeAuthorization(projectId, brought)).repositories).toEqual([])
  await expect(owner.client.github.completeAuthorization(projectId, brought)).rejects.toMatchObject(invalid)

  const again = await owner.client.github.startAuthorization(projectId, { baseUrl })
  const { state } = broughtBy(new URL(again.authorizeUrl))
  const made = { state, code: 'made-up' }
  await expect(owner.client.github.completeAuthorization(projectId, made), 'a made-up code').rejects.toMatchObject({
    ...invalid,
    detail: expect.stringContaining('does not take the code'),
  })
  const { callsOf } = await callsSoFar()
  expect(callsOf('apps/delete-token'), "the visitor's token was given back").toBeGreaterThan(0)
}, 30_000)

test('what GitHub shows to the person, with write access, can be connected, and nothing else', async () => {
  const { projectId, owner } = await makeOwner()
  const { installUrl } = await owner.client.github.startAuthorization(projectId, { baseUrl })
  const ada = await onGithub('ada')
  const back = await ada.install(installUrl, [docs.id])
  expect(back.pathname).toBe('/github/installed')
  const visit = await owner.client.github.completeAuthorization(projectId, broughtBy(back))
  const shown = { id: docs.id, owner: named('ada'), name: 'docs', defaultBranch: 'main', isPrivate: true }
  expect(visit.repositories, 'not the one that the App was not let into').toEqual([shown])

  const chosen = {
    authorizationId: visit.authorizationId,
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
  await expect(second.client.github.connectRepository(projectId, chosen), "another's visit").rejects.toMatchObject(
    invalid,
  )
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
  expect(connected).toMatchObject({ host: 'github', url: baseUrl, owner: named('ada'), name: 'docs', access: 'app' })
  expect(await client.repository.get(projectId)).toEqual({ repository: connected })
  await expect(client.github.connectRepository(projectId, chosen), 'the visit is over').rejects.toMatchObject(invalid)
}, 60_000)

test('who may only read is offered nothing, nor is what others have let the App into', async () => {
  const { slug } = (await operator.client.github.apps()).apps[0] ?? { slug: '' }
  const ofCarol = await control.makeRepository(named('carol'), 'secrets')
  await control.installApp(slug, named('carol'), [ofCarol.fullName])
  await control.addCollaborator(docs.fullName, named('bob'), 'read')
  const { projectId, owner } = await makeOwner()
  const offeredTo = async (who: string) => {
    const { authorizeUrl } = await owner.client.github.startAuthorization(projectId, { baseUrl })
    const brought = broughtBy(await (await onGithub(who)).authorize(authorizeUrl))
    const { repositories } = await owner.client.github.completeAuthorization(projectId, brought)
    return repositories.map(({ id }) => id)
  }
  expect(await offeredTo('bob')).toEqual([])
  await control.addCollaborator(docs.fullName, named('bob'), 'write')
  expect(await offeredTo('bob')).toEqual([docs.id])
  expect(await offeredTo('ada')).toEqual([docs.id])
  expect(await offeredTo('carol')).toEqual([ofCarol.id])
}, 60_000)

test('what happens to the repository is heard of, and said in words', { timeout: 120_000 }, async () => {
  await control.makeOrganization(named('acme'), [named('ada')])
  const handbook = await makeRepository('handbook')
  const { projectId, owner } = await makeOwner()
  const installationId = await installationOf(named('ada'))
  await control.addToInstallation(installationId, handbook.fullName)
  const { authorizeUrl } = await owner.client.github.startAuthorization(projectId, { baseUrl })
  const visit = await owner.client.github.completeAuthorization(
    projectId,
    broughtBy(await (await onGithub('ada')).authorize(authorizeUrl)),
  )
  await owner.client.github.connectRepository(projectId, {
    authorizationId: visit.authorizationId,
    repositoryId: handbook.id,
    baseBranch: 'main',
    docsFolder: '',
  })
  const becomes = (wanted: { name?: string; issue: object | null }) =>
    vi.waitFor(async () => expect((await owner.client.repository.get(projectId)).repository).toMatchObject(wanted), {
      timeout: 15_000,
      interval: 250,
    })
  const dueInSeconds = 'SELECT extract(epoch FROM poll_at - now()) AS seconds FROM repository WHERE project_id = $1'
  const isDueIn = (least: number, most: number, why: string) =>
    vi.waitFor(
      async () => {
        const { seconds } = (await api.pool.query(dueInSeconds, [projectId])).rows[0]
        expect(Number(seconds), why).toSatisfy((s) => s > least && s <= most)
      },
      { timeout: 15_000, interval: 250 },
    )
  await isDueIn(3_000, 3_600, 'it was looked at when it was connected')
  await control.faults(named('ada'), { next: [{ kind: 'server_error', operation: 'repos/get' }] })
  await control.rename(handbook.id, 'manual')
  await isDueIn(30, 60, 'GitHub was away: it is looked at again soon')
  await api.pool.query('UPDATE repository SET poll_at = now() WHERE project_id = $1', [projectId])
  await becomes({ name: 'manual', issue: null })
  await control.archive(handbook.id)
  await becomes({ issue: { code: 'archived', message: expect.stringContaining('unarchive') } })
  await control.archive(handbook.id, false)
  await becomes({ issue: null })
  await control.removeFromInstallation(installationId, handbook.id)
  await becomes({ issue: { code: 'not_found', message: expect.stringContaining('let the App into it') } })
  await control.addToInstallation(installationId, handbook.id)
  await becomes({ issue: null })
  await control.transfer(handbook.id, named('acme'))
  await becomes({ issue: { code: 'not_found', message: expect.stringContaining('transferred') } })
  await control.transfer(handbook.id, named('ada'))
  await control.rename(handbook.id, 'guide') // the App is not told
  await control.addToInstallation(installationId, handbook.id)
  await becomes({ name: 'guide', issue: null })
  await control.suspend(installationId)
  await becomes({ issue: { code: 'access_revoked', message: expect.stringContaining('suspended') } })
  await control.suspend(installationId, false)
  await becomes({ issue: null })
  await control.deleteRepository(handbook.id)
  await becomes({ issue: { code: 'not_found', message: expect.stringContaining('deleted') } })
  await control.uninstall(installationId)
  await becomes({ issue: { code: 'access_revoked', message: expect.stringContaining('install it again') } })
  const { entries } = await owner.client.audit.list(projectId, { limit: 20 })
  const heard = entries.filter(({ actor }) => actor === 'code-host').map(({ action }) => action)
  expect(heard.filter((action) => action === 'repository.issue_changed')).toHaveLength(10)
  expect(heard.filter((action) => action === 'repository.renamed')).toHaveLength(2)
  expect(await control.violations()).toEqual([])
})

async function installationOf(login: string): Promise<number> {
  const { rows } = await api.pool.query('SELECT installation_id FROM repository WHERE owner = $1', [login])
  return Number(rows[0].installation_id)
}

async function callsSoFar() {
  const calls = await control.calls()
  return { callsOf: (wanted: string) => calls.filter(({ operation }) => operation === wanted).length }
}
