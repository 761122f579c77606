import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseKeyWithPrefix } from '../keys/key-format.ts'
import { setUpComposeVolumes } from './compose-setup.ts'

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
  const { privateEntry } = JSON.parse(read('secrets/sealing-keys.json')) as { privateEntry: string }
  const secretsOf = {
    'clickhouse-password': ['api', 'clickhouse', 'migrate', 'worker'],
    'colophon-database-password': ['api', 'migrate', 'postgres', 'worker'],
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
