import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { allowOlderVersion, finishUpgrade } from '../../../testing/harness/older-version.ts'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
import type { Id } from '../platform/ids.ts'
import { createOpener, createSealer, type Opener, toSealedSecret } from '../platform/sealed-secrets/sealed-secret.ts'
import {
  generateSealingKeyPair,
  parseSealingPrivateKeys,
  type SealingPrivateKeys,
} from '../platform/sealed-secrets/sealing-keys.ts'

const instance = await createTestInstance(inject('services'), 'credential store')
afterAll(() => instance.drop())

const operator = { kind: 'operator' } as const
const [older, newer] = [generateSealingKeyPair(), generateSealingKeyPair()].map(({ privateEntry }) => privateEntry)

function sealingKeys(...entries: (string | undefined)[]): SealingPrivateKeys {
  const parsed = parseSealingPrivateKeys(entries.join())
  if (!parsed.ok) throw new Error(parsed.errors.join())
  return parsed.keys
}

const keys = { before: sealingKeys(older), during: sealingKeys(newer, older), after: sealingKeys(newer) }
const openers = {
  before: createOpener(keys.before),
  during: createOpener(keys.during),
  after: createOpener(keys.after),
}
const sealers = {
  before: createSealer(keys.before),
  during: createSealer(keys.during),
  after: createSealer(keys.after),
}
const store = instance.stores.credentials
const baseUrl = 'https://git.example.com'

let projectId: Id<'prj'>
beforeEach(async () => {
  await instance.pool.query('DELETE FROM credential') // resealing affects all rows
  projectId = (await instance.stores.projects.create('Credentials', operator)).id
})

const put = (secret = 'hunter2', sealer = sealers.before) =>
  store.put(projectId, { kind: 'code-host-token', secret, baseUrl }, sealer, operator)

const open = (id: Id<'crd'>, opener = openers.before, { project = projectId, url = baseUrl } = {}) =>
  store.open(project, { id, baseUrl: url }, { opener, sealer: sealers.before })

test('opens a secret that was stored, and stores it sealed', async () => {
  const secret = 'ghp_ünïcode 🔑'
  const id = await put(secret)
  expect(await open(id)).toBe(secret)
  const { rows } = await instance.pool.query<{ sealed: Buffer }>('SELECT sealed FROM credential')
  expect(rows).toHaveLength(1)
  expect(rows[0]?.sealed.includes(Buffer.from('ghp_'))).toBe(false)
})

test('audits storing without the secret', async () => {
  const id = await put('hunter2')
  const [entry] = await instance.stores.audit.list(projectId, { limit: 1, before: undefined })
  expect(entry).toMatchObject({ action: 'credential.stored', subject: id, detail: { kind: 'code-host-token' } })
  expect(JSON.stringify(entry)).not.toContain('hunter2')
})

describe('a secret does not open', () => {
  test('through another project', async () => {
    const id = await put()
    const { id: others } = await instance.stores.projects.create('Others', operator)
    expect(await open(id, openers.before, { project: others })).toBeUndefined()
  })

  test('after its row was moved to another project', async () => {
    const id = await put()
    const { id: others } = await instance.stores.projects.create('Others', operator)
    await instance.pool.query('UPDATE credential SET project_id = $1', [others])
    await expect(open(id, openers.before, { project: others })).rejects.toMatchObject({ code: 'not_authentic' })
  })

  test('after it was copied over another secret of the same project', async () => {
    const mine = await put('mine')
    const copied = await put('copied')
    await instance.pool.query(
      'UPDATE credential SET sealed = (SELECT sealed FROM credential WHERE id = $1) WHERE id = $2',
      [copied, mine],
    )
    await expect(open(mine)).rejects.toMatchObject({ code: 'not_authentic' })
  })

  test('as another kind', async () => {
    const id = await put()
    await instance.pool.query("UPDATE credential SET kind = 'something-public'")
    await expect(open(id)).rejects.toMatchObject({ code: 'not_authentic' })
  })

  test('for another address, whatever the tables say', async () => {
    const id = await put()
    const url = 'https://attacker.example.com'
    await expect(open(id, openers.before, { url })).rejects.toMatchObject({ code: 'not_authentic' })
    await instance.pool.query('UPDATE credential SET base_url = $1', [url])
    await expect(open(id, openers.before, { url })).rejects.toMatchObject({ code: 'not_authentic' })
    await instance.pool.query('UPDATE credential SET base_url = NULL')
    await expect(open(id, openers.before, { url })).rejects.toMatchObject({ code: 'not_authentic' })
  })

  test('with another key', async () => {
    const id = await put()
    await expect(open(id, openers.after)).rejects.toMatchObject({ code: 'unknown_key' })
  })
})

