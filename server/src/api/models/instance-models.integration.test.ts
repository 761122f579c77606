import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const silentServer = createServer(() => {}).listen(0, '127.0.0.1')
await once(silentServer, 'listening')
const { port: silentPort } = silentServer.address() as AddressInfo
const { modelUrl } = inject('services')
const api = await startTestApi(inject('services'), 'api instance models', {
  COLOPHON_EGRESS_ALLOWED_MODEL_HOSTS: `${new URL(modelUrl).host},127.0.0.1:${silentPort}`,
})
afterAll(async () => {
  silentServer.close()
  await api.drop()
})

const { client } = await api.signInOperator()
const model = {
  name: 'vendor/model',
  format: 'openai-completions' as const,
  baseUrl: `${modelUrl}/v1/`,
  providerModel: 'answer',
  contextWindowTokens: 200_000,
  maxOutputTokens: 64_000,
  projectIds: null,
  isDefault: false,
  prices: { input: 0.25, output: 2, cacheRead: null, cacheWrite: 0 },
}

test('tests, adds and removes a model, and makes it the default', async () => {
  expect(await client.models.test({ ...model, key: 'sk-secret' })).toMatchObject({ ok: true })
  expect(await client.models.list()).toEqual({ models: [] })
  const added = await client.models.add({ ...model, key: 'sk-secret' })
  expect(added).toEqual({ ...model, baseUrl: `${modelUrl}/v1`, hasKey: true })
  expect(await client.models.setDefault(model.name)).toEqual({ models: [{ ...added, isDefault: true }] })
  await expect(client.models.add({ ...model, key: null })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await client.models.remove(model.name)).toEqual({ models: [] })
  await expect(client.models.remove(model.name)).rejects.toMatchObject({ code: 'not_found' })
  await expect(client.models.setDefault(model.name)).rejects.toMatchObject({ code: 'not_found' })
})

test('does not save a model that does not respond', async () => {
  const wrong = { ...model, baseUrl: 'http://model.invalid/v1', key: null }
  expect(await client.models.test(wrong)).toMatchObject({ ok: false, message: expect.any(String) })
  await expect(client.models.add(wrong)).rejects.toMatchObject({ code: 'invalid_request' })
  for (const baseUrl of ['nonsense', 'file:///etc', 'https://user:key@example.com/v1'])
    await expect(client.models.test({ ...wrong, baseUrl })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await client.models.list()).toEqual({ models: [] })
})

test('gives up on a silent provider before the client times out', { timeout: 40_000 }, async () => {
  const silent = { ...model, baseUrl: `http://127.0.0.1:${silentPort}/v1`, key: null }
  const { ok, message } = await client.models.test(silent)
  expect({ ok, message }).toEqual({ ok: false, message: 'The provider did not respond within 20 s.' })
})

test('rejects everyone but the operator', async () => {
  const { projectId, client: key } = await api.createProject()
  const owner = await api.signIn({ projectId, role: 'owner' })
  for (const stranger of [api.clientWith(), key, owner.client]) {
    await expect(stranger.models.list()).rejects.toMatchObject({ status: expect.toBeOneOf([401, 403]) })
    await expect(stranger.models.test({ ...model, key: null })).rejects.toMatchObject({
      status: expect.toBeOneOf([401, 403]),
    })
    await expect(stranger.models.add({ ...model, key: null })).rejects.toMatchObject({
      status: expect.toBeOneOf([401, 403]),
    })
    await expect(stranger.models.remove('m')).rejects.toMatchObject({ status: expect.toBeOneOf([401, 403]) })
    await expect(stranger.models.setDefault('m')).rejects.toMatchObject({ status: expect.toBeOneOf([401, 403]) })
  }
})
