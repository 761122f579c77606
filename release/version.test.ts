import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  compareVersions,
  parseVersion,
  setChartVersion,
  setLockfileVersion,
  setManifestVersion,
  type Version,
  versionProblem,
} from './version.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const parsed = (text: string): Version => {
  const version = parseVersion(text)
  if (!version) throw new Error(text)
  return version
}

test.each(['1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', '1.2.3-01', '1.2.3+build', '1.2.3 ', ''])(
  '"%s" is not a version',
  (text) => {
    expect(parseVersion(text)).toBeUndefined()
  },
)

test('versions have the order of Semantic Versioning', () => {
  // The example in the specification, and numbers that would be wrong as text.
  const ordered = [
    '0.9.0',
    '0.10.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
  ]
  const shuffled = ordered.toReversed()
  expect(shuffled.toSorted((left, right) => compareVersions(parsed(left), parsed(right)))).toEqual(ordered)
  for (const text of ordered) expect(compareVersions(parsed(text), parsed(text))).toBe(0)
})

test('a version must be newer than every release', () => {
  const released = ['0.1.0', '0.2.0-rc.1', '0.9.0', '0.10.0']
  const problem = (text: string) => versionProblem(text, { current: '0.1.0', released })
  expect(problem('0.10.1')).toBeUndefined()
  expect(problem('0.10.0')).toBe('0.10.0 is not newer than 0.10.0, which is released.')
  expect(problem('0.9.1')).toBe('0.9.1 is not newer than 0.10.0, which is released.')
  expect(problem('next')).toBe('"next" is not a version like 1.2.3 or 1.2.3-rc.1.')
})

test('the version in package.json can be released if it has not been, but no older one', () => {
  expect(versionProblem('0.1.0', { current: '0.1.0', released: [] })).toBeUndefined()
  expect(versionProblem('0.0.9', { current: '0.1.0', released: [] })).toBe(
    '0.0.9 is older than 0.1.0, the version in package.json.',
  )
})

const workspaces = ['server', 'web', 'sdk', 'mcp', 'cli', 'testing/simulators/github']

test.each(['package.json', ...workspaces.map((name) => `${name}/package.json`)])(
  '%s gets the version, and nothing else changes',
  (path) => {
    const before = read(path)
    const after = setManifestVersion(before, '7.8.9')
    expect(JSON.parse(after).version).toBe('7.8.9')
    const current = JSON.parse(before).version as string
    expect(after.replaceAll('7.8.9', current)).toBe(before)
  },
)

test('our packages depend on each other in the same version', () => {
  expect(JSON.parse(setManifestVersion(read('cli/package.json'), '7.8.9')).dependencies).toMatchObject({
    '@colophon/sdk': '7.8.9',
  })
  expect(JSON.parse(setManifestVersion(read('server/package.json'), '7.8.9')).devDependencies).toMatchObject({
    '@colophon/github-simulator': '7.8.9',
  })
})

test('the lockfile gets the version of each workspace, and no other package changes', () => {
  const before = read('package-lock.json')
  const after = setLockfileVersion(before, '7.8.9')
  const { version, packages } = JSON.parse(after)
  for (const path of ['', ...workspaces]) expect(packages[path].version, path).toBe('7.8.9')
  expect(version).toBe('7.8.9')
  expect(packages.web.dependencies['@colophon/sdk']).toBe('7.8.9')
  expect(after.replaceAll('7.8.9', JSON.parse(before).version as string)).toBe(before)
})

test('a chart keeps its comments', () => {
  const chart = 'apiVersion: v2\nname: colophon\nversion: 0.1.0\n# why\nappVersion: 0.1.0\nkubeVersion: ">=1.34"\n'
  expect(setChartVersion(chart, '0.2.0')).toBe(
    'apiVersion: v2\nname: colophon\nversion: 0.2.0\n# why\nappVersion: "0.2.0"\nkubeVersion: ">=1.34"\n',
  )
  expect(() => setChartVersion('name: colophon\nversion: 0.1.0\n', '0.2.0')).toThrow('no appVersion')
})
