import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import type { Model } from '../../models/model.ts'
import { createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPublicKeys } from '../../platform/sealed-secrets/sealing-keys.ts'

const api = await startTestApi(inject('services'), 'api models')
afterAll(() => api.drop())

const { projectId, client } = await api.createProject()
const { projectId: others } = await api.createProject()

const model: Model = {
  name: 'large',
  format: 'openai-responses',
  baseUrl: 'https://api.example.com/v1',
  providerModel: 'secret-name',
  contextWindowTokens: 200_000,
  maxOutputTokens: 64_000,
  projectIds: null,
  isDefault: true,
  prices: { input: '0.25', output: '2', cacheRead: null, cacheWrite: null },
}

test('lists the models that a project may use, without their provider', async () => {
  const keys = parseSealingPublicKeys(generateSealingKeyPair().publicEntry)
  if (!keys.ok) throw new Error('no sealing keys')
  const { models } = api.stores
  await models.add(model, 'sk-secret', createSealer(keys.keys), { kind: 'operator' })
  await models.add(
    { ...model, name: 'theirs', isDefault: false, projectIds: [others] },
    null,
    createSealer(keys.keys),
    { kind: 'operator' },
  )
  const response = await client.jobs.models(projectId)
  expect(response).toEqual({
    models: [
      {
        name: 'large',
        isDefault: true,
        contextWindowTokens: 200_000,
        maxOutputTokens: 64_000,
        prices: { input: 0.25, output: 2, cacheRead: null, cacheWrite: null },
      },
    ],
  })
})

test('rejects callers without access', async () => {
  for (const { client: stranger, code } of await api.deniedCallers(projectId, 'agent:read'))
    await expect(stranger.jobs.models(projectId)).rejects.toMatchObject({ code })
})
