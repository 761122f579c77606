import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
import { type Id, newId } from '../platform/ids.ts'
import { createOpener, createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPrivateKeys } from '../platform/sealed-secrets/sealing-keys.ts'
import { openClientSecret, openPrivateKey } from './app-store.ts'

const instance = await createTestInstance(inject('services'), 'github stores')
afterAll(() => instance.drop())
const { githubApps, authorizations, projects } = instance.stores
const operator = { kind: 'operator' } as const
const keysOf = (...entries: string[]) => {
  const parsed = parseSealingPrivateKeys(entries.join(','))
  if (!parsed.ok) throw new Error(parsed.errors.join())
  return parsed.keys
}
const entry = generateSealingKeyPair().privateEntry
const sealer = createSealer(keysOf(entry))
const opener = createOpener(keysOf(entry))

const baseUrl = 'https://github.com'
const app = {
  baseUrl,
  appId: 7,
  slug: 'colophon',
  name: 'Colophon',
  url: `${baseUrl}/apps/colophon`,
  clientId: 'Iv1.abc',
  webhookSecret: 'hook secret',
}

const createPerson = async (): Promise<Id<'per'>> => {
  const id = newId('per')
  await instance.pool.query("INSERT INTO person (id, name, email) VALUES ($1, 'Someone', $1)", [id])
  return id
}

test('seals the secrets of an App for its URL, and reseals them with a new key', async () => {
  const secrets = { clientSecret: 'client secret', privateKeyPem: 'pem' }
  await githubApps.put(app, secrets, sealer, operator)
  const stored = await githubApps.find(baseUrl)
  if (!stored) throw new Error('the App was not stored')
  expect(stored).toMatchObject(app)
  expect(await githubApps.list()).toEqual([{ ...app, createdAt: expect.any(Date) }])
  expect(await openClientSecret(stored, opener)).toBe('client secret')
  expect(await openPrivateKey(stored, opener)).toBe('pem')
  await expect(openPrivateKey({ ...stored, baseUrl: 'https://evil.example' }, opener)).rejects.toThrow()
  await expect(openPrivateKey({ ...stored, sealedPrivateKey: stored.sealedClientSecret }, opener)).rejects.toThrow()

  const both = keysOf(generateSealingKeyPair().privateEntry, entry)
  const newSealer = createSealer(both)
  const newOpener = createOpener(both)
  expect(await githubApps.resealAll(newOpener, newSealer)).toEqual({ resealed: 2, current: 0 })
  expect(await githubApps.resealAll(newOpener, newSealer)).toEqual({ resealed: 0, current: 2 })
  const again = await githubApps.find(baseUrl)
  expect(again && (await openPrivateKey(again, newOpener))).toBe('pem')
})

test('accepts a state once, for the same person and project, until it expires', async () => {
  const personId = await createPerson()
  const otherPersonId = await createPerson()
  const { id: projectId } = await projects.create('Docs', operator)
  const { id: otherProjectId } = await projects.create('Other docs', operator)
  const state = await authorizations.start({ personId, projectId }, baseUrl)
  const { rows } = await instance.pool.query('SELECT * FROM github_authorization')
  expect(JSON.stringify(rows)).not.toContain(state)

  for (const otherOwner of [
    { personId: otherPersonId, projectId },
    { personId, projectId: otherProjectId },
    { personId, projectId: null },
  ])
    expect(await authorizations.redeemState(otherOwner, state)).toBeUndefined()
  expect(await authorizations.redeemState({ personId, projectId }, `${state}x`)).toBeUndefined()
  expect(await authorizations.redeemState({ personId, projectId }, state)).toEqual({ id: expect.any(String), baseUrl })
  expect(await authorizations.redeemState({ personId, projectId }, state)).toBeUndefined()

  const expired = await authorizations.start({ personId, projectId: null }, baseUrl)
  await instance.pool.query("UPDATE github_authorization SET expires_at = now() - interval '1 second'")
  expect(await authorizations.redeemState({ personId, projectId: null }, expired)).toBeUndefined()
  await authorizations.deleteExpired()
  expect((await instance.pool.query('SELECT id FROM github_authorization')).rows).toEqual([])
})

test('returns a code once, and the repositories only to their owner until the authorization ends', async () => {
  const personId = await createPerson()
  const otherPersonId = await createPerson()
  const { id: projectId } = await projects.create('Docs', operator)
  const owner = { personId, projectId }
  const authorization = await authorizations.redeemState(owner, await authorizations.start(owner, baseUrl))
  if (!authorization) throw new Error('the state was not accepted')
  await authorizations.storeCode(authorization.id, 'the code', sealer)
  expect(await authorizations.consumeCode(authorization.id, opener)).toEqual({ baseUrl, code: 'the code' })
  expect(await authorizations.consumeCode(authorization.id, opener)).toBeUndefined()
  expect(await authorizations.findRepositories(owner, authorization.id)).toBeUndefined()

  const repository = { id: 42, installationId: 3, owner: 'docs', name: 'site', defaultBranch: 'main', isPrivate: true }
  await authorizations.storeRepositories(authorization.id, [repository])
  expect(await authorizations.findRepositories(owner, authorization.id)).toEqual({
    baseUrl,
    repositories: [repository],
  })
  expect(
    await authorizations.findRepositories({ personId: otherPersonId, projectId }, authorization.id),
  ).toBeUndefined()
  expect(await authorizations.findRepository(authorization.id, 42)).toEqual({ baseUrl, repository })
  expect(await authorizations.findRepository(authorization.id, 43)).toBeUndefined()
  await authorizations.delete(authorization.id)
  expect(await authorizations.findRepositories(owner, authorization.id)).toBeUndefined()
})
