import { afterAll, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'
import { startJobs, workerSettings } from '../../../../dev-services/running-jobs.ts'
import type { Model } from '../../models/model.ts'
import { createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPublicKeys } from '../../platform/sealed-secrets/sealing-keys.ts'

const { gitea, modelUrl } = inject('services')
const { publicEntry, privateEntry } = generateSealingKeyPair()
const api = await startRunningApi(inject('services'), 'api model tests', { COLOPHON_SEALING_PUBLIC_KEYS: publicEntry })
const jobs = await startJobs(api, {
  ...workerSettings({ gitea }),
  COLOPHON_SEALING_PRIVATE_KEYS: privateEntry,
  COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(modelUrl).host,
})
afterAll(async () => {
  await jobs.stop()
  await api.drop()
})

const { projectId, client } = await api.makeProject()
const { projectId: others } = await api.makeProject()
const model: Model = {
  name: 'vendor/works',
  format: 'anthropic-messages',
  baseUrl: `${modelUrl}/v1`,
  providerModel: 'answer',
  contextWindowTokens: 200_000,
  maxOutputTokens: 64_000,
  projectIds: null,
  isDefault: false,
  prices: { input: null, output: null, cacheRead: null, cacheWrite: null },
}

test('a stored model is tested by who can open its key', async () => {
  const keys = parseSealingPublicKeys(publicEntry)
  if (!keys.ok) throw new Error('no sealing keys')
  const sealer = createSealer(keys.keys)
  await api.stores.models.add(model, 'sk-secret', sealer)
  await api.stores.models.add({ ...model, name: 'theirs', projectIds: [others] }, 'sk-secret', sealer)
  const tested = await client.jobs.testModel(projectId, { model: 'vendor/works' })
  expect(tested).toEqual({ ok: true, message: expect.any(String), latencyMs: expect.any(Number) })
  expect(await client.jobs.testModel(projectId, { model: 'default' }), 'leads nowhere').toMatchObject({ ok: false })
  expect(await client.jobs.testModel(projectId, { model: 'theirs' })).toMatchObject({
    ok: false,
    message: 'The project may use no model theirs.',
  })
}, 60_000)

test('a project tests ten times in a minute at most', async () => {
  const { projectId: eager, client: theirs } = await api.makeProject()
  const tests = Array.from({ length: 12 }, () => theirs.jobs.testModel(eager, { model: 'none' }))
  const codes = (await Promise.allSettled(tests)).map((one) => (one.status === 'rejected' ? one.reason.code : 'tested'))
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(2)
}, 60_000)

test('strangers are kept out', async () => {
  for (const { who, client, code } of await api.strangersTo(projectId, 'agent:write'))
    await expect(client.jobs.testModel(projectId, { model: 'default' }), who).rejects.toMatchObject({ code })
})

test('without a worker nobody waits', async () => {
  const alone = await startRunningApi(inject('services'), 'api model tests alone')
  try {
    const { projectId, client } = await alone.makeProject()
    expect(await client.jobs.testModel(projectId, { model: 'default' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('`worker`'),
    })
  } finally {
    await alone.drop()
  }
})
