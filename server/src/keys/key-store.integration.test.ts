import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../dev-services/test-instance.ts'
import { type Actor, type RecordAudit, recordAudit } from '../audit/audit-store.ts'
import { createRevokeInvitations } from '../people/revoke-invitations.ts'
import { newId } from '../platform/ids.ts'
import { createDatabase } from '../platform/postgres.ts'
import { generateKey } from './key-format.ts'
import { type Key, KeyStore, type NewKey } from './key-store.ts'
import { scopes } from './scopes.ts'
import type { KeyTables } from './tables.ts'

const instance = await createTestInstance(inject('services'), 'key store')
afterAll(() => instance.drop())

const { keys, projects } = instance.stores
const operator: Actor = { kind: 'operator' }
const as = ({ id }: Key): Actor => ({ kind: 'key', keyId: id, requestId: newId('req') })
const wanted: NewKey = { name: 'a key', scopes, allowedNetworks: [], expiresAt: null }
const { id: projectId } = await projects.create('Keys', operator)

const make = async (actor: Actor = operator) => (await keys.create(projectId, wanted, actor)).key
const isRevoked = async ({ id }: Key) =>
  (await keys.list(projectId, { limit: 250, before: undefined })).find((listed) => listed.id === id)?.revokedAt !== null

test('a key is found by its secret, and the secret is nowhere', async () => {
  const { key, secret } = await keys.create(projectId, wanted, operator)
  expect(await keys.findBySecret(secret)).toEqual(key)
  expect(await keys.findBySecret(generateKey('colophon_'))).toBeUndefined()
  const { rows } = await instance.pool.query('SELECT k::text AS key, a::text AS audit FROM api_key k, audit_entry a')
  const random = secret.slice('colophon_'.length)
  expect(JSON.stringify(rows)).not.toContain(random)
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(random).toString('hex'))
})

test('a key that nobody made for the project makes none', async () => {
  const { id: others } = await projects.create('Others', operator)
  await expect(keys.create(others, wanted, as(await make()))).rejects.toMatchObject({ code: 'unauthenticated' })
})

describe('revoking', () => {
  test('takes the whole family, and nobody else', async () => {
    const parent = await make()
    const stranger = await make()
    const child = await make(as(parent))
    const grandchild = await make(as(child))
    await keys.revoke(projectId, parent.id, operator)
    expect(await Promise.all([parent, child, grandchild, stranger].map(isRevoked))).toEqual([true, true, true, false])
  })

  test('a child leaves its parent alone', async () => {
    const parent = await make()
    const child = await make(as(parent))
    await keys.revoke(projectId, child.id, as(child))
    expect(await Promise.all([parent, child].map(isRevoked))).toEqual([false, true])
  })

  test('again, or through a parent, keeps the first date and is audited once', async () => {
    const parent = await make()
    const child = await make(as(parent))
    const first = await keys.revoke(projectId, child.id, operator)
    await keys.revoke(projectId, parent.id, operator)
    expect(await keys.revoke(projectId, child.id, operator)).toEqual(first)
    const { rows } = await instance.pool.query(
      "SELECT subject, detail FROM audit_entry WHERE action = 'key.revoked' AND subject = ANY($1)",
      [[parent.id, child.id]],
    )
    expect(rows).toHaveLength(2)
  })

  test('leaves a key that makes nothing more', async () => {
    const parent = await make()
    await keys.revoke(projectId, parent.id, operator)
    await expect(make(as(parent))).rejects.toMatchObject({
      code: 'unauthenticated',
      headers: { 'www-authenticate': 'Bearer' },
    })
  })
})

describe('a key that is being made while its maker is revoked is revoked too', () => {
  /** Its audit entry, the last thing before the commit, waits to be let through. */
  function storeThatWaits() {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: gate, resolve: letThrough } = Promise.withResolvers<void>()
    const recordAndWait: RecordAudit = async (...act) => {
      await recordAudit(...act)
      reach()
      await gate
    }
    const store = new KeyStore(
      createDatabase<KeyTables>(instance.pool),
      recordAndWait,
      createRevokeInvitations(recordAudit),
    )
    return { store, reached, letThrough }
  }

  async function untilSomebodyWaitsForALock() {
    for (;;) {
      const { rowCount } = await instance.pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      if (rowCount) return
      await sleep(10)
    }
  }

  test.each([0, 1, 2])('%i generations below the one that is revoked', async (generations) => {
    const revoked = await make()
    let maker = revoked
    for (let generation = 0; generation < generations; generation++) maker = await make(as(maker))

    const { store, reached, letThrough } = storeThatWaits()
    const making = store.create(projectId, wanted, as(maker))
    await reached
    const revoking = keys.revoke(projectId, revoked.id, operator)
    await untilSomebodyWaitsForALock()
    letThrough()
    const [{ key }] = await Promise.all([making, revoking])
    expect(await isRevoked(key)).toBe(true)
  })

  test('or is never made, however the two fall', async () => {
    const root = await make()
    const parents = await Promise.all(Array.from({ length: 4 }, () => make(as(root))))
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 20 }, (_, index) => make(as(parents[index % 4] ?? root))),
      ...[root, ...parents].map(({ id }) => keys.revoke(projectId, id, operator)),
      ...Array.from({ length: 20 }, (_, index) => make(as(parents[index % 4] ?? root))),
    ])
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'unauthenticated' })
    }
    const { rows } = await instance.pool.query(
      'SELECT child.id FROM api_key child JOIN api_key maker ON maker.id = child.created_by_key_id WHERE child.revoked_at IS NULL AND maker.revoked_at IS NOT NULL',
    )
    expect(rows).toEqual([])
  })
})

test('use is noted once a minute', async () => {
  const key = await make()
  const lastUse = async () =>
    (await keys.list(projectId, { limit: 250, before: undefined })).find(({ id }) => id === key.id)?.lastUsedAt
  await Promise.all(Array.from({ length: 5 }, () => keys.noteUse(key)))
  const first = await lastUse()
  expect(first).toBeInstanceOf(Date)
  await keys.noteUse(key) // by a replica that has seen the key as it was before
  expect(await lastUse()).toEqual(first)
  await instance.pool.query("UPDATE api_key SET last_used_at = now() - interval '61 s' WHERE id = $1", [key.id])
  await keys.noteUse({ ...key, lastUsedAt: new Date(Date.now() - 61_000) })
  expect(Number(await lastUse())).toBeGreaterThanOrEqual(Number(first))
})
