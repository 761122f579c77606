import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { releasedChartValues } from './released-chart-values.ts'
import { parseImageDigests } from './released-images.ts'

const digests = {
  server: `sha256:${'a'.repeat(64)}`,
  runner: `sha256:${'b'.repeat(64)}`,
  demo: `sha256:${'c'.repeat(64)}`,
}
const pairs = Object.entries(digests).map(([target, digest]) => `${target}=${digest}`)

test('reads the digest of each image', () => {
  expect(parseImageDigests(pairs)).toEqual(digests)
  expect(parseImageDigests([])).toBeUndefined()
})

test('a digest that is missing, empty, not complete or given twice is an error, and not an image without a digest', () => {
  const message = 'must be given once for demo'
  for (const demo of [[], ['demo='], ['demo=sha256:cc'], ['demo=0.2.0'], [pairs[2] ?? '', pairs[2] ?? '']])
    expect(() => parseImageDigests([...pairs.slice(0, 2), ...demo])).toThrow(message)
  expect(() => parseImageDigests([...pairs, 'other=sha256:dd'])).toThrow('names another image')
})

const values = readFileSync(join(import.meta.dirname, '../deploy/helm/values.yaml'), 'utf8')
const source = { prefix: 'ghcr.io/example/colophon', version: '0.2.0' }

test('the chart gets the names and digests of the released images, and nothing else changes', () => {
  const before = parse(values)
  before.images.server = { repository: 'ghcr.io/example/colophon/server', tag: '', digest: digests.server }
  before.images.runner = { repository: 'ghcr.io/example/colophon/runner', tag: '', digest: digests.runner }
  expect(parse(releasedChartValues(values, { ...source, digests }))).toEqual(before)
})

test('without digests the chart stays as it is, and other values are not skipped silently', () => {
  expect(releasedChartValues(values, { ...source, digests: undefined })).toBe(values)
  expect(() => releasedChartValues('images: {}\n', { ...source, digests })).toThrow(
    'values.yaml has no empty repository',
  )
})
