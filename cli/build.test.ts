import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { bundleCommand } from './bundle.ts'

const run = promisify(execFile)

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-cli-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the same source gives the same file, which runs in an empty directory', async () => {
  const [first, second] = await Promise.all([bundleCommand('esm'), bundleCommand('esm')])
  expect(first.code).toBe(second.code)
  const file = join(emptyFolder(), 'colophon.mjs')
  writeFileSync(file, first.code)
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as { version: string }
  expect((await run(process.execPath, [file, '--version'])).stdout).toBe(`${version}\n`)
})

test('it contains only packages that are documented, with their licenses', async () => {
  const { code, packages } = await bundleCommand('esm')
  expect(packages).toEqual([
    '@clack/core',
    '@clack/prompts',
    '@modelcontextprotocol/core',
    '@modelcontextprotocol/server',
    'commander',
    'fast-string-truncated-width',
    'fast-string-width',
    'fast-wrap-ansi',
    'sisteransi',
    'zod',
  ])
  for (const name of packages) expect(code).toMatch(new RegExp(`\\n${name} \\d+\\.\\d+\\.\\d+\\n`))
  expect(code.match(/Permission is hereby granted|Apache License/g)?.length).toBeGreaterThanOrEqual(packages.length)
  for (const [, module] of code.matchAll(/^import .* from "([^"]+)";$/gm)) expect(module).toMatch(/^node:/)
})

test('it uses nothing that Node 20.18 does not have', async () => {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  await run(process.execPath, [compiler, '-p', join(import.meta.dirname, 'tsconfig.build.json')])
})
