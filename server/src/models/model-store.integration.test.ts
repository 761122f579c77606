import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import type { Id } from '../platform/ids.ts'
import { createDatabase } from '../platform/postgres.ts'
import { createOpener, createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPrivateKeys } from '../platform/sealed-secrets/sealing-keys.ts'
import type { Model } from './model.ts'
import { ModelStore, openModelKey } from './model-store.ts'
import type { ModelTables } from './tables.ts'

let instance: TestInstance
let models: ModelStore
let mine: Id<'prj'>
let theirs: Id<'prj'>
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'models')
  models = new ModelStore(createDatabase<ModelTables>(instance.pool))
  mine = (await instance.stores.projects.create('Mine', { kind: 'operator' })).id
  theirs = (await instance.stores.projects.create('Theirs', { kind: 'operator' })).id
})
afterAll(() => instance.drop())
beforeEach(() => instance.pool.query('DELETE FROM model'))

const entry = generateSealingKeyPair().privateEntry
const keysFrom = (text: string) => {
  const parsed = parseSealingPrivateKeys(text)
  if (!parsed.ok) throw new Error('no sealing keys')
  return parsed.keys
}
const sealer = createSealer(keysFrom(entry))
const opener = createOpener(keysFrom(entry))

const model: Model = {
  name: 'vendor/model-4.5:large',
  format: 'anthropic-messages',
  baseUrl: 'https://api.example.com/v1',
  providerModel: 'model-4-5-20260101',
  contextWindowTokens: 200_000,
  maxOutputTokens: 64_000,
  prices: { input: '3', output: '15', cacheRead: '0.30', cacheWrite: null },
  projectIds: null,
  isDefault: true,
}

test('a model is kept as it was given, its key sealed', async () => {
  await models.add(model, 'sk-secret', sealer)
  expect(await models.list()).toEqual([{ ...model, hasKey: true }])
  const found = await models.find(mine, model.name)
  expect(found && (await openModelKey(found, opener))).toBe('sk-secret')
  expect(Buffer.from(found?.sealedKey ?? []).includes('sk-secret')).toBe(false)
  await expect(models.add(model, null, sealer)).rejects.toThrow('There is a model vendor/model-4.5:large already')
  await models.remove(model.name)
  expect(await models.find(mine, model.name)).toBeUndefined()
  await expect(models.remove(model.name)).rejects.toThrow('There is no model')
})

test('a provider may want no key', async () => {
  await models.add({ ...model, baseUrl: 'http://ollama:11434/v1' }, null, sealer)
  const found = await models.find(mine, model.name)
  expect(found && (await openModelKey(found, opener))).toBeNull()
})

test('whoever can write the table cannot have a key sent elsewhere, or under another name', async () => {
  await models.add(model, 'sk-secret', sealer)
  await models.add({ ...model, name: 'other', isDefault: false }, 'sk-other', sealer)
  await instance.pool.query("UPDATE model SET base_url = 'https://evil.example/v1' WHERE name = $1", [model.name])
  const moved = await models.find(mine, model.name)
  await expect(moved && openModelKey(moved, opener)).rejects.toMatchObject({ code: 'not_authentic' })
  await instance.pool.query(
    'UPDATE model SET sealed_key = (SELECT sealed_key FROM model WHERE name = $1) WHERE name = $2',
    [model.name, 'other'],
  )
  const swapped = await models.find(mine, 'other')
  await expect(swapped && openModelKey(swapped, opener)).rejects.toMatchObject({ code: 'not_authentic' })
})

test('there is one default, which only those have that may use it', async () => {
  await models.add(model, null, sealer)
  await models.add({ ...model, name: 'newer' }, null, sealer)
  expect((await models.list()).map(({ name, isDefault }) => [name, isDefault])).toEqual([
    ['newer', true],
    ['vendor/model-4.5:large', false],
  ])
  expect((await models.find(mine, 'default'))?.name).toBe('newer')
  await models.allow('newer', [theirs])
  expect(await models.find(mine, 'default')).toBeUndefined()
  expect(await models.find(mine, 'newer')).toBeUndefined()
  expect((await models.find(theirs, 'default'))?.name).toBe('newer')
  expect((await models.listFor(mine)).map(({ name }) => name)).toEqual(['vendor/model-4.5:large'])
  expect((await models.listFor(theirs)).map(({ name }) => name)).toEqual(['newer', 'vendor/model-4.5:large'])
  await models.allow('newer', null)
  expect(await models.listFor(mine)).toHaveLength(2)
  await expect(models.add({ ...model, name: 'default' }, null, sealer)).rejects.toThrow()
})

test('keys are sealed anew when sealing keys are replaced', async () => {
  await models.add(model, 'sk-secret', sealer)
  await models.add({ ...model, name: 'without-key', isDefault: false }, null, sealer)
  const both = keysFrom(`${generateSealingKeyPair().privateEntry},${entry}`)
  expect(await models.resealAll(createOpener(both), createSealer(both))).toEqual({ resealed: 1, current: 0 })
  expect(await models.resealAll(createOpener(both), createSealer(both))).toEqual({ resealed: 0, current: 1 })
  const found = await models.find(mine, model.name)
  expect(found && (await openModelKey(found, createOpener([both[0]])))).toBe('sk-secret')
})
