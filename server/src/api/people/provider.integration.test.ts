/** OpenID Connect with a real provider, Gitea. */
import { randomBytes } from 'node:crypto'
import { get } from 'node:http'
import { afterAll, expect, inject, test } from 'vitest'
import { PageBrowser } from '../../../../testing/harness/page-browser.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { freePort } from '../../../../testing/services/free-port.ts'

const { gitea } = inject('services')
const port = await freePort()
const origin = `http://localhost:${port}`

const postAsAdmin = async (path: string, body: unknown, authorization = `token ${gitea.adminToken}`) => {
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await fetch(`${gitea.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`Gitea: ${path}: ${await response.text()}`)
  return (await response.json()) as Record<string, string>
}
const application = await postAsAdmin('/user/applications/oauth2', {
  name: 'Colophon',
  redirect_uris: [`${origin}/v2/auth/callback/oidc`],
  confidential_client: true,
})
const api = await startTestApi(inject('services'), 'api provider', {
  COLOPHON_LISTEN: `127.0.0.1:${port}`,
  COLOPHON_OIDC_ISSUER: gitea.url,
  COLOPHON_OIDC_NAME: 'Gitea',
  COLOPHON_OIDC_CLIENT_ID: String(application.client_id),
  COLOPHON_OIDC_CLIENT_SECRET: String(application.client_secret),
})
afterAll(() => api.drop())

/** Signs in with Gitea, from the button on the sign-in page through Gitea's pages and back. Returns the final URL. */
async function signInWithGitea(
  browser: PageBrowser,
  login: { name: string; password: string },
  purpose: 'sign_in' | 'link' = 'sign_in',
): Promise<string> {
  const { url } = await browser.json('POST', '/v2/session/provider', { purpose, returnTo: '/' })
  await browser.go(`${gitea.url}/user/login`, { user_name: login.name, password: login.password })
  let page = await browser.go(String(url))
  if (page.location === null) {
    const fields = [...page.text.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
      /name="([^"]*)"/.exec(input)?.[1] ?? '',
      (/value="([^"]*)"/.exec(input)?.[1] ?? '').replaceAll('&amp;', '&'),
    ])
    page = await browser.go(`${gitea.url}/login/oauth/grant`, { ...Object.fromEntries(fields), granted: 'true' })
  }
  while (page.location?.includes('/v2/auth/') || page.location?.startsWith(gitea.url))
    page = await browser.go(page.location)
  return page.location ?? page.text
}

async function createGiteaUser() {
  const name = `person-${randomBytes(4).toString('hex')}`
  const login = { name, email: `${name}@example.com`, password: randomBytes(12).toString('hex') }
  await postAsAdmin('/admin/users', { ...login, username: name, must_change_password: false })
  return login
}

test('an invited person signs in with the provider and becomes a member', async () => {
  const { projectId, client } = await api.createProject('Handbook')
  const login = await createGiteaUser()
  await client.invitations.create(projectId, { email: login.email, role: 'editor' })
  const browser = new PageBrowser(origin)
  expect(await signInWithGitea(browser, login)).toBe(`${origin}/`)
  expect(await browser.json('GET', '/v2/session')).toMatchObject({ person: { email: login.email, isOperator: false } })
  expect(await browser.json('GET', '/v2/projects')).toMatchObject({ projects: [{ id: projectId, role: 'editor' }] })

  const again = new PageBrowser(origin)
  await signInWithGitea(again, login)
  expect(await again.json('GET', '/v2/session')).toMatchObject({ person: { email: login.email } })
})

test('a disabled person cannot sign in with the provider', async () => {
  const { projectId, client } = await api.createProject('Handbook')
  const login = await createGiteaUser()
  await client.invitations.create(projectId, { email: login.email, role: 'editor' })
  const browser = new PageBrowser(origin)
  await signInWithGitea(browser, login)
  const { accounts } = api.stores
  const id = await accounts.findIdByEmail(login.email)
  await accounts.disable(id, { kind: 'operator' })
  expect(await browser.json('GET', '/v2/session')).toMatchObject({ person: null })
  expect(await signInWithGitea(new PageBrowser(origin), login)).toContain('/sign-in?error=account_disabled')
  await accounts.enable(id, { kind: 'operator' })
  const enabled = new PageBrowser(origin)
  await signInWithGitea(enabled, login)
  expect(await enabled.json('GET', '/v2/session')).toMatchObject({ person: { email: login.email } })
})

test('a person who was not invited gets an error', async () => {
  const browser = new PageBrowser(origin)
  const end = await signInWithGitea(browser, await createGiteaUser())
  expect(end).toMatch(new RegExp(`^${origin}/sign-in\\?error=`))
  expect(await browser.json('GET', '/v2/session')).toMatchObject({ person: null })
})

test('an account at the provider with the same email address gives no access until it is linked', async () => {
  const login = await createGiteaUser()
  const { projectId } = await api.createProject()
  const { token } = await api.stores.invitations.create(
    projectId,
    { email: login.email, role: 'owner' },
    {
      kind: 'operator',
    },
  )
  const password = 'correct horse battery staple'
  await api.stores.invitations.acceptAsNew(
    token,
    { name: 'A Person', password },
    { requestId: 'test', ipAddress: '127.0.0.1' },
  )
  const stranger = new PageBrowser(origin)
  expect(await signInWithGitea(stranger, login)).toContain('/sign-in?error=')
  expect(await stranger.json('GET', '/v2/session')).toMatchObject({ person: null })

  const owner = new PageBrowser(origin)
  await owner.json('POST', '/v2/session', { email: login.email, password })
  const link = { purpose: 'link', returnTo: '/' }
  await api.pool.query(`UPDATE person_session SET created_at = now() - interval '11 minutes'`)
  expect(await owner.json('POST', '/v2/session/provider', link)).toMatchObject({ code: 'reauthentication_required' })
  await api.pool.query('UPDATE person_session SET created_at = now()')
  expect(await new PageBrowser(origin).json('POST', '/v2/session/provider', link)).toMatchObject({
    code: 'unauthenticated',
  })
  expect(await signInWithGitea(owner, login, 'link')).toBe(`${origin}/`)
  const later = new PageBrowser(origin)
  expect(await signInWithGitea(later, login)).toBe(`${origin}/`)
  expect(await later.json('GET', '/v2/session')).toMatchObject({ person: { email: login.email } })
})

test('the callback route does not expose other routes of better-auth', async () => {
  const { projectId } = await api.createProject()
  const { cookies } = await api.signIn({ projectId, role: 'viewer' })
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const request = (path: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, headers: { cookie } }
      get(options, (response) =>
        response
          .setEncoding('utf8')
          .toArray()
          .then((parts) => resolve(parts.join('')), reject),
      )
    })
  for (const path of ['..\\list-sessions', '..%5Clist-sessions', '%2e%2e\\list-sessions', 'other'])
    expect(await request(`/v2/auth/callback/${path}`), path).not.toContain('userId')
})

test('rejects a callback without a sign-in in progress', async () => {
  const browser = new PageBrowser(origin)
  const end = await browser.go(`${origin}/v2/auth/callback/oidc?code=x&state=y`)
  expect(end.location).toContain(`${origin}/sign-in?error=`)
  expect(await browser.json('GET', '/v2/session')).toMatchObject({ person: null })
})
