import { afterAll, describe, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'api analytics settings')
afterAll(() => api.drop())

const { projectId, client, key } = await api.createProject('Handbook')

describe('settings', () => {
  test('have defaults', async () => {
    expect(await client.views.settings(projectId)).toEqual({
      humanSource: 'servers',
      respectDoNotTrack: true,
      allowedOrigins: [],
      aiScope: 'all',
      retentionMonths: null,
    })
  })

  test('are changed field by field and recorded in the audit log', async () => {
    const changes = { allowedOrigins: ['https://docs.example.com', 'http://localhost:3000'], retentionMonths: 25 }
    await client.views.changeSettings(projectId, { aiScope: 'assistants' })
    const changed = await client.views.changeSettings(projectId, changes)
    expect(changed).toEqual({ humanSource: 'servers', respectDoNotTrack: true, aiScope: 'assistants', ...changes })
    expect(await client.views.settings(projectId)).toEqual(changed)
    expect((await client.audit.list(projectId, { limit: 1 })).entries).toMatchObject([
      { action: 'analytics.settings_changed', actor: key.id, subject: projectId, detail: changes },
    ])
  })

  test.each([
    ['body', {}],
    ['body/aiScope', { aiScope: 'everybody' }],
    ['body/humanSource', { humanSource: 'nobody' }],
    ['body/retentionMonths', { retentionMonths: 0 }],
    ['body/allowedOrigins/0', { allowedOrigins: ['docs.example.com'] }],
    ['body/allowedOrigins/0', { allowedOrigins: ['https://docs.example.com/'] }],
    ['body/allowedOrigins/0', { allowedOrigins: ['https://docs.example.com:443'] }],
    ['body/allowedOrigins/1', { allowedOrigins: ['https://docs.example.com', 'https://1.2.3.999'] }],
    ['body/shard', { shard: 3 }],
  ])('are not changed if %s is invalid: %o', async (path, changes) => {
    const body = changes as Parameters<typeof client.views.changeSettings>[1]
    await expect(client.views.changeSettings(projectId, body)).rejects.toMatchObject({
      code: 'invalid_request',
      errors: expect.arrayContaining([expect.objectContaining({ path })]),
    })
  })
})

describe('site keys', () => {
  test('are created, listed and revoked; revoking again has no effect', async () => {
    const { humanSourceSwitched, ...first } = await client.views.createSiteKey(projectId)
    expect(first).toEqual({ key: expect.stringMatching(/^site_[0-9a-f]{24}$/), createdAt: expect.stringMatching(/Z$/) })
    expect(humanSourceSwitched).toBe(true)
    const { humanSourceSwitched: _, ...second } = await client.views.createSiteKey(projectId)
    expect(await client.views.siteKeys(projectId)).toEqual({ siteKeys: [first, second] })
    expect(await client.views.revokeSiteKey(projectId, first.key)).toEqual(first)
    expect(await client.views.revokeSiteKey(projectId, first.key)).toEqual(first)
    expect(await client.views.siteKeys(projectId)).toEqual({ siteKeys: [second] })
    const { entries } = await client.audit.list(projectId, { limit: 2 })
    expect(entries.map(({ action }) => action)).toEqual(['site_key.revoked', 'site_key.created'])
  })

  test('of other projects are a 404, like keys that do not exist', async () => {
    const others = await api.createProject()
    const { key: theirs } = await others.client.views.createSiteKey(others.projectId)
    for (const siteKey of [theirs, 'site_madeup', 'nonsense', '\0'])
      await expect(client.views.revokeSiteKey(projectId, siteKey)).rejects.toMatchObject({ code: 'not_found' })
    expect((await others.client.views.siteKeys(others.projectId)).siteKeys).toHaveLength(1)
  })
})

test('rejects callers without access', async () => {
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'analytics:read')) {
    await expect(client.views.settings(projectId), caller).rejects.toMatchObject({ code })
    await expect(client.views.siteKeys(projectId), caller).rejects.toMatchObject({ code })
  }
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:write')) {
    await expect(client.views.changeSettings(projectId, { aiScope: 'all' }), caller).rejects.toMatchObject({ code })
    await expect(client.views.createSiteKey(projectId), caller).rejects.toMatchObject({ code })
    await expect(client.views.revokeSiteKey(projectId, 'site_x'), caller).rejects.toMatchObject({ code })
  }
})
