import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { packSdk } from './build.ts'
import { npmNames } from './npm-names.ts'

const run = promisify(execFile)

async function pack(name?: string) {
  const { staging, packed } = await packSdk(name)
  onTestFinished(() => rmSync(staging, { recursive: true, force: true }))
  const read = async (file: string) => (await run('tar', ['-xzOf', packed, `package/${file}`])).stdout
  const { stdout } = await run('tar', ['-tzf', packed])
  return { bytes: readFileSync(packed), read, files: stdout.trim().split('\n') }
}

test('the same source gives the same package, with what its users need and nothing else', async () => {
  const [first, second] = await Promise.all([pack(), pack()])
  expect(first.bytes.equals(second.bytes)).toBe(true)
  const others = first.files.filter((file) => !/^package\/dist\/[\w./-]+\.(js|d\.ts)$/.test(file))
  expect(others.toSorted()).toEqual(['package/LICENSE', 'package/README.md', 'package/package.json'])
  const manifest: unknown = JSON.parse(await first.read('package.json'))
  expect(manifest).toMatchObject({
    name: npmNames.sdk,
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    sideEffects: false,
  })
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('scripts')
  expect(manifest).not.toHaveProperty('exports["."].colophon-source')
})

test('the name is one setting', async () => {
  const { read } = await pack('@example/colophon')
  expect(JSON.parse(await read('package.json'))).toMatchObject({ name: '@example/colophon' })
  const readme = await read('README.md')
  expect(readme).toContain("from '@example/colophon'")
  expect(readme).not.toContain(npmNames.sdk)
})
