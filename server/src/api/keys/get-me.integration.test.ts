import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { generateKey } from '../../keys/key-format.ts'
import { scopes } from '../../keys/scopes.ts'

const api = await startTestApi(inject('services'), 'api me')
afterAll(() => api.drop())

const { projectId, client, key } = await api.createProject()

test('an admin key has every scope and never expires', async () => {
  expect(await client.me()).toEqual({ projectId, keyId: key.id, name: 'a key', scopes, expiresAt: null })
})

test('a key needs no scope to read itself', async () => {
  const narrow = await api.createKey(projectId, { scopes: ['analytics:write'] })
  expect(await narrow.client.me()).toMatchObject({ keyId: narrow.key.id, scopes: ['analytics:write'] })
})

test('records when the key was last used', async () => {
  const { key, client } = await api.createKey(projectId)
  const lastUse = async () => (await client.keys.list(projectId)).keys.find(({ id }) => id === key.id)?.lastUsedAt
  await client.me()
  const used = await lastUse()
  expect(Date.now() - Date.parse(used ?? '')).toBeLessThan(60_000)
  expect(await lastUse(), 'once per minute').toBe(used)
})

test.each([
  ['no key', undefined],
  ['a malformed key', 'garbage'],
  ['a key that does not exist', generateKey('colophon_')],
  ['a runner token', generateKey('colophon_runner_')],
])('rejects %s', async (_what, secret) => {
  await expect(api.clientWith(secret).me()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
})

test('rejects a key that has expired, was revoked or is used from another network', async () => {
  const expired = await api.createKey(projectId)
  await api.pool.query("UPDATE api_key SET expires_at = now() - interval '1 ms' WHERE id = $1", [expired.key.id])
  await expect(expired.client.me()).rejects.toMatchObject({ detail: 'This API key has expired.' })

  const revoked = await api.createKey(projectId)
  await client.keys.revoke(projectId, revoked.key.id)
  await expect(revoked.client.me()).rejects.toMatchObject({ detail: 'This API key was revoked.' })

  const otherNetwork = await api.createKey(projectId, { allowedNetworks: ['203.0.113.0/24'] })
  await expect(otherNetwork.client.me()).rejects.toMatchObject({ code: 'ip_not_allowed', status: 403 })
})

test('a 401 response names the authentication scheme', async () => {
  const response = await fetch(`${api.url}/v2/me`)
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
})
