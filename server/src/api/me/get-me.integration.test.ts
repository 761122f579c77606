import { afterAll, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'
import { generateKey } from '../../keys/key-format.ts'
import { scopes } from '../../keys/scopes.ts'

const api = await startRunningApi(inject('services'), 'api me')
afterAll(() => api.drop())

const { projectId, client, key } = await api.makeProject()

test('an admin key has every scope and no end', async () => {
  expect(await client.me()).toEqual({ projectId, keyId: key.id, name: 'a key', scopes, expiresAt: null })
})

test('a key needs no scope to be told what it is good for', async () => {
  const narrow = await api.makeKey(projectId, { scopes: ['analytics:write'] })
  expect(await narrow.client.me()).toMatchObject({ keyId: narrow.key.id, scopes: ['analytics:write'] })
})

test('its use is noted', async () => {
  const { key, client } = await api.makeKey(projectId)
  const lastUse = async () => (await client.keys.list(projectId)).keys.find(({ id }) => id === key.id)?.lastUsedAt
  await client.me()
  const used = await lastUse()
  expect(Date.now() - Date.parse(used ?? '')).toBeLessThan(60_000)
  expect(await lastUse(), 'to the minute, not to the request').toBe(used)
})

test.each([
  ['no key', undefined],
  ['no key of ours', 'garbage'],
  ['a key that was never made', generateKey('colophon_')],
  ['a runner token', generateKey('colophon_runner_')],
])('%s is kept out', async (_what, secret) => {
  await expect(api.clientWith(secret).me()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
})

test('a key that ended, was revoked or belongs elsewhere is kept out', async () => {
  const ended = await api.makeKey(projectId)
  await api.pool.query("UPDATE api_key SET expires_at = now() - interval '1 ms' WHERE id = $1", [ended.key.id])
  await expect(ended.client.me()).rejects.toMatchObject({ detail: 'This API key has expired.' })

  const revoked = await api.makeKey(projectId)
  await client.keys.revoke(projectId, revoked.key.id)
  await expect(revoked.client.me()).rejects.toMatchObject({ detail: 'This API key was revoked.' })

  const elsewhere = await api.makeKey(projectId, { allowedNetworks: ['203.0.113.0/24'] })
  await expect(elsewhere.client.me()).rejects.toMatchObject({ code: 'ip_not_allowed', status: 403 })
})

test('a refusal says how to authenticate', async () => {
  const response = await fetch(`${api.url}/v2/me`)
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
})
