import { createGithubControlClient } from '@colophon/github-simulator/control'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { createGiteaTestRepository } from '../../code-hosts/testing/gitea-test-repository.ts'

const { gitea, github, modelUrl, postgresUrl } = inject('services')
const host = await createGiteaTestRepository(gitea)
const control = createGithubControlClient(github)
const api = await startTestApi(inject('services'), 'api repository', {
  COLOPHON_EGRESS_ALLOWED_CODE_HOSTS: [gitea.url, github.url].map((url) => new URL(url).host).join(),
})
afterAll(async () => {
  await api.drop()
  await host.remove()
})

const { projectId, client } = await api.createProject()
const connection = {
  host: 'gitea' as const,
  url: gitea.url,
  owner: host.owner,
  name: host.name,
  baseBranch: 'main',
  docsFolder: 'docs',
  token: gitea.adminToken,
}

test('tests a connection and reports what it found', async () => {
  expect(await client.repository.test(projectId, connection)).toEqual({
    ok: true,
    message: expect.stringContaining(host.name),
    found: { defaultBranch: 'main', docsFolderExists: true, pages: 2, canManageWebhooks: true },
  })
  const elsewhere = await client.repository.test(projectId, { ...connection, docsFolder: 'nowhere' })
  expect(elsewhere.found).toMatchObject({ docsFolderExists: false, pages: 0 })
  expect(await client.repository.test(projectId, { ...connection, token: 'wrong' })).toEqual({
    ok: false,
    message: expect.stringContaining('does not accept this token'),
    found: null,
  })
  for (const host of ['gitea', 'github'] as const)
    expect(await client.repository.test(projectId, { ...connection, host, url: 'https://[' })).toMatchObject({
      ok: false,
    })
  expect(await client.repository.get(projectId), 'nothing was stored').toEqual({ repository: null })
})

test('does not call a model as a code host, nor another port of an allowed code host', async () => {
  const otherPort = new URL(gitea.url)
  otherPort.port = new URL(postgresUrl).port || '5432'
  for (const url of [modelUrl, otherPort.origin])
    expect(await client.repository.test(projectId, { ...connection, url })).toMatchObject({
      ok: false,
      message: expect.stringContaining('COLOPHON_EGRESS_ALLOWED_CODE_HOSTS'),
    })
})

test.each(['..', '.', 'a/b', 'a%2fb', 'a?b'])('rejects %s in the path of a repository', async (segment) => {
  for (const field of ['owner', 'name'] as const)
    await expect(client.repository.test(projectId, { ...connection, [field]: segment })).rejects.toMatchObject({
      code: 'invalid_request',
    })
})

test('connects a repository, hides its secrets, and changes its settings', async () => {
  await expect(client.repository.change(projectId, { docsFolder: '' })).rejects.toMatchObject({
    code: 'project_not_ready',
  })
  await expect(client.repository.connect(projectId, { ...connection, baseBranch: 'gone' })).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('default branch is main'),
  })
  const connected = await client.repository.connect(projectId, connection)
  const { token, ...visible } = connection
  expect(connected).toMatchObject({
    ...visible,
    access: 'token',
    issue: null,
    publishing: { branchTemplate: 'colophon/{jobId}', labels: [] },
  })
  expect(JSON.stringify(await client.repository.get(projectId))).not.toContain(token)
  expect(await client.repository.get(projectId)).toEqual({ repository: connected })

  const rules = { titleTemplate: 'docs: {title}', labels: ['docs'], draft: true }
  const changed = await client.repository.change(projectId, { docsFolder: '', publishing: rules })
  expect(changed).toEqual({ ...connected, docsFolder: '', publishing: { ...connected.publishing, ...rules } })
  await client.repository.connect(projectId, connection)
  expect((await client.repository.get(projectId)).repository?.publishing, 'the pull request settings are kept').toEqual(
    changed.publishing,
  )
  const { entries } = await client.audit.list(projectId, { limit: 5 })
  expect(entries.map(({ action }) => action)).toEqual([
    'repository.connected',
    'credential.stored',
    'repository.changed',
    'repository.connected',
    'credential.stored',
  ])
})