describe('while processes of 0.1.0 may run', () => {
  beforeEach(() => allowOlderVersion(instance))
  afterEach(() => finishUpgrade(instance))

  const readUrl = async () => (await instance.pool.query('SELECT base_url FROM credential')).rows[0].base_url
  /** As 0.1.0 does. */
  const openInFirstRelease = async (id: Id<'crd'>, opener = openers.before) => {
    const { rows } = await instance.pool.query<{ sealed: Buffer }>('SELECT sealed FROM credential WHERE id = $1', [id])
    const binding = { projectId, credentialId: id, kind: 'code-host-token' }
    return opener.open(toSealedSecret(rows[0]?.sealed ?? Buffer.alloc(0)), binding)
  }

  test('they can open new secrets, and those that were opened or sealed again', async () => {
    const id = await put('new')
    expect(await openInFirstRelease(id)).toBe('new')
    expect(await open(id)).toBe('new')
    expect(await store.resealAll(openers.during, sealers.during)).toEqual({ resealed: 1, current: 0 })
    expect(await store.resealAll(openers.during, sealers.during)).toEqual({ resealed: 0, current: 1 })
    expect(await openInFirstRelease(id, openers.after)).toBe('new')
    expect(await readUrl()).toBe(null)
  })

  test('secrets are sealed for their address after the upgrade is finished, when they are opened', async () => {
    const id = await put('older')
    await finishUpgrade(instance)
    expect(await open(id)).toBe('older')
    expect(await readUrl()).toBe(baseUrl)
    expect(await open(id)).toBe('older')
    const url = 'https://attacker.example.com'
    await expect(open(id, openers.before, { url })).rejects.toMatchObject({ code: 'not_authentic' })
  })
})

describe('when a new sealing key is put first', () => {
  test('old secrets stay readable, are resealed once, and then no longer need the old key', async () => {
    const ids = [await put('one'), await put('two')]
    ids.push(await put('three', sealers.during))
    const read = (opener = openers.during) => Promise.all(ids.map((id) => open(id, opener)))
    expect(await read()).toEqual(['one', 'two', 'three'])

    expect(await store.resealAll(openers.during, sealers.during)).toEqual({ resealed: 2, current: 1 })
    expect(await store.resealAll(openers.during, sealers.during)).toEqual({ resealed: 0, current: 3 })
    expect(await read(openers.after)).toEqual(['one', 'two', 'three'])
  })

  test('resealing twice at the same time is harmless', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => put(String(index))))
    await Promise.all([
      store.resealAll(openers.during, sealers.during),
      store.resealAll(openers.during, sealers.during),
    ])
    const secrets = await Promise.all(ids.map((id) => open(id, openers.after)))
    expect(secrets).toEqual(ids.map((_, index) => String(index)))
  })

  test('a secret that is replaced at the same time keeps the new value', async () => {
    const id = await put('old')
    const replacement = await put('new')
    let replaced = false
    const opener: Opener = {
      async open(sealed, binding) {
        const secret = await openers.during.open(sealed, binding)
        if (binding.credentialId === `${id} ${baseUrl}` && !replaced) {
          replaced = true
          const replacementSecret = await sealers.during.seal('written at the same time', binding)
          await instance.pool.query('UPDATE credential SET sealed = $1 WHERE id = $2', [
            Buffer.from(replacementSecret),
            id,
          ])
        }
        return secret
      },
    }
    await store.resealAll(opener, sealers.during)
    expect(replaced).toBe(true)
    expect(await open(id, openers.after)).toBe('written at the same time')
    expect(await open(replacement, openers.after)).toBe('new')
  })

  test('fails without the old key, and changes nothing', async () => {
    const id = await put('old')
    await expect(store.resealAll(openers.after, sealers.after)).rejects.toMatchObject({ code: 'unknown_key' })
    expect(await open(id)).toBe('old')
  })
})
