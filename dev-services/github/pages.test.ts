import { expect, test } from 'vitest'
import { appManifest } from './testing/app-manifest.ts'
import { testGithub } from './testing/test-github.ts'

/** As a browser without scripts: keeps cookies, follows redirects on the stand-in, sends forms. */
function visitor(origin: string) {
  const cookies = new Map<string, string>()
  return async function visit(
    path: string,
    form?: Record<string, string | string[]>,
  ): Promise<{ url: URL; text: string }> {
    const fields = Object.entries(form ?? {}).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
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
    return next.origin === origin ? visit(next.href) : { url: next, text: '' }
  }
}

const hiddenField = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

test('a person makes the App, installs it on one repository, and their code becomes their token', async () => {
  const { url, control, api } = await testGithub()
  await control.makeUser('ada', { password: 'secret' })
  await control.makeOrganization('acme', ['ada'])
  const docs = await control.makeRepository('acme', 'docs')
  await control.makeRepository('acme', 'secret')
  const visit = visitor(url)

  const signIn = await visit('/organizations/acme/settings/apps/new?state=abc', {
    manifest: JSON.stringify(appManifest()),
  })
  expect(signIn.text).toContain('Sign in to GitHub')
  const wrong = await visit('/login', {
    login: 'ada',
    password: 'wrong',
    return_to: hiddenField(signIn.text, 'return_to'),
  })
  expect(wrong.text).toContain('Incorrect username or password')
  const creating = await visit('/login', {
    login: 'ada',
    password: 'secret',
    return_to: hiddenField(signIn.text, 'return_to').replaceAll('&amp;', '&'),
  })
  expect(creating.text).toContain('Create GitHub App for acme')
  const made = await visit('/organizations/acme/settings/apps/new', {
    manifest_id: hiddenField(creating.text, 'manifest_id'),
    name: 'Acme Docs',
  })
  expect(made.url.searchParams.get('state')).toBe('abc')
  const code = made.url.searchParams.get('code')
  const app = await api(undefined, 'POST', `/app-manifests/${code}/conversions`)
  expect(app).toMatchObject({ status: 201, body: { slug: 'acme-docs' } })
  expect((await api(undefined, 'POST', `/app-manifests/${code}/conversions`)).status).toBe(404)

  const install = '/apps/acme-docs/installations/new?state=def'
  expect((await visit(install)).text).toContain('Only select repositories')
  const installed = await visit(install, { install_target: 'selected', repository_ids: [String(docs.id)] })
  const { searchParams } = installed.url
  expect(Object.fromEntries(searchParams)).toMatchObject({ setup_action: 'install', state: 'def' })
  const exchange = async (given: string | null, secret = app.body.client_secret) => {
    const response = await fetch(`${url}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: app.body.client_id, client_secret: secret, code: given }),
    })
    return (await response.json()) as Record<string, string>
  }
  expect(await exchange(searchParams.get('code'), 'wrong')).toMatchObject({ error: 'incorrect_client_credentials' })
  const { access_token: token } = await exchange(searchParams.get('code'))
  expect(await exchange(searchParams.get('code'))).toMatchObject({ error: 'bad_verification_code' })
  const path = `/user/installations/${searchParams.get('installation_id')}/repositories`
  expect((await api(token, 'GET', path)).body.repositories).toMatchObject([{ id: docs.id }])
  const again = await visit(`/login/oauth/authorize?client_id=${app.body.client_id}&state=ghi`)
  expect(again.url.searchParams.get('state')).toBe('ghi')
  expect(await control.violations()).toEqual([])
})

test('a pull request is read and merged in the browser', async () => {
  const { url, control, api } = await testGithub()
  await control.makeUser('ada', { password: 'secret' })
  await control.makeUser('eve', { password: 'secret' })
  await control.makeRepository('ada', 'docs')
  const permissions = { pull_requests: 'write' } as const
  const token = await control.makeFineGrainedToken('ada', { repositories: ['ada/docs'], permissions })
  await control.pushFile('ada/docs', 'x', 'docs/a.md', 'A <b>line</b>\n')
  await api(token, 'POST', '/repos/ada/docs/pulls', { title: 'A <title>', head: 'x', base: 'main', body: 'Why' })
  const ada = visitor(url)
  const eve = visitor(url)
  await eve('/login', { login: 'eve', password: 'secret' })
  expect((await eve('/ada/docs/pull/1')).text).toContain('Page not found')
  const shown = await ada('/login', { login: 'ada', password: 'secret', return_to: '/ada/docs/pull/1' })
  expect(shown.text).toContain('A &lt;title&gt;')
  expect(shown.text).toContain('+A &lt;b&gt;line&lt;/b&gt;')
  expect(shown.text).toContain('Merge pull request')
  expect((await ada('/ada/docs/pull/1?confirm=1')).text).toContain('Confirm merge')
  expect((await ada('/ada/docs/pull/1', {})).text).toContain('Merged')
  expect(await control.file('ada/docs', 'main', 'docs/a.md')).toBe('A <b>line</b>\n')
})
