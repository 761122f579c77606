import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parseKeyWithPrefix } from '../../keys/key-format.ts'
import {
  generateSealingKeyPair,
  parseSealingPrivateKeys,
  parseSealingPublicKeys,
} from '../../platform/sealed-secrets/sealing-keys.ts'
import { rotateComposeSealingKeys, setUpComposeVolumes } from './compose-setup.ts'

const directory = mkdtempSync(join(tmpdir(), 'colophon-volumes-'))
beforeAll(() => setUpComposeVolumes(directory))
afterAll(() => rmSync(directory, { recursive: true }))

const read = (path: string) => readFileSync(join(directory, path), 'utf8')
const filesOf = (volume: string) => globSync('**/*', { cwd: join(directory, volume) })
const contains = (volume: string, secret: string) =>
  globSync(`${volume}/**/*`, { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8').includes(secret))

test('a second run keeps every secret', async () => {
  const before = filesOf('secrets').map((name) => read(`secrets/${name}`))
  await setUpComposeVolumes(directory)
  expect(filesOf('secrets').map((name) => read(`secrets/${name}`))).toEqual(before)
  expect(new Set(before).size).toBe(before.length)
})

test('each service gets only the secrets that it needs', () => {
  const [{ privateEntry }] = JSON.parse(read('secrets/sealing-keys.json')) as [{ privateEntry: string }]
  const secretsOf = {
    'clickhouse-password': ['api', 'clickhouse', 'migrate', 'worker'],
    'colophon-database-password': ['migrate', 'postgres'],
    'api-database-password': ['api', 'postgres'],
    'worker-database-password': ['postgres', 'worker'],
    'postgres-password': ['postgres'],
    'runner-token': ['migrate', 'runner'],
    'session-secret': ['api'],
    'temporal-database-password': ['postgres', 'temporal'],
  }
  const volumes = ['api', 'clickhouse', 'migrate', 'postgres', 'runner', 'temporal', 'worker']
  for (const [name, owners] of Object.entries(secretsOf))
    expect([name, volumes.filter((volume) => contains(volume, read(`secrets/${name}`)))]).toEqual([name, owners])
  expect(volumes.filter((volume) => contains(volume, privateEntry))).toEqual(['worker'])
})

test('the token of the runner is valid', () => {
  expect(parseKeyWithPrefix('colophon_runner_', read('runner/runner-token'))).toBeDefined()
})

test('an interrupted run can be repeated', async () => {
  writeFileSync(join(directory, 'runner/runner-token.part'), 'half', { mode: 0o444 })
  await setUpComposeVolumes(directory)
  expect(filesOf('runner')).toEqual(['runner-token'])
})

test('an empty secret is an error', async () => {
  const other = mkdtempSync(join(tmpdir(), 'colophon-volumes-'))
  await setUpComposeVolumes(other)
  writeFileSync(join(other, 'secrets/session-secret'), '')
  await expect(setUpComposeVolumes(other)).rejects.toThrow('session-secret is empty')
  rmSync(other, { recursive: true })
})

test('the sealing keys of an older instance can be rotated, and worker always has the key that api seals with', async () => {
  const volumes = mkdtempSync(join(tmpdir(), 'colophon-volumes-'))
  onTestFinished(() => rmSync(volumes, { recursive: true }))
  const oldPair = generateSealingKeyPair()
  mkdirSync(join(volumes, 'secrets'))
  writeFileSync(join(volumes, 'secrets/sealing-keys.json'), JSON.stringify(oldPair)) // without a list
  const readIds = () => {
    const keysOfApi = parseSealingPublicKeys(readFileSync(join(volumes, 'api/sealing-public-keys'), 'utf8'))
    const keysOfWorker = parseSealingPrivateKeys(readFileSync(join(volumes, 'worker/sealing-private-keys'), 'utf8'))
    if (!keysOfApi.ok || !keysOfWorker.ok) throw new Error('The keys are not valid.')
    const ids = keysOfApi.keys.map(({ id }) => id)
    expect(keysOfWorker.keys.map(({ id }) => id)).toEqual(ids)
    return ids
  }
  const rotate = async (step: string) => {
    rotateComposeSealingKeys(step, volumes)
    await setUpComposeVolumes(volumes)
    return readIds()
  }
  await setUpComposeVolumes(volumes)
  const oldIds = readIds()
  expect(oldPair.publicEntry).toContain(oldIds[0])
  await expect(rotate('use-new')).rejects.toThrow('Add a new one first')

  const added = await rotate('add')
  const newId = added[1]
  expect(added).toEqual([...oldIds, newId])
  expect(await rotate('add')).toEqual(added)
  await expect(rotate('remove-old')).rejects.toThrow('not in use yet')

  expect(await rotate('use-new')).toEqual([newId, ...oldIds])
  expect(await rotate('use-new')).toEqual([newId, ...oldIds])
  expect(await rotate('remove-old')).toEqual([newId])
  expect(await rotate('remove-old')).toEqual([newId])
  await expect(rotate('other')).rejects.toThrow('must be add, use-new or remove-old')
})
