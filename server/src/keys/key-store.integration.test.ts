import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
import { scopesByRole } from '../api/caller.ts'
import type { Actor } from '../audit/audit-store.ts'
import { Offboarding } from '../offboarding/offboarding.ts'
import { newId } from '../platform/ids.ts'
import { generateKey } from './key-format.ts'
import { type ApiKeyInput, type ApiKeyRecord, KeyStore } from './key-store.ts'
import { scopes } from './scopes.ts'

const instance = await createTestInstance(inject('services'), 'key store', 'api')
afterAll(() => instance.drop())

const { keys, projects } = instance.stores
const operator: Actor = { kind: 'operator' }
const asActor = ({ id }: ApiKeyRecord): Actor => ({
  kind: 'key',
  keyId: id,
  requestId: newId('req'),
  ipAddress: '127.0.0.1',
})
const input: ApiKeyInput = { name: 'a key', scopes, allowedNetworks: [], expiresAt: null }
const { id: projectId } = await projects.create('Keys', operator)

const createKey = async (actor: Actor = operator) => (await keys.create(projectId, input, actor)).key
const isRevoked = async ({ id }: ApiKeyRecord) =>
  (await keys.list(projectId, { limit: 250, before: undefined })).find((listed) => listed.id === id)?.revokedAt !== null

test('finds a key by its secret, and stores the secret nowhere', async () => {
  const { key, secret } = await keys.create(projectId, input, operator)
  expect(await keys.findBySecret(secret)).toEqual(key)
  expect(await keys.findBySecret(generateKey('colophon_'))).toBeUndefined()
  const { rows } = await instance.pool.query('SELECT k::text AS key, a::text AS audit FROM api_key k, audit_entry a')
  const random = secret.slice('colophon_'.length)
  expect(JSON.stringify(rows)).not.toContain(random)
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(random).toString('hex'))
})

