/** What an operator can require of sign-ins with the OpenID provider, with a real provider. */
import { afterAll, expect, inject, test } from 'vitest'
import { startOpenIdProvider } from '../../../../testing/harness/openid-provider.ts'
import { PageBrowser } from '../../../../testing/harness/page-browser.ts'
import { startTestApi, type TestApi } from '../../../../testing/harness/test-api.ts'
import { freePort } from '../../../../testing/services/free-port.ts'
import type { Id } from '../../platform/ids.ts'

const port = await freePort()
const strictPort = await freePort()
const toOrigin = (eachPort: number) => `http://localhost:${eachPort}`
const provider = await startOpenIdProvider(
  [port, strictPort].map((eachPort) => `${toOrigin(eachPort)}/v2/auth/callback/oidc`),
)
const docs = 'prj_01m7ehpvk8eg2t3q9d4x5w0r7a'
const api = await startTestApi(inject('services'), 'api openid rules', {
  ...provider.settings,
  COLOPHON_LISTEN: `127.0.0.1:${port}`,
  COLOPHON_OIDC_SCOPES: 'groups',
  COLOPHON_OIDC_GROUP_ROLES: `writers=editor:${docs},leads=owner:${docs},cn=admins=operator`,
})
const strict = await startTestApi(inject('services'), 'api openid required', {
  ...provider.settings,
  COLOPHON_LISTEN: `127.0.0.1:${strictPort}`,
  COLOPHON_OIDC_REQUIRED: 'true',
  COLOPHON_OIDC_ALLOWED_DOMAINS: 'example.com, docs.example.com',
})
afterAll(async () => {
  await api.drop()
  await strict.drop()
  await provider.stop()
})
await api.pool.query(`INSERT INTO project (id, name) VALUES ($1, 'Docs')`, [docs])

const newBrowser = (instance: TestApi) => new PageBrowser(instance.url.replace('127.0.0.1', 'localhost'))

async function signIn(browser: PageBrowser, userName: string, purpose = 'sign_in') {
  const { url } = await browser.json('POST', '/v2/session/provider', { purpose, returnTo: '/' })
  return provider.signIn(browser, String(url), userName)
}

const invite = (instance: TestApi, projectId: Id<'prj'>, email: string) =>
  instance.stores.invitations.create(projectId, { email, role: 'owner' }, { kind: 'operator' })

test('a silent sign-in is not recent: for that, the provider has to ask for the credentials again', async () => {
  const { projectId } = await api.createProject()
  await invite(api, projectId, 'silent@example.com')
  const browser = newBrowser(api)
  expect((await signIn(browser, 'silent')).forms).toEqual(['login', 'consent'])
  const createKey = () => browser.json('POST', `/v2/projects/${projectId}/keys`, { name: 'CI', scopes: ['agent:read'] })
  expect((await signIn(browser, 'silent')).forms, 'the provider knows the browser').toEqual([])
  expect(await createKey()).toMatchObject({ code: 'reauthentication_required' })

  const countSessions = async () => {
    const { sessions } = await browser.json('GET', '/v2/sessions')
    return (sessions as unknown[]).length
  }
  expect(await countSessions(), 'a new session replaces that of the browser').toBe(1)
  const again = await signIn(browser, 'silent', 'reauthenticate')
  expect(await countSessions()).toBe(1)
  expect(again.forms).toContain('login')
  expect(again.url).toBe(`http://localhost:${port}/`)
  expect(await createKey()).toMatchObject({ secret: expect.stringMatching(/^colophon_/) })

  await api.pool.query(`UPDATE person_session SET authenticated_at = now() - interval '11 minutes'`)
  expect(await createKey()).toMatchObject({ code: 'reauthentication_required' })
})

test('groups give roles at each sign-in, without an invitation, and take them away', async () => {
  const { accounts } = provider
  accounts.set('ada', { email: 'ada@example.com', groups: ['writers', 'others'] })
  const browser = newBrowser(api)
  expect((await signIn(browser, 'ada')).url).toBe(`http://localhost:${port}/`)
  const projects = async () => (await browser.json('GET', '/v2/projects')).projects
  expect(await projects()).toMatchObject([{ id: docs, role: 'editor' }])

  accounts.set('ada', { email: 'ada@example.com', groups: ['writers', 'leads', 'cn=admins'] })
  await signIn(browser, 'ada')
  expect(await projects()).toMatchObject([{ id: docs, role: 'owner' }])
  expect(await browser.json('GET', '/v2/session')).toMatchObject({ person: { isOperator: true } })

  accounts.set('ada', { email: 'ada@example.com', groups: [] })
  await signIn(browser, 'ada')
  expect(await projects()).toEqual([])
  expect(await browser.json('GET', '/v2/session')).toMatchObject({ person: { isOperator: false } })
  const { entries } = await (await api.createKey(docs)).client.audit.list(docs, { limit: 3 })
  expect(entries.map(({ action }) => action)).toEqual(['key.created', 'member.removed', 'member.role_changed'])
})

