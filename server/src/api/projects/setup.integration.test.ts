import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { generateKey, hashKey } from '../../keys/key-format.ts'

const api = await startTestApi(inject('services'), 'api setup')
afterAll(() => api.drop())

const { projectId, client } = await api.createProject()

test('a new project has nothing set up', async () => {
  expect(await client.projects.setup(projectId)).toEqual({
    repository: { isConnected: false, name: null },
    model: { name: null },
    runner: { lastSeenAt: null, isOnline: false },
    job: { id: null, status: null },
    pullRequest: { url: null, state: null },
    apiKey: { isCreated: true },
    siteKey: { key: null },
    views: { hasHuman: false, hasAi: false },
  })
})

test('reports each step of the setup', async () => {
  const { stores } = api
  await api.addModel()
  const token = hashKey(generateKey('colophon_runner_'))
  await stores.runners.create(
    { name: 'shared', tokenHash: token, projectIds: null, expiresAt: null },
    { kind: 'operator' },
  )
  await stores.runners.findByTokenHash(token)
  await api.pool.query(
    "INSERT INTO credential (project_id, id, kind, sealed) VALUES ($1, 'crd_1', 'code-host-token', '')",
    [projectId],
  )
  await api.pool.query(
    `INSERT INTO repository (project_id, host, base_url, owner, name, base_branch, token_credential_id, webhook_secret)
     VALUES ($1, 'gitea', 'https://git.example.com', 'docs', 'handbook', 'main', 'crd_1', 'x')`,
    [projectId],
  )
  const older = await client.jobs.create(projectId, { prompt: 'Do it.' })
  await client.jobs.create(projectId, { prompt: 'Do more.' })
  await api.pool.query(
    "UPDATE job SET pull_request_url = 'https://git.example.com/1', pull_request_state = 'merged' WHERE id = $1",
    [older.id],
  )
  const siteKey = await client.views.createSiteKey(projectId)
  const view = (userAgent: string) => ({ path: '/start', userAgent, at: new Date().toISOString() })
  await client.views.ingest(projectId, { views: [view('ClaudeBot/1.0')] })

  await expect.poll(async () => (await client.projects.setup(projectId)).views.hasAi).toBe(true)
  expect(await client.projects.setup(projectId)).toMatchObject({
    repository: { isConnected: true, name: 'docs/handbook' },
    model: { name: 'test-model' },
    runner: { lastSeenAt: expect.stringMatching(/Z$/), isOnline: true },
    job: { id: older.id, status: 'active' },
    pullRequest: { url: 'https://git.example.com/1', state: 'merged' },
    apiKey: { isCreated: true },
    siteKey: { key: siteKey.key },
    views: { hasHuman: false, hasAi: true },
  })
})

test('rejects callers without access', async () => {
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:read'))
    await expect(client.projects.setup(projectId), caller).rejects.toMatchObject({ code })
})
