import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  inNpmOrder,
  type Lockfile,
  lockEntry,
  missingOptionalPackages,
  packagesWithoutHash,
  platformInName,
} from './lockfile.ts'

const text = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')
const lockfile = JSON.parse(text) as Lockfile

test('the lockfile has the packages of every platform, so that npm ci accepts it', () => {
  expect(missingOptionalPackages(lockfile)).toEqual([])
})

test('only binaries of other platforms may lack a hash', () => {
  const isBinary = (path: string) => {
    const { optional, os, cpu } = lockfile.packages[path] ?? {}
    return optional === true && (os ?? cpu) !== undefined
  }
  expect(packagesWithoutHash(lockfile).filter((path) => !isBinary(path))).toEqual([])
})

test('the binaries that CI and the container image use have a hash', () => {
  expect(packagesWithoutHash(lockfile).filter((path) => /-linux-x64(-gnu)?$/.test(path))).toEqual([])
})

/** `.npmrc` keeps them from running. What they do is not needed, because the packages contain their binaries. */
const packagesWithInstallScripts = ['@google/genai', '@swc/core', 'esbuild', 'protobufjs']

test('no further package has a script that runs when it is installed', () => {
  const found = Object.entries(lockfile.packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  expect(found.map(([path]) => path.replace(/^.*node_modules\//, ''))).toEqual(packagesWithInstallScripts)
})

test('npm does not run scripts of packages', () => {
  expect(readFileSync(join(import.meta.dirname, '../.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m)
})

test('the lockfile names no registry, so that each machine uses its own', () => {
  expect(text.match(/"resolved": "https?:[^"]*"/g)).toBeNull()
})

test('the lockfile is in the order of npm', () => {
  expect(Object.keys(lockfile.packages)).toEqual(Object.keys(inNpmOrder(lockfile.packages)))
})

test('finds optional packages that are not locked, wherever they are', () => {
  const packages = {
    'node_modules/tool': {
      version: '1.0.0',
      optionalDependencies: { 'tool-linux-x64': '1.0.0', 'tool-win32-x64': '1.0.0' },
    },
    'node_modules/other/node_modules/tool-linux-x64': { version: '1.0.0', integrity: 'sha512-…' },
  }
  expect(missingOptionalPackages({ packages })).toEqual([
    { name: 'tool-win32-x64', version: '1.0.0', of: 'node_modules/tool' },
  ])
})

test('packages of this repository need no hash', () => {
  const packages = {
    sdk: { version: '0.1.0' },
    'node_modules/@colophon/sdk': { link: true },
    'node_modules/tool': { version: '1.0.0' },
  }
  expect(packagesWithoutHash({ packages })).toEqual(['node_modules/tool'])
})

test.each([
  ['@rolldown/binding-linux-arm64-musl', { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }],
  ['@rolldown/binding-linux-s390x-gnu', { os: ['linux'], cpu: ['s390x'], libc: ['glibc'] }],
  ['@swc/core-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'] }],
  ['@biomejs/cli-darwin-x64', { os: ['darwin'], cpu: ['x64'] }],
  ['@oxc-parser/binding-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'] }],
  ['@rolldown/binding-wasm32-wasi', { cpu: ['wasm32'] }],
])('reads the platform of %s from its name', (name, platform) => {
  expect(platformInName(name)).toEqual(platform)
})

test('agrees with every locked package whose platform the registry stated', () => {
  const named = Object.entries(lockfile.packages).filter(
    ([path, { integrity, os }]) => integrity && os && /-(linux|darwin|win32)-(arm64|x64)(-gnu|-musl|-msvc)$/.test(path),
  )
  expect(named.length).toBeGreaterThan(5)
  for (const [path, { os, cpu, libc }] of named)
    expect(platformInName(path)).toEqual({ os, cpu, ...(libc && { libc }) })
})

test('a package whose platform is unknown is not added', () => {
  expect(() => platformInName('fsevents')).toThrow('fsevents does not name its platform')
})

test('a hash is only used for the version that it belongs to', () => {
  const published = { version: '1.0.0', dist: { integrity: 'sha512-abc' }, os: ['linux'], cpu: ['x64'] }
  expect(lockEntry('1.0.0', { published })).toEqual({
    version: '1.0.0',
    integrity: 'sha512-abc',
    cpu: ['x64'],
    optional: true,
    os: ['linux'],
  })
  expect(lockEntry('1.0.1', { dev: true, published })).toEqual({
    version: '1.0.1',
    cpu: ['x64'],
    dev: true,
    optional: true,
    os: ['linux'],
  })
})
