import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../../testing/harness/test-instance.ts'
import { AnalyticsSettingsStore } from './analytics-settings-store.ts'
import { AnalyticsSiteCache } from './analytics-site-cache.ts'

const instance = await createTestInstance(inject('services'), 'analytics settings', 'api')
afterAll(() => instance.drop())
const settings = new AnalyticsSettingsStore(instance.database)
const operator = { kind: 'operator' } as const
const newProject = async () => (await instance.stores.projects.create('Docs', operator)).id

test('returns the same defaults for a project with and without a row in the table', async () => {
  const withoutRow = await newProject()
  const withRow = await newProject()
  await settings.change(withRow, {}, operator)
  expect((await settings.read(withRow)).settings).toEqual((await settings.read(withoutRow)).settings)
})

test('changes only the given settings', async () => {
  const projectId = await newProject()
  await settings.change(projectId, { humanSource: 'servers', retentionMonths: 12 }, operator)
  await settings.change(projectId, { aiScope: 'assistants', allowedOrigins: ['https://docs.example.com'] }, operator)
  const changed = await settings.change(projectId, { retentionMonths: null, respectDoNotTrack: false }, operator)
  expect(changed).toEqual({
    humanSource: 'servers',
    respectDoNotTrack: false,
    allowedOrigins: ['https://docs.example.com'],
    aiScope: 'assistants',
    retentionMonths: null,
  })
  expect((await settings.read(projectId)).settings).toEqual(changed)
  const [entry] = await instance.stores.audit.list(projectId, { limit: 1, before: undefined })
  expect(entry).toMatchObject({
    action: 'analytics.settings_changed',
    detail: { retentionMonths: null, respectDoNotTrack: false },
  })
})

test('counts humans from servers until the first site key, and from the script afterwards', async () => {
  const projectId = await newProject()
  expect((await settings.read(projectId)).settings.humanSource).toBe('servers')
  const first = await settings.createSiteKey(projectId, operator)
  expect(first.switchedHumanSource).toBe(true)
  expect((await settings.read(projectId)).settings.humanSource).toBe('script')
  const entries = await instance.stores.audit.list(projectId, { limit: 2, before: undefined })
  expect(entries.map(({ action, actor, subject, detail }) => ({ action, actor, subject, detail }))).toEqual(
    expect.arrayContaining([
      { action: 'site_key.created', actor: 'operator', subject: first.key, detail: {} },
      {
        action: 'analytics.settings_changed',
        actor: 'operator',
        subject: projectId,
        detail: { humanSource: 'script', reason: 'first_site_key' },
      },
    ]),
  )
})

test('never switches the human source again: not after a revoked key, not for concurrent first keys', async () => {
  const projectId = await newProject()
  await settings.change(projectId, { retentionMonths: 12 }, operator) // a row without a chosen source
  const created = await Promise.all(Array.from({ length: 5 }, () => settings.createSiteKey(projectId, operator)))
  expect(created.filter(({ switchedHumanSource }) => switchedHumanSource)).toHaveLength(1)
  for (const { key } of created) await settings.revokeSiteKey(projectId, key, operator)
  expect((await settings.read(projectId)).settings).toMatchObject({ humanSource: 'script', retentionMonths: 12 })
  await settings.change(projectId, { humanSource: 'servers' }, operator)
  expect(await settings.createSiteKey(projectId, operator)).toMatchObject({ switchedHumanSource: false })
  expect((await settings.read(projectId)).settings.humanSource).toBe('servers')
})

test.each(['servers', 'script'] as const)(
  'keeps an explicit choice of %s when the first site key is created',
  async (humanSource) => {
    const projectId = await newProject()
    await settings.change(projectId, { humanSource }, operator)
    expect(await settings.createSiteKey(projectId, operator)).toMatchObject({ switchedHumanSource: false })
    expect((await settings.read(projectId)).settings.humanSource).toBe(humanSource)
    const entries = await instance.stores.audit.list(projectId, { limit: 1, before: undefined })
    expect(entries).toMatchObject([{ action: 'site_key.created' }])
  },
)

test('finds the project of a site key until the key is revoked, and none for a made-up key', async () => {
  const projectId = await newProject()
  const { key } = await settings.createSiteKey(projectId, operator)
  expect(await settings.findBySiteKey(key)).toEqual(await settings.read(projectId))
  expect(await settings.listSiteKeys(projectId)).toMatchObject([{ key }])
  await expect(settings.revokeSiteKey(await newProject(), key, operator)).rejects.toMatchObject({ code: 'not_found' })
  expect(await settings.findBySiteKey(key)).toBeDefined()
  const revoked = await settings.revokeSiteKey(projectId, key, operator)
  expect(await settings.revokeSiteKey(projectId, key, operator)).toEqual(revoked)
  expect(await settings.findBySiteKey(key)).toBeUndefined()
  expect(await settings.findBySiteKey('site_madeup')).toBeUndefined()
})

test('caches a site for a few seconds, but not a failed query', async () => {
  const projectId = await newProject()
  const { key } = await settings.createSiteKey(projectId, operator)
  let queries = 0
  let isDown = true
  const sites = new AnalyticsSiteCache({
    read: (id) => settings.read(id),
    findBySiteKey: async (siteKey) => {
      queries++
      if (isDown) throw new Error('database down')
      return settings.findBySiteKey(siteKey)
    },
  })
  await expect(sites.findBySiteKey(key)).rejects.toThrow('database down')
  isDown = false
  const found = await Promise.all([sites.findBySiteKey(key), sites.findBySiteKey(key), sites.findBySiteKey(key)])
  expect(found.map((site) => site?.projectId)).toEqual([projectId, projectId, projectId])
  expect(queries).toBe(2)
})
