import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../../dev-services/test-instance.ts'
import { recordAudit } from '../../audit/audit-store.ts'
import { createDatabase } from '../../platform/postgres.ts'
import type { AnalyticsTables } from '../tables.ts'
import { KnownSites } from './known-sites.ts'
import { SettingsStore } from './settings-store.ts'

const instance = await createTestInstance(inject('services'), 'analytics settings')
afterAll(() => instance.drop())
const settings = new SettingsStore(createDatabase<AnalyticsTables>(instance.pool), recordAudit)
const operator = { kind: 'operator' } as const
const newProject = async () => (await instance.stores.projects.create('Docs', operator)).id

test('a project that said nothing has what the table has for one that said little', async () => {
  const silent = await newProject()
  const brief = await newProject()
  await settings.change(brief, {}, operator)
  expect((await settings.read(brief)).settings).toEqual((await settings.read(silent)).settings)
  expect((await settings.read(brief)).shard).toBe((await settings.read(silent)).shard)
})

test('what is changed stays, and the rest as it was', async () => {
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

test('a site key leads to its project until it is revoked; a made-up one never', async () => {
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

test('a site that was looked up is known for some seconds, and a failed look-up is not', async () => {
  const projectId = await newProject()
  const { key } = await settings.createSiteKey(projectId, operator)
  let lookUps = 0
  let broken = true
  const sites = new KnownSites({
    read: (id) => settings.read(id),
    findBySiteKey: async (siteKey) => {
      lookUps++
      if (broken) throw new Error('away')
      return settings.findBySiteKey(siteKey)
    },
  })
  await expect(sites.find(key)).rejects.toThrow('away')
  broken = false
  const found = await Promise.all([sites.find(key), sites.find(key), sites.find(key)])
  expect(found.map((site) => site?.projectId)).toEqual([projectId, projectId, projectId])
  expect(lookUps).toBe(2)
})