test('connects a GitHub repository with a fine-grained token that has the required permissions', async () => {
  const login = `person-${crypto.randomUUID().slice(0, 8)}`
  await control.createUser(login)
  const repository = await control.createRepository(login, 'handbook', { files: { 'docs/index.md': '# Hello' } })
  const grant = {
    repositories: [repository.fullName],
    permissions: { contents: 'write', pull_requests: 'write' },
  } as const
  const token = await control.createFineGrainedToken(login, { ...grant, repositories: [...grant.repositories] })
  const readOnlyToken = await control.createFineGrainedToken(login, {
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
  const { projectId, client } = await api.createProject()
  expect(await client.repository.test(projectId, onGithub)).toMatchObject({
    message: expect.stringContaining('Colophon can read'),
    ok: true,
    found: { defaultBranch: 'main', docsFolderExists: true, pages: 1 },
  })
  expect(await client.repository.test(projectId, { ...onGithub, token: readOnlyToken })).toMatchObject({ ok: false })
  expect(await client.repository.connect(projectId, onGithub)).toMatchObject({
    host: 'github',
    url: github.url,
    access: 'token',
    issue: null,
  })
})

test('an owner who signed in recently changes the publishing rules, and the audit log has both values', async () => {
  const { projectId, client: key } = await api.createProject()
  const { client: owner, email } = await api.signIn({ projectId, role: 'owner' })
  await expect(owner.repository.changeRules(projectId, { requireApproval: true })).rejects.toMatchObject({
    code: 'project_not_ready',
  })
  const connected = await key.repository.connect(projectId, connection)
  const defaults = {
    siteGenerator: null,
    furtherDocsFolders: [],
    allowedPaths: [],
    activeContent: 'refuse',
    requireApproval: false,
    fixFailedChecks: false,
  }
  expect(connected.rules).toEqual(defaults)
  await expect(key.repository.changeRules(projectId, { requireApproval: true })).rejects.toMatchObject({
    code: 'insufficient_scope',
  })
  const changes = { allowedPaths: ['openapi.yaml', 'examples/'], furtherDocsFolders: ['blog'], requireApproval: true }
  const changed = await owner.repository.changeRules(projectId, changes)
  expect(changed).toEqual({ ...connected, rules: { ...defaults, ...changes } })
  expect(await owner.repository.changeRules(projectId, { activeContent: 'hold' })).toMatchObject({
    rules: { ...changes, activeContent: 'hold' },
  })
  const { entries } = await key.audit.list(projectId, { limit: 2 })
  expect(entries).toMatchObject([
    {
      action: 'repository.rules_changed',
      detail: { from: { activeContent: 'refuse' }, to: { activeContent: 'hold' } },
    },
    {
      action: 'repository.rules_changed',
      actor: email,
      detail: { from: { allowedPaths: [], furtherDocsFolders: [], requireApproval: false }, to: changes },
    },
  ])

  const reconnected = await key.repository.connect(projectId, connection)
  expect(reconnected.rules, 'the same repository keeps its rules').toMatchObject(changes)
  const another = await createGiteaTestRepository(gitea)
  const { rules } = await key.repository.connect(projectId, { ...connection, name: another.name })
  expect(rules, 'paths of another repository mean something else').toEqual({
    ...defaults,
    activeContent: 'hold',
    requireApproval: true,
  })
  await another.remove()
})

test.each([
  { allowedPaths: ['/etc'] },
  { allowedPaths: ['../a'] },
  { allowedPaths: ['a//'] },
  { allowedPaths: [''] },
  { allowedPaths: ['/'] },
  { furtherDocsFolders: ['blog/'] },
  { furtherDocsFolders: [''] },
  { furtherDocsFolders: ['blog', 'blog'] },
])('rejects the publishing rules %j', async (changes) => {
  const { client: owner } = await api.signIn({ projectId, role: 'owner' })
  await expect(owner.repository.changeRules(projectId, changes)).rejects.toMatchObject({ code: 'invalid_request' })
})

test.each([
  { docsFolder: '/docs' },
  { docsFolder: 'docs/' },
  { docsFolder: '../etc' },
  { docsFolder: 'a/../b' },
  { publishing: { branchTemplate: 'docs' } },
  { publishing: { titleTemplate: 'always the same' } },
  { publishing: { bodyTemplate: '<b>{summary}</b>' } },
])('rejects %j', async (changes) => {
  await expect(client.repository.change(projectId, changes)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('rejects callers without access', async () => {
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:read'))
    await expect(client.repository.get(projectId), caller).rejects.toMatchObject({ code })
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:write')) {
    await expect(client.repository.test(projectId, connection), caller).rejects.toMatchObject({ code })
    await expect(client.repository.connect(projectId, connection), caller).rejects.toMatchObject({ code })
    await expect(client.repository.change(projectId, { docsFolder: '' }), caller).rejects.toMatchObject({ code })
    await expect(client.repository.changeRules(projectId, {}), caller).rejects.toMatchObject({ code })
  }
})
