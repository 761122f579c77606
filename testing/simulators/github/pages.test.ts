import { expect, test } from 'vitest'
import { appManifest } from './testing/app-manifest.ts'
import { startTestGithub } from './testing/test-github.ts'

/** Acts as a browser without scripts: keeps cookies, follows redirects on the simulator, submits forms. */
function createBrowser(origin: string) {
  const cookies = new Map<string, string>()
  return async function open(
    path: string,
    form?: Record<string, string | string[]>,
  ): Promise<{ url: URL; text: string }> {
    const fields = Object.entries(form ?? {}).flatMap(([name, value]) =>
      [value].flat().map((item): [string, string] => [name, item]),
    )
    const url = new URL(path, origin)
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(fields) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) return { url, text: await response.text() }
    const next = new URL(location, url)
    return next.origin === origin ? open(next.href) : { url: next, text: '' }
  }
}

const hiddenField = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

test('creates an App, installs it on one repository, and exchanges the code for a token', async () => {
  const { url, control, api } = await startTestGithub()
  await control.createUser('ada', { password: 'secret' })
  await control.createOrganization('acme', ['ada'])
  const docs = await control.createRepository('acme', 'docs')
  await control.createRepository('acme', 'secret')
  const open = createBrowser(url)

  const signIn = await open('/organizations/acme/settings/apps/new?state=abc', {
    manifest: JSON.stringify(appManifest()),
  })
  expect(signIn.text).toContain('Sign in to GitHub')
  const wrong = await open('/login', {
    login: 'ada',
    password: 'wrong',
    return_to: hiddenField(signIn.text, 'return_to'),
  })
  expect(wrong.text).toContain('Incorrect username or password')
  const creating = await open('/login', {
    login: 'ada',
    password: 'secret',
    return_to: hiddenField(signIn.text, 'return_to').replaceAll('&amp;', '&'),
  })
  expect(creating.text).toContain('Create GitHub App for acme')
  const created = await open('/organizations/acme/settings/apps/new', {
    manifest_id: hiddenField(creating.text, 'manifest_id'),
    name: 'Acme Docs',
  })
  expect(created.url.searchParams.get('state')).toBe('abc')
  const code = created.url.searchParams.get('code')
  const app = await api(undefined, 'POST', `/app-manifests/${code}/conversions`)
  expect(app).toMatchObject({ status: 201, body: { slug: 'acme-docs' } })
  expect((await api(undefined, 'POST', `/app-manifests/${code}/conversions`)).status).toBe(404)

  const install = '/apps/acme-docs/installations/new?state=def'
  expect((await open(install)).text).toContain('Only select repositories')
  const installed = await open(install, { install_target: 'selected', repository_ids: [String(docs.id)] })
  const { searchParams } = installed.url
  expect(Object.fromEntries(searchParams)).toMatchObject({ setup_action: 'install', state: 'def' })
  const exchange = async (code: string | null, secret = app.body.client_secret) => {
    const response = await fetch(`${url}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: app.body.client_id, client_secret: secret, code }),
    })
    return (await response.json()) as Record<string, string>
  }
  expect(await exchange(searchParams.get('code'), 'wrong')).toMatchObject({ error: 'incorrect_client_credentials' })
  const { access_token: token } = await exchange(searchParams.get('code'))
  expect(await exchange(searchParams.get('code'))).toMatchObject({ error: 'bad_verification_code' })
  const path = `/user/installations/${searchParams.get('installation_id')}/repositories`
  expect((await api(token, 'GET', path)).body.repositories).toMatchObject([{ id: docs.id }])
  const again = await open(`/login/oauth/authorize?client_id=${app.body.client_id}&state=ghi`)
  expect(again.url.searchParams.get('state')).toBe('ghi')
  expect(await control.violations()).toEqual([])
})

test('shows and merges a pull request in the browser', async () => {
  const { url, control, api } = await startTestGithub()
  await control.createUser('ada', { password: 'secret' })
  await control.createUser('eve', { password: 'secret' })
  await control.createRepository('ada', 'docs')
  const permissions = { pull_requests: 'write' } as const
  const token = await control.createFineGrainedToken('ada', { repositories: ['ada/docs'], permissions })
  await control.pushFile('ada/docs', 'x', 'docs/a.md', 'A <b>line</b>\n')
  await api(token, 'POST', '/repos/ada/docs/pulls', { title: 'A <title>', head: 'x', base: 'main', body: 'Why' })
  const ada = createBrowser(url)
  const eve = createBrowser(url)
  await eve('/login', { login: 'eve', password: 'secret' })
  expect((await eve('/ada/docs/pull/1')).text).toContain('Page not found')
  const opened = await ada('/login', { login: 'ada', password: 'secret', return_to: '/ada/docs/pull/1' })
  expect(opened.text).toContain('A &lt;title&gt;')
  expect(opened.text).toContain('+A &lt;b&gt;line&lt;/b&gt;')
  expect(opened.text).toContain('Merge pull request')
  expect((await ada('/ada/docs/pull/1?confirm=1')).text).toContain('Confirm merge')
  expect((await ada('/ada/docs/pull/1', {})).text).toContain('Merged')
  expect(await control.readFile('ada/docs', 'main', 'docs/a.md')).toBe('A <b>line</b>\n')
})
