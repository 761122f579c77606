import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../testing/harness/test-instance.ts'
import type { Id } from '../platform/ids.ts'
import { createOpener, createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPrivateKeys } from '../platform/sealed-secrets/sealing-keys.ts'
import type { Model } from './model.ts'
import { ModelStore, openModelKey } from './model-store.ts'

let instance: TestInstance
let models: ModelStore
let ownProject: Id<'prj'>
let otherProject: Id<'prj'>
beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'models')
  models = new ModelStore(instance.database)
  ownProject = (await instance.stores.projects.create('Own', { kind: 'operator' })).id
  otherProject = (await instance.stores.projects.create('Other', { kind: 'operator' })).id
})
afterAll(() => instance.drop())
beforeEach(() => instance.pool.query('DELETE FROM model'))

const entry = generateSealingKeyPair().privateEntry
const parseKeys = (text: string) => {
  const parsed = parseSealingPrivateKeys(text)
  if (!parsed.ok) throw new Error('invalid sealing keys')
  return parsed.keys
}
const sealer = createSealer(parseKeys(entry))
const opener = createOpener(parseKeys(entry))

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

test('stores a model, with its key sealed', async () => {
  await models.add(model, 'sk-secret', sealer, { kind: 'operator' })
  expect(await models.list()).toEqual([{ ...model, hasKey: true }])
  const found = await models.find(ownProject, model.name)
  expect(found && (await openModelKey(found, opener))).toBe('sk-secret')
  expect(Buffer.from(found?.sealedKey ?? []).includes('sk-secret')).toBe(false)
  await expect(models.add(model, null, sealer, { kind: 'operator' })).rejects.toThrow(
    'A model named vendor/model-4.5:large already exists',
  )
  await models.remove(model.name, { kind: 'operator' })
  expect(await models.find(ownProject, model.name)).toBeUndefined()
  await expect(models.remove(model.name, { kind: 'operator' })).rejects.toThrow('There is no model')
})

test('stores a model without a key', async () => {
  await models.add({ ...model, baseUrl: 'http://ollama:11434/v1' }, null, sealer, { kind: 'operator' })
  const found = await models.find(ownProject, model.name)
  expect(found && (await openModelKey(found, opener))).toBeNull()
})

test('does not open a key whose row was changed to another URL or copied to another model', async () => {
  await models.add(model, 'sk-secret', sealer, { kind: 'operator' })
  await models.add({ ...model, name: 'other', isDefault: false }, 'sk-other', sealer, { kind: 'operator' })
  await instance.pool.query("UPDATE model SET base_url = 'https://evil.example/v1' WHERE name = $1", [model.name])
  const moved = await models.find(ownProject, model.name)
  await expect(moved && openModelKey(moved, opener)).rejects.toMatchObject({ code: 'not_authentic' })
  await instance.pool.query(
    'UPDATE model SET sealed_key = (SELECT sealed_key FROM model WHERE name = $1) WHERE name = $2',
    [model.name, 'other'],
  )
  const swapped = await models.find(ownProject, 'other')
  await expect(swapped && openModelKey(swapped, opener)).rejects.toMatchObject({ code: 'not_authentic' })
})

test('has one default, for the projects that may use it', async () => {
  await models.add(model, null, sealer, { kind: 'operator' })
  await models.add({ ...model, name: 'newer' }, null, sealer, { kind: 'operator' })
  expect((await models.list()).map(({ name, isDefault }) => [name, isDefault])).toEqual([
    ['newer', true],
    ['vendor/model-4.5:large', false],
  ])
  expect((await models.find(ownProject, 'default'))?.name).toBe('newer')
  await models.setAllowedProjects('newer', [otherProject], { kind: 'operator' })
  expect(await models.find(ownProject, 'default')).toBeUndefined()
  expect(await models.find(ownProject, 'newer')).toBeUndefined()
  expect((await models.find(otherProject, 'default'))?.name).toBe('newer')
  expect((await models.listFor(ownProject)).map(({ name }) => name)).toEqual(['vendor/model-4.5:large'])
  expect((await models.listFor(otherProject)).map(({ name }) => name)).toEqual(['newer', 'vendor/model-4.5:large'])
  await models.setAllowedProjects('newer', null, { kind: 'operator' })
  expect(await models.listFor(ownProject)).toHaveLength(2)
  await expect(models.add({ ...model, name: 'default' }, null, sealer, { kind: 'operator' })).rejects.toThrow()
})

test('reseals keys when sealing keys are rotated', async () => {
  await models.add(model, 'sk-secret', sealer, { kind: 'operator' })
  await models.add({ ...model, name: 'without-key', isDefault: false }, null, sealer, { kind: 'operator' })
  const both = parseKeys(`${generateSealingKeyPair().privateEntry},${entry}`)
  expect(await models.resealAll(createOpener(both), createSealer(both))).toEqual({ resealed: 1, current: 0 })
  expect(await models.resealAll(createOpener(both), createSealer(both))).toEqual({ resealed: 0, current: 1 })
  const found = await models.find(ownProject, model.name)
  expect(found && (await openModelKey(found, createOpener([both[0]])))).toBe('sk-secret')
})
