import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../dev-services/test-instance.ts'
import { type Id, newId } from '../platform/ids.ts'
import { createOpener, createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPrivateKeys } from '../platform/sealed-secrets/sealing-keys.ts'
import { openClientSecret, openPrivateKey } from './app-store.ts'

const instance = await createTestInstance(inject('services'), 'github stores')
afterAll(() => instance.drop())
const { githubApps, visits, projects } = instance.stores
const operator = { kind: 'operator' } as const
const keysOf = (...entries: string[]) => {
  const parsed = parseSealingPrivateKeys(entries.join(','))
  if (!parsed.ok) throw new Error(parsed.mistakes.join())
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

const makePerson = async (): Promise<Id<'per'>> => {
  const id = newId('per')
  await instance.pool.query("INSERT INTO person (id, name, email) VALUES ($1, 'Somebody', $1)", [id])
  return id
}

test("an App's secrets are sealed for its address, and sealed anew with a new key", async () => {
  const secrets = { clientSecret: 'client secret', privateKeyPem: 'pem' }
  await githubApps.put(app, secrets, sealer)
  const stored = await githubApps.find(baseUrl)
  if (!stored) throw new Error('it is gone')
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

test('a state is good once, for who was sent, for what they were sent for, and not for long', async () => {
  const personId = await makePerson()
  const other = await makePerson()
  const { id: projectId } = await projects.create('Docs', operator)
  const { id: another } = await projects.create('Other docs', operator)
  const state = await visits.start({ personId, projectId }, baseUrl)
  const { rows } = await instance.pool.query('SELECT * FROM github_authorization')
  expect(JSON.stringify(rows)).not.toContain(state)

  for (const visitor of [
    { personId: other, projectId },
    { personId, projectId: another },
    { personId, projectId: null },
  ])
    expect(await visits.arrive(visitor, state)).toBeUndefined()
  expect(await visits.arrive({ personId, projectId }, `${state}x`)).toBeUndefined()
  expect(await visits.arrive({ personId, projectId }, state)).toEqual({ id: expect.any(String), baseUrl })
  expect(await visits.arrive({ personId, projectId }, state)).toBeUndefined()

  const late = await visits.start({ personId, projectId: null }, baseUrl)
  await instance.pool.query("UPDATE github_authorization SET expires_at = now() - interval '1 second'")
  expect(await visits.arrive({ personId, projectId: null }, late)).toBeUndefined()
  await visits.forgetExpired()
  expect((await instance.pool.query('SELECT id FROM github_authorization')).rows).toEqual([])
})

test('a code is taken once; what was found is shown to the visitor alone, until the visit ends', async () => {
  const personId = await makePerson()
  const other = await makePerson()
  const { id: projectId } = await projects.create('Docs', operator)
  const visitor = { personId, projectId }
  const visit = await visits.arrive(visitor, await visits.start(visitor, baseUrl))
  if (!visit) throw new Error('nobody arrived')
  await visits.keepCode(visit.id, 'the code', sealer)
  expect(await visits.takeCode(visit.id, opener)).toEqual({ baseUrl, code: 'the code' })
  expect(await visits.takeCode(visit.id, opener)).toBeUndefined()
  expect(await visits.found(visitor, visit.id)).toBeUndefined()

  const repository = { id: 42, installationId: 3, owner: 'docs', name: 'site', defaultBranch: 'main', isPrivate: true }
  await visits.keepFound(visit.id, [repository])
  expect(await visits.found(visitor, visit.id)).toEqual({ baseUrl, repositories: [repository] })
  expect(await visits.found({ personId: other, projectId }, visit.id)).toBeUndefined()
  expect(await visits.foundOne(visit.id, 42)).toEqual({ baseUrl, repository })
  expect(await visits.foundOne(visit.id, 43)).toBeUndefined()
  await visits.end(visit.id)
  expect(await visits.found(visitor, visit.id)).toBeUndefined()
})
