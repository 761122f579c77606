/**
 * npm run build: compiles the client to `dist`, and packs it as `dist/sdk.tgz`: the npm package that `api` serves and that a
 * release publishes. The same source gives the same file, byte by byte.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { npmNames } from './npm-names.ts'

const run = promisify(execFile)
const folder = import.meta.dirname
const servedFile = join(folder, 'dist/sdk.tgz')

interface Manifest {
  name: string
  version: string
  exports: { '.': Record<string, string> }
  scripts?: unknown
}

/** Without what only this repository uses. */
export function toPublishedManifest({ scripts: _, ...manifest }: Manifest, name: string): Manifest {
  const { 'colophon-source': __, ...entry } = manifest.exports['.']
  return { ...manifest, name, exports: { '.': entry } }
}

/** Compiles and packs the source. Returns the directory with the compiled files, which the caller deletes. */
export async function packSdk(name: string = npmNames.sdk): Promise<{ staging: string; packed: string }> {
  const staging = await mkdtemp(join(tmpdir(), 'colophon-sdk-'))
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  await run(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json'), '--outDir', join(staging, 'dist')])
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  await writeFile(join(staging, 'package.json'), `${JSON.stringify(toPublishedManifest(manifest, name), null, 2)}\n`)
  await writeFile(join(staging, 'README.md'), readme.replaceAll(manifest.name, name))
  await cp(join(folder, '../LICENSE'), join(staging, 'LICENSE'))
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--loglevel=error'], { cwd: staging })
  return { staging, packed: join(staging, stdout.trim().split('\n').at(-1) ?? '') }
}

/** Replaces the package that `api` serves, in one step, so that a server that starts meanwhile reads a complete file. */
export async function replaceServedPackage(packed: string): Promise<void> {
  await mkdir(join(folder, 'dist'), { recursive: true })
  const part = `${servedFile}.${process.pid}`
  await cp(packed, part)
  await rename(part, servedFile)
}

if (import.meta.main) {
  const { staging, packed } = await packSdk()
  await cp(join(staging, 'dist'), join(folder, 'dist'), { recursive: true })
  await replaceServedPackage(packed)
  await rm(staging, { recursive: true })
}
