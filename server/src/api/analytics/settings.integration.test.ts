import { afterAll, describe, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'

const api = await startRunningApi(inject('services'), 'api analytics settings')
afterAll(() => api.drop())

const { projectId, client, key } = await api.makeProject('Handbook')

describe('settings', () => {
  test('of a project that said nothing', async () => {
    expect(await client.views.settings(projectId)).toEqual({
      humanSource: 'script',
      respectDoNotTrack: true,
      allowedOrigins: [],
      aiScope: 'all',
      retentionMonths: null,
    })
  })

  test('are changed field by field, and the audit knows by whom', async () => {
    const changes = { allowedOrigins: ['https://docs.example.com', 'http://localhost:3000'], retentionMonths: 25 }
    await client.views.changeSettings(projectId, { aiScope: 'assistants' })
    const changed = await client.views.changeSettings(projectId, changes)
    expect(changed).toEqual({ humanSource: 'script', respectDoNotTrack: true, aiScope: 'assistants', ...changes })
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
  ])('are not changed where %s is wrong: %o', async (path, changes) => {
    const body = changes as Parameters<typeof client.views.changeSettings>[1]
    await expect(client.views.changeSettings(projectId, body)).rejects.toMatchObject({
      code: 'invalid_request',
      errors: expect.arrayContaining([expect.objectContaining({ path })]),
    })
  })
})

describe('site keys', () => {
  test('are made, listed, and revoked as often as one likes', async () => {
    const made = await client.views.createSiteKey(projectId)
    expect(made).toEqual({ key: expect.stringMatching(/^site_[0-9a-f]{24}$/), createdAt: expect.stringMatching(/Z$/) })
    const other = await client.views.createSiteKey(projectId)
    expect(await client.views.siteKeys(projectId)).toEqual({ siteKeys: [made, other] })
    expect(await client.views.revokeSiteKey(projectId, made.key)).toEqual(made)
    expect(await client.views.revokeSiteKey(projectId, made.key)).toEqual(made)
    expect(await client.views.siteKeys(projectId)).toEqual({ siteKeys: [other] })
    const { entries } = await client.audit.list(projectId, { limit: 2 })
    expect(entries.map(({ action }) => action)).toEqual(['site_key.revoked', 'site_key.created'])
  })

  test("of others, or of nobody, cannot be revoked: they look as if they weren't there", async () => {
    const others = await api.makeProject()
    const { key: theirs } = await others.client.views.createSiteKey(others.projectId)
    for (const siteKey of [theirs, 'site_madeup', 'nonsense', '\0'])
      await expect(client.views.revokeSiteKey(projectId, siteKey)).rejects.toMatchObject({ code: 'not_found' })
    expect((await others.client.views.siteKeys(others.projectId)).siteKeys).toHaveLength(1)
  })
})

test('strangers are kept out', async () => {
  for (const { who, client, code } of await api.strangersTo(projectId, 'analytics:read')) {
    await expect(client.views.settings(projectId), who).rejects.toMatchObject({ code })
    await expect(client.views.siteKeys(projectId), who).rejects.toMatchObject({ code })
  }
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:write')) {
    await expect(client.views.changeSettings(projectId, { aiScope: 'all' }), who).rejects.toMatchObject({ code })
    await expect(client.views.createSiteKey(projectId), who).rejects.toMatchObject({ code })
    await expect(client.views.revokeSiteKey(projectId, 'site_x'), who).rejects.toMatchObject({ code })
  }
})
