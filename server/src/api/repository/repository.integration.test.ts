import { afterAll, expect, inject, test } from 'vitest'
import { githubControl } from '../../../../dev-services/github/github-control.ts'
import { startRunningApi } from '../../../../dev-services/running-api.ts'
import { createGiteaRepository } from '../../code-hosts/testing/gitea-repository.ts'

const { gitea, github } = inject('services')
const host = await createGiteaRepository(gitea)
const control = githubControl(github)
const api = await startRunningApi(inject('services'), 'api repository', {
  COLOPHON_EGRESS_ALLOWED_HOSTS: [gitea.url, github.url].map((url) => new URL(url).host).join(),
})
afterAll(async () => {
  await api.drop()
  await host.remove()
})

const { projectId, client } = await api.makeProject()
const wanted = {
  host: 'gitea' as const,
  url: gitea.url,
  owner: host.owner,
  name: host.name,
  baseBranch: 'main',
  docsFolder: 'docs',
  token: gitea.adminToken,
}

test('a connection is tested, and what was found is told', async () => {
  expect(await client.repository.test(projectId, wanted)).toEqual({
    ok: true,
    message: expect.stringContaining(host.name),
    found: { defaultBranch: 'main', docsFolderExists: true, pages: 2, canManageWebhooks: true },
  })
  const elsewhere = await client.repository.test(projectId, { ...wanted, docsFolder: 'nowhere' })
  expect(elsewhere.found).toMatchObject({ docsFolderExists: false, pages: 0 })
  expect(await client.repository.test(projectId, { ...wanted, token: 'wrong' })).toEqual({
    ok: false,
    message: expect.stringContaining('does not know this token'),
    found: null,
  })
  for (const host of ['gitea', 'github'] as const)
    expect(await client.repository.test(projectId, { ...wanted, host, url: 'https://[' })).toMatchObject({
      ok: false,
    })
  expect(await client.repository.get(projectId), 'nothing was stored').toEqual({ repository: null })
})

test('is connected, shown without its secrets, and changed', async () => {
  await expect(client.repository.change(projectId, { docsFolder: '' })).rejects.toMatchObject({
    code: 'project_not_ready',
  })
  await expect(client.repository.connect(projectId, { ...wanted, baseBranch: 'gone' })).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('default branch is main'),
  })
  const connected = await client.repository.connect(projectId, wanted)
  const { token, ...shown } = wanted
  expect(connected).toMatchObject({
    ...shown,
    access: 'token',
    issue: null,
    publishing: { branchTemplate: 'colophon/{jobId}', labels: [] },
  })
  expect(JSON.stringify(await client.repository.get(projectId))).not.toContain(token)
  expect(await client.repository.get(projectId)).toEqual({ repository: connected })

  const rules = { titleTemplate: 'docs: {title}', labels: ['docs'], draft: true }
  const changed = await client.repository.change(projectId, { docsFolder: '', publishing: rules })
  expect(changed).toEqual({ ...connected, docsFolder: '', publishing: { ...connected.publishing, ...rules } })
  await client.repository.connect(projectId, wanted)
  expect((await client.repository.get(projectId)).repository?.publishing, 'rules stay').toEqual(changed.publishing)
  const { entries } = await client.audit.list(projectId, { limit: 5 })
  expect(entries.map(({ action }) => action)).toEqual([
    'repository.connected',
    'credential.stored',
    'repository.changed',
    'repository.connected',
    'credential.stored',
  ])
})

test('a repository of GitHub is connected with a fine-grained token, which may do what is needed', async () => {
  const login = `person-${crypto.randomUUID().slice(0, 8)}`
  await control.makeUser(login)
  const repository = await control.makeRepository(login, 'handbook', { files: { 'docs/index.md': '# Hello' } })
  const grant = {
    repositories: [repository.fullName],
    permissions: { contents: 'write', pull_requests: 'write' },
  } as const
  const token = await control.makeFineGrainedToken(login, { ...grant, repositories: [...grant.repositories] })
  const reading = await control.makeFineGrainedToken(login, {
    repositories: [repository.fullName],
    permissions: { contents: 'read', pull_requests: 'read' },
  })
  const onGithub = {
    host: 'github' as const,
    url: `${github.url}/`,
    owner: login,
    name: 'handbook',
    baseBranch: 'main',
    docsFolder: 'docs',
    token,
  }
  const { projectId, client } = await api.makeProject()
  expect(await client.repository.test(projectId, onGithub)).toMatchObject({
    message: expect.stringContaining('can be read'),
    ok: true,
    found: { defaultBranch: 'main', docsFolderExists: true, pages: 1 },
  })
  expect(await client.repository.test(projectId, { ...onGithub, token: reading })).toMatchObject({ ok: false })
  expect(await client.repository.connect(projectId, onGithub)).toMatchObject({
    host: 'github',
    url: github.url,
    access: 'token',
    issue: null,
  })
})

test.each([
  { docsFolder: '/docs' },
  { docsFolder: 'docs/' },
  { docsFolder: '../etc' },
  { docsFolder: 'a/../b' },
  { publishing: { branchTemplate: 'docs' } },
  { publishing: { titleTemplate: 'always the same' } },
  { publishing: { bodyTemplate: '<b>{summary}</b>' } },
])('%j is refused', async (changes) => {
  await expect(client.repository.change(projectId, changes)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('strangers are kept out', async () => {
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:read'))
    await expect(client.repository.get(projectId), who).rejects.toMatchObject({ code })
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:write')) {
    await expect(client.repository.test(projectId, wanted), who).rejects.toMatchObject({ code })
    await expect(client.repository.connect(projectId, wanted), who).rejects.toMatchObject({ code })
    await expect(client.repository.change(projectId, { docsFolder: '' }), who).rejects.toMatchObject({ code })
  }
})
