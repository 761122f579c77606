import { afterAll, describe, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { scopes } from '../../keys/scopes.ts'
import { newId } from '../../platform/ids.ts'

const api = await startTestApi(inject('services'), 'api keys')
afterAll(() => api.drop())

const { projectId, client, key: adminKey, secret: adminSecret } = await api.createProject()

describe('a new key', () => {
  test('works at once and has the requested properties', async () => {
    const expiresAt = '2099-12-31T00:00:00.000Z'
    const { key, secret } = await client.keys.create(projectId, {
      name: 'CI',
      scopes: ['agent:read', 'agent:write'],
      expiresAt: '2099-12-31T01:00:00+01:00',
      allowedNetworks: ['127.1.2.3/8', '2001:db8::1'],
    })
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'CI',
      prefix: `${secret.slice(0, 13)}…`,
      scopes: ['agent:read', 'agent:write'],
      allowedNetworks: ['127.0.0.0/8', '2001:db8::1/128'],
      createdByKeyId: adminKey.id,
      createdBy: adminKey.id,
      takenOverBy: null,
      exceedsScopes: false,
      createdAt: expect.stringMatching(/Z$/),
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    })
    const me = await api.clientWith(secret).me()
    expect(me).toEqual({ projectId, keyId: key.id, name: 'CI', scopes: key.scopes, expiresAt })
  })

  test('is created with 201, and by default never expires and works from everywhere', async () => {
    const response = await fetch(`${api.url}/v2/projects/${projectId}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'plain', scopes: ['agent:read'] }),
    })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ key: { expiresAt: null, allowedNetworks: [] } })
  })

  test.each([
    ['body/name', { name: '' }],
    ['body/name', { name: 'x'.repeat(101) }],
    ['body/scopes', { scopes: [] }],
    ['body/scopes', { scopes: ['agent:read', 'agent:read'] }],
    ['body/scopes/0', { scopes: ['everything'] }],
    ['body/expiresAt', { expiresAt: 'tomorrow' }],
    ['body/expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['body/expiresAt', { expiresAt: '9999-12-31T23:59:59-23:59' }],
    ['body/allowedNetworks/1', { allowedNetworks: ['10.0.0.0/8', 'example.com'] }],
    ['body/allowedNetworks', { allowedNetworks: Array(51).fill('10.0.0.0/8') }],
    ['body/admin', { admin: true }],
  ])('is rejected if %s is invalid: %o', async (path, invalid) => {
    const body = { name: 'invalid', scopes: ['agent:read'], ...invalid } as Parameters<typeof client.keys.create>[1]
    await expect(client.keys.create(projectId, body)).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
      requestId: expect.stringMatching(/^req_/),
      errors: expect.arrayContaining([{ path, message: expect.any(String) }]),
    })
  })

  test('is rejected if it could do more than the key that creates it', async () => {
    const creator = await client.keys.create(projectId, {
      name: 'narrow',
      scopes: [...scopes],
      expiresAt: '2098-01-01T00:00:00Z',
      allowedNetworks: ['127.0.0.0/8'],
    })
    await api.pool.query("UPDATE api_key SET scopes = '{project:write,agent:read}' WHERE id = $1", [creator.key.id])
    const wider = { name: 'wide', scopes: ['project:read' as const], expiresAt: '2099-01-01T00:00:00Z' }
    await expect(api.clientWith(creator.secret).keys.create(projectId, wider)).rejects.toMatchObject({
      code: 'insufficient_scope',
      errors: [
        { path: 'body/scopes', message: expect.any(String) },
        { path: 'body/expiresAt', message: expect.any(String) },
        { path: 'body/allowedNetworks', message: expect.any(String) },
      ],
    })
  })
})

test('a key with `project:write` needs all other scopes; one from before that has only some is marked', async () => {
  const partial = { name: 'partial', scopes: ['project:write' as const, 'project:read' as const] }
  await expect(client.keys.create(projectId, partial)).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'body/scopes', message: expect.stringContaining('agent:read, agent:write') }],
  })
  const earlier = await api.createKey(projectId)
  await api.pool.query("UPDATE api_key SET scopes = '{project:write,project:read}' WHERE id = $1", [earlier.key.id])
  const { keys } = await earlier.client.keys.list(projectId, { limit: 1 })
  expect(keys, 'it still works').toMatchObject([{ id: earlier.key.id, exceedsScopes: true }])
})

test('lists all keys, newest first, without secrets', async () => {
  const { projectId, client, key, secret } = await api.createProject()
  const first = await client.keys.create(projectId, { name: 'first', scopes: ['agent:read'] })
  const second = await client.keys.create(projectId, { name: 'second', scopes: ['agent:read'] })
  await client.keys.revoke(projectId, first.key.id)
  const listed = await client.keys.list(projectId)
  expect(listed.keys.map(({ id, revokedAt }) => [id, revokedAt !== null])).toEqual([
    [second.key.id, false],
    [first.key.id, true],
    [key.id, false],
  ])
  for (const hidden of [secret, first.secret, second.secret]) expect(JSON.stringify(listed)).not.toContain(hidden)
})

describe('a revocation', () => {
  test('takes effect at once, for the key and for the keys that it created', async () => {
    const parent = await client.keys.create(projectId, { name: 'parent', scopes: [...scopes] })
    const child = await api.clientWith(parent.secret).keys.create(projectId, { name: 'child', scopes: [...scopes] })
    const grandchild = await api
      .clientWith(child.secret)
      .keys.create(projectId, { name: 'grandchild', scopes: ['agent:read'] })
    const revoked = await client.keys.revoke(projectId, parent.key.id)
    expect(revoked).toMatchObject({ id: parent.key.id, revokedAt: expect.stringMatching(/Z$/) })
    for (const { secret } of [parent, child, grandchild]) {
      await expect(api.clientWith(secret).me()).rejects.toMatchObject({ code: 'unauthenticated' })
    }
    await expect(client.me()).resolves.toMatchObject({ keyId: adminKey.id })
    expect(await client.keys.revoke(projectId, parent.key.id), 'revoking again has no effect').toEqual(revoked)
  })

  test.each([newId('key'), 'key_1', 'nonsense'])('of %s, which does not exist, is a 404', async (keyId) => {
    await expect(client.keys.revoke(projectId, keyId)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a key of another project is a 404 and does nothing', async () => {
    const others = await api.createProject()
    await expect(client.keys.revoke(projectId, others.key.id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(others.client.me()).resolves.toMatchObject({ keyId: others.key.id })
  })
})

test('the audit log records who created and revoked a key, and the request', async () => {
  const { key } = await client.keys.create(projectId, { name: 'audited', scopes: ['agent:read'] })
  await client.keys.revoke(projectId, key.id)
  const { entries } = await client.audit.list(projectId, { limit: 2 })
  const common = { actor: adminKey.id, subject: key.id, requestId: expect.stringMatching(/^req_/) }
  expect(entries).toMatchObject([
    { ...common, action: 'key.revoked', detail: {} },
    { ...common, action: 'key.created', detail: { name: 'audited', scopes: ['agent:read'] } },
  ])
})

test('rejects callers without access', async () => {
  const victim = await api.createKey(projectId)
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:read')) {
    await expect(client.keys.list(projectId), caller).rejects.toMatchObject({ code })
  }
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:write')) {
    const request = { name: 'mine', scopes: ['agent:read' as const] }
    await expect(client.keys.create(projectId, request), caller).rejects.toMatchObject({ code })
    await expect(client.keys.revoke(projectId, victim.key.id), caller).rejects.toMatchObject({ code })
  }
  await expect(victim.client.me()).resolves.toMatchObject({ keyId: victim.key.id })
})
