/**
 * npm run build: bundles the command to `dist/colophon.mjs`, the one file that `api` serves and that a release publishes, and writes
 * its man page.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleCommand } from './bundle.ts'

const folder = import.meta.dirname
const bundleFile = join(folder, 'dist/colophon.mjs')
const manPage = join(folder, 'man/colophon.1')

const executableByAll = 0o755
const readableByAll = 0o644

export async function buildCommand(): Promise<void> {
  const { code } = await bundleCommand('esm')
  replaceFile(bundleFile, `#!/usr/bin/env node\n${code}`, executableByAll)
  replaceFile(manPage, execFileSync(process.execPath, [bundleFile, 'man'], { encoding: 'utf8' }), readableByAll)
}

/** In one step, so that a server that starts meanwhile reads a complete file. */
function replaceFile(path: string, content: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.${process.pid}`
  writeFileSync(part, content)
  chmodSync(part, mode)
  renameSync(part, path)
}

if (import.meta.main) await buildCommand()