test('a key is active until it is revoked or has expired', async () => {
  const revoked = await createKey()
  expect(await keys.isActive(revoked)).toBe(true)
  await keys.revoke(projectId, revoked.id, operator)
  expect(await keys.isActive(revoked)).toBe(false)

  const expired = await createKey()
  await instance.pool.query("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [expired.id])
  expect(await keys.isActive(expired)).toBe(false)
})

test('does not let a key create keys in another project', async () => {
  const { id: otherProjectId } = await projects.create('Others', operator)
  await expect(keys.create(otherProjectId, input, asActor(await createKey()))).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})

describe('revoking', () => {
  test('includes all descendants, and no other key', async () => {
    const parent = await createKey()
    const unrelated = await createKey()
    const child = await createKey(asActor(parent))
    const grandchild = await createKey(asActor(child))
    await keys.revoke(projectId, parent.id, operator)
    expect(await Promise.all([parent, child, grandchild, unrelated].map(isRevoked))).toEqual([true, true, true, false])
  })

  test('a child does not revoke its parent', async () => {
    const parent = await createKey()
    const child = await createKey(asActor(parent))
    await keys.revoke(projectId, child.id, asActor(child))
    expect(await Promise.all([parent, child].map(isRevoked))).toEqual([false, true])
  })

  test('a second time, or through a parent, keeps the first date and is audited once', async () => {
    const parent = await createKey()
    const child = await createKey(asActor(parent))
    const first = await keys.revoke(projectId, child.id, operator)
    await keys.revoke(projectId, parent.id, operator)
    expect(await keys.revoke(projectId, child.id, operator)).toEqual(first)
    const { rows } = await instance.pool.query(
      "SELECT subject, detail FROM audit_entry WHERE action = 'key.revoked' AND subject = ANY($1)",
      [[parent.id, child.id]],
    )
    expect(rows).toHaveLength(2)
  })

  test('prevents the key from creating keys', async () => {
    const parent = await createKey()
    await keys.revoke(projectId, parent.id, operator)
    await expect(createKey(asActor(parent))).rejects.toMatchObject({
      code: 'unauthenticated',
      headers: { 'www-authenticate': 'Bearer' },
    })
  })
})

describe('a key that is created while its creator is revoked is revoked too', () => {
  /** A store that pauses after the audit entry, which is the last statement before the commit. */
  function createPausingStore() {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: resumed, resolve: resume } = Promise.withResolvers<void>()
    const audits = new WeakSet<object>()
    const database = instance.database.withPlugin({
      transformQuery({ node, queryId }) {
        if (node.kind === 'InsertQueryNode' && node.into?.table.identifier.name === 'audit_entry') audits.add(queryId)
        return node
      },
      async transformResult({ result, queryId }) {
        if (audits.has(queryId)) {
          reach()
          await resumed
        }
        return result
      },
    })
    return { store: new KeyStore(database, new Offboarding(scopesByRole)), reached, resume }
  }

  async function untilAQueryWaitsForALock() {
    for (;;) {
      const { rowCount } = await instance.pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      if (rowCount) return
      await sleep(10)
    }
  }

  test.each([0, 1, 2])('%i generations below the revoked key', async (generations) => {
    const revoked = await createKey()
    let creator = revoked
    for (let generation = 0; generation < generations; generation++) creator = await createKey(asActor(creator))

    const { store, reached, resume } = createPausingStore()
    const creating = store.create(projectId, input, asActor(creator))
    await reached
    const revoking = keys.revoke(projectId, revoked.id, operator)
    await untilAQueryWaitsForALock()
    resume()
    const [{ key }] = await Promise.all([creating, revoking])
    expect(await isRevoked(key)).toBe(true)
  })

  test('or is never created, in any order of the two', async () => {
    const root = await createKey()
    const parents = await Promise.all(Array.from({ length: 4 }, () => createKey(asActor(root))))
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 20 }, (_, index) => createKey(asActor(parents[index % 4] ?? root))),
      ...[root, ...parents].map(({ id }) => keys.revoke(projectId, id, operator)),
      ...Array.from({ length: 20 }, (_, index) => createKey(asActor(parents[index % 4] ?? root))),
    ])
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'unauthenticated' })
    }
    const { rows } = await instance.pool.query(
      'SELECT child.id FROM api_key child JOIN api_key creator ON creator.id = child.created_by_key_id WHERE child.revoked_at IS NULL AND creator.revoked_at IS NOT NULL',
    )
    expect(rows).toEqual([])
  })
})

test('records the last use at most once a minute', async () => {
  const key = await createKey()
  const lastUse = async () =>
    (await keys.list(projectId, { limit: 250, before: undefined })).find(({ id }) => id === key.id)?.lastUsedAt
  await Promise.all(Array.from({ length: 5 }, () => keys.recordUse(key)))
  const first = await lastUse()
  expect(first).toBeInstanceOf(Date)
  await keys.recordUse(key) // by a replica that has read the key before
  expect(await lastUse()).toEqual(first)
  await instance.pool.query("UPDATE api_key SET last_used_at = now() - interval '61 s' WHERE id = $1", [key.id])
  await keys.recordUse({ ...key, lastUsedAt: new Date(Date.now() - 61_000) })
  expect(Number(await lastUse())).toBeGreaterThanOrEqual(Number(first))
})

test('a project has at most 500 active keys', async () => {
  const project = await projects.create('Many keys', operator)
  const { key } = await keys.create(project.id, input, operator)
  await instance.pool.query(
    `INSERT INTO api_key (project_id, id, name, secret_hash, prefix, scopes)
     SELECT project_id, 'key_' || number, name, sha256(number::text::bytea), prefix, scopes
     FROM api_key, generate_series(1, 499) AS number WHERE id = $1`,
    [key.id],
  )
  await expect(keys.create(project.id, input, operator)).rejects.toThrow('500 API keys, which is the maximum')
  await keys.revoke(project.id, key.id, operator)
  await keys.create(project.id, input, operator)
})
