import { expect, test } from 'vitest'
import { appJwt } from './testing/app-jwt.ts'
import { appManifest } from './testing/app-manifest.ts'
import { startTestGithub } from './testing/test-github.ts'

async function withApp() {
  const github = await startTestGithub()
  const { control, api } = github
  await control.createUser('ada')
  const docs = await control.createRepository('ada', 'docs')
  const other = await control.createRepository('ada', 'other')
  const app = await control.createApp('ada', appManifest())
  const installationId = await control.installApp(app.slug, 'ada', ['ada/docs'])
  const jwt = appJwt(app.clientId, app.privateKeyPem)
  const mintAs = (jwtOfApp: string, body?: unknown) =>
    api(jwtOfApp, 'POST', `/app/installations/${installationId}/access_tokens`, body)
  const mint = (body?: unknown) => mintAs(jwt, body)
  return { ...github, docs, other, app, installationId, mint, mintAs }
}

test('authenticates an App by its key and creates tokens for its repositories and permissions only', async () => {
  const { api, control, app, docs, other, mint, mintAs, installationId } = await withApp()
  const tooLong = appJwt(app.id, app.privateKeyPem, { lifetimeSeconds: 1200 })
  expect((await mintAs(tooLong)).body.message).toMatch('too far in the future')
  const stranger = await control.createApp('ada', appManifest({ name: 'Stranger' }))
  const forged = appJwt(app.id, stranger.privateKeyPem)
  expect((await mintAs(forged)).status).toBe(401)
  const strangerJwt = appJwt(stranger.id, stranger.privateKeyPem)
  expect((await mintAs(strangerJwt)).status).toBe(404)

  const minted = await mint({ repository_ids: [docs.id], permissions: { contents: 'write', pull_requests: 'write' } })
  expect(minted).toMatchObject({ status: 201, body: { repositories: [{ full_name: 'ada/docs' }] } })
  expect((await mint({ repository_ids: [other.id] })).status).toBe(422)
  expect((await mint({ permissions: { workflows: 'write' } })).status).toBe(422)
  const token = minted.body.token
  expect((await api(token, 'GET', '/repos/ada/docs')).status).toBe(200)
  expect((await api(token, 'GET', '/repos/ada/other')).status).toBe(404)
  expect(await api(token, 'GET', `/repos/ada/docs/commits/${docs.head}/check-runs`)).toMatchObject({
    status: 403,
    body: { message: 'Resource not accessible by integration' },
  })

  await control.suspend(installationId)
  expect((await api(token, 'GET', '/repos/ada/docs')).status).toBe(403)
  expect((await mint()).status).toBe(403)
  await control.suspend(installationId, false)
  expect((await api(token, 'GET', '/repos/ada/docs')).status).toBe(200)
  await control.uninstall(installationId)
  expect((await api(token, 'GET', '/repos/ada/docs')).status).toBe(401)
  expect((await mint()).status).toBe(404)
  expect(await control.violations()).toEqual([])
})

test('signs commits of an App, and does not let it write workflows', async () => {
  const { api, docs, mint, control } = await withApp()
  const { token } = (await mint({ repository_ids: [docs.id] })).body
  const base = (await api(token, 'GET', `/repos/ada/docs/git/commits/${docs.head}`)).body
  expect(base.verification.verified).toBe(false)
  const entry = (path: string) => ({
    tree: [{ path, mode: '100644', type: 'blob', content: 'x' }],
    base_tree: base.tree.sha,
  })
  expect((await api(token, 'POST', '/repos/ada/docs/git/trees', entry('.github/workflows/x.yml'))).status).toBe(403)
  const tree = (await api(token, 'POST', '/repos/ada/docs/git/trees', entry('x.md'))).body.sha
  const commit = () => api(token, 'POST', '/repos/ada/docs/git/commits', { message: 'M', tree, parents: [docs.head] })
  const first = (await commit()).body
  const second = (await commit()).body
  expect(first).toMatchObject({
    author: { name: 'docs-helper[bot]' },
    verification: { verified: true, reason: 'valid' },
  })
  expect(first.sha).not.toBe(second.sha)
  expect(await control.violations()).toEqual([])
})

test('shows a person only installations and repositories that they have access to', async () => {
  const { api, control, app, installationId } = await withApp()
  await control.createUser('bob')
  await control.createUser('eve')
  await control.addCollaborator('ada/docs', 'bob', 'write')
  const visibleTo = async (login: string) => {
    const token = await control.createUserToken(app.slug, login)
    const installations = await api(token, 'GET', '/user/installations')
    const repositories = await api(token, 'GET', `/user/installations/${installationId}/repositories`)
    return { token, installations: installations.body.total_count, repositories }
  }
  expect(await visibleTo('ada')).toMatchObject({ installations: 1, repositories: { body: { total_count: 1 } } })
  const bob = await visibleTo('bob')
  expect(bob.repositories.body.repositories[0].permissions).toMatchObject({ push: true, admin: false })
  expect(await visibleTo('eve')).toMatchObject({ installations: 0, repositories: { status: 404 } })

  const basic = `Basic ${btoa(`${app.clientId}:${app.clientSecret}`)}`
  const revoke = () => api(basic, 'DELETE', `/applications/${app.clientId}/token`, { access_token: bob.token })
  expect((await revoke()).status).toBe(204)
  expect((await revoke()).status).toBe(404)
  expect((await api(bob.token, 'GET', '/user/installations')).status).toBe(401)
  expect(await control.violations()).toEqual([])
})