test('what a person created ends when they leave the group that gave them their role', async () => {
  const { accounts } = provider
  accounts.set('joan', { email: 'joan@example.com', groups: ['leads'] })
  const browser = newBrowser(api)
  await signIn(browser, 'joan')
  await signIn(browser, 'joan', 'reauthenticate')
  const created = await browser.json('POST', `/v2/projects/${docs}/keys`, { name: 'CI', scopes: ['agent:read'] })
  expect(created).toMatchObject({ secret: expect.stringMatching(/^colophon_/) })
  const { secret } = created
  const useKey = async () =>
    (await fetch(`${api.url}/v2/me`, { headers: { authorization: `Bearer ${String(secret)}` } })).status
  expect(await useKey()).toBe(200)

  accounts.set('joan', { email: 'joan@example.com', groups: ['others'] })
  await signIn(browser, 'joan')
  expect(await useKey()).toBe(401)
})

test('groups do not lower or take away a role from an invitation, and give nothing to unverified addresses', async () => {
  const { accounts } = provider
  await invite(api, docs, 'grace@example.com')
  accounts.set('grace', { email: 'grace@example.com', groups: ['writers'] })
  const browser = newBrowser(api)
  const projects = async () => (await browser.json('GET', '/v2/projects')).projects
  await signIn(browser, 'grace')
  expect(await projects()).toMatchObject([{ id: docs, role: 'owner' }])
  accounts.set('grace', { email: 'grace@example.com', groups: [] })
  await signIn(browser, 'grace')
  expect(await projects()).toMatchObject([{ id: docs, role: 'owner' }])

  accounts.set('mallory', { email: 'mallory@example.com', email_verified: false, groups: ['leads'] })
  const stranger = newBrowser(api)
  expect((await signIn(stranger, 'mallory')).url).toContain('/sign-in?error=not_invited')
})

test('where the provider is required, passwords and passkeys are off, except for operators with a one-time link', async () => {
  const { projectId } = await strict.createProject()
  const { token } = await invite(strict, projectId, 'late@example.com')
  const browser = newBrowser(strict)
  const password = 'correct horse battery staple'
  expect(await browser.json('GET', '/v2/session')).toMatchObject({ allowsPasswords: false })
  const attempts = [
    await browser.json('POST', '/v2/session', { email: 'late@example.com', password }),
    await browser.json('POST', '/v2/invitations/accept', { token, name: 'Late', password }),
    await browser.json('POST', '/v2/session/passkey/challenge'),
    await browser.json('POST', '/v2/session/passkey', {
      id: 'a',
      response: { clientDataJSON: 'b', authenticatorData: 'c', signature: 'd', userHandle: null },
    }),
  ]
  for (const attempt of attempts)
    expect(attempt).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining('Test SSO') })
  expect((await signIn(browser, 'late')).url).toBe(`http://localhost:${strictPort}/`)
  expect(await browser.json('GET', '/v2/projects')).toMatchObject({ projects: [{ id: projectId }] })
  await strict.pool.query('UPDATE person_session SET authenticated_at = now()')
  expect(await browser.json('POST', '/v2/session/passkey-registration/challenge')).toMatchObject({
    code: 'invalid_request',
  })

  const resetPassword = async (email: string) =>
    newBrowser(strict).json('POST', '/v2/password-reset', {
      token: await strict.stores.people.createPasswordResetToken(email),
      newPassword: password,
    })
  expect(await resetPassword('late@example.com')).toMatchObject({ code: 'invalid_request' })
  await strict.pool.query(`UPDATE person SET is_operator = true WHERE email = 'late@example.com'`)
  expect(await resetPassword('late@example.com')).toMatchObject({ person: { email: 'late@example.com' } })
})

test('only the allowed domains sign in, also those who signed in before', async () => {
  const { projectId } = await strict.createProject()
  const { accounts } = provider
  await invite(strict, projectId, 'eve@elsewhere.example')
  accounts.set('eve', { email: 'eve@elsewhere.example' })
  expect((await signIn(newBrowser(strict), 'eve')).url).toContain('error=email_domain_not_allowed')
  await invite(strict, projectId, 'eve@docs.example.com')
  accounts.set('eve', { email: 'eve@docs.example.com' })
  expect((await signIn(newBrowser(strict), 'eve')).url).toBe(`http://localhost:${strictPort}/`)
  accounts.set('eve', { email: 'eve@elsewhere.example' })
  expect((await signIn(newBrowser(strict), 'eve')).url).toContain('error=email_domain_not_allowed')
})
