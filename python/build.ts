/**
 * Packs the Python client as a wheel in `dist`, which `api` serves and which a release contains. A wheel of plain Python is a ZIP file
 * with metadata, so this needs no Python: not in `./setup`, and not in the build of an image. The same source gives the same file.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pythonDistributionName } from './distribution.ts'
import { writeZip, type ZipEntry } from './zip.ts'

const folder = import.meta.dirname
const importName = 'colophon_client'

export interface Wheel {
  fileName: string
  content: Buffer
}

export function packWheel(name: string = pythonDistributionName): Wheel {
  const version = readVersion()
  const stem = `${name.replaceAll('-', '_')}-${version}` // the file name format allows no hyphen in a name
  const information = `${stem}.dist-info`
  const source = readdirSync(join(folder, importName))
    .filter((file) => file.endsWith('.py') || file === 'py.typed')
    .toSorted()
    .map((file): ZipEntry => ({ path: `${importName}/${file}`, content: readFileSync(join(folder, importName, file)) }))
  const text = (file: string, content: string): ZipEntry => ({
    path: `${information}/${file}`,
    content: Buffer.from(content),
  })
  const entries = [
    ...source,
    { path: `${information}/licenses/LICENSE`, content: readFileSync(join(folder, '../LICENSE')) },
    text('METADATA', renderMetadata(name, version)),
    text('WHEEL', 'Wheel-Version: 1.0\nGenerator: colophon\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
  ]
  const record = text('RECORD', renderRecord(entries, `${information}/RECORD`))
  return { fileName: `${stem}-py3-none-any.whl`, content: writeZip([...entries, record]) }
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as { version: string }
  return toPythonVersion(version)
}

const prereleases: Readonly<Record<string, string>> = { alpha: 'a', beta: 'b', rc: 'rc' }

/** Python writes `1.0.0-rc.1` as `1.0.0rc1`. It has no form for other names, so such a version becomes a development version. */
export function toPythonVersion(version: string): string {
  const [, base = version, name, number] = /^([\d.]+)(?:-([a-z]+)\.(\d+))?$/.exec(version) ?? []
  if (name === undefined) return /^[\d.]+$/.test(base) ? base : `${base.split('-')[0]}.dev0`
  const prerelease = prereleases[name]
  return prerelease === undefined ? `${base}.dev0` : `${base}${prerelease}${number}`
}

/** The lowest versions were tested with Python 3.10 and 3.13. Python 3.10 needs `typing-extensions`. */
const renderMetadata = (name: string, version: string): string => `Metadata-Version: 2.4
Name: ${name}
Version: ${version}
Summary: Client for the Colophon API, synchronous and asynchronous
License-Expression: Apache-2.0
License-File: LICENSE
Keywords: colophon,docs-as-code,documentation,agent,analytics
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.10
Requires-Dist: anyio>=4,<5
Requires-Dist: httpx>=0.27,<1
Requires-Dist: typing-extensions>=4.6
Description-Content-Type: text/markdown

${readFileSync(join(folder, 'README.md'), 'utf8')}`

/** The list of files with their hashes, which an installer checks. */
const renderRecord = (entries: readonly ZipEntry[], recordPath: string): string =>
  [
    ...entries.map(({ path, content }) => {
      const digest = createHash('sha256').update(content).digest('base64url')
      return `${path},sha256=${digest},${content.length}\n`
    }),
    `${recordPath},,\n`,
  ].join('')

/** Replaces the wheel that `api` serves, in one step, so that a server that starts meanwhile reads a complete file. */
export function replaceServedWheel({ fileName, content }: Wheel, directory = join(folder, 'dist')): void {
  mkdirSync(directory, { recursive: true })
  const part = join(directory, `${fileName}.${process.pid}`)
  writeFileSync(part, content)
  renameSync(part, join(directory, fileName))
  const others = readdirSync(directory).filter((file) => file.endsWith('.whl') && file !== fileName)
  for (const file of others) rmSync(join(directory, file)) // of another version
}

if (import.meta.main) replaceServedWheel(packWheel())
