import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { packWheel, replaceServedWheel, toPythonVersion } from './build.ts'

const run = promisify(execFile)

function createDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-wheel-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

/** Reads the wheel with Python, which checks the sums of the ZIP file, and compares it with its list of files. */
const inspect = `
import base64, csv, hashlib, io, json, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
assert wheel.testzip() is None
names = wheel.namelist()
record = next(name for name in names if name.endswith(".dist-info/RECORD"))
for name, digest, size in csv.reader(io.StringIO(wheel.read(record).decode())):
    if name == record: continue
    content = wheel.read(name)
    assert len(content) == int(size)
    assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
print(json.dumps({"names": names, "metadata": wheel.read(record.replace("RECORD", "METADATA")).decode(), "listed": wheel.read(record).decode().count("\\n")}))
`

async function pack(name?: string) {
  const directory = createDirectory()
  const wheel = packWheel(name)
  replaceServedWheel(wheel, directory)
  const { stdout } = await run('python3', ['-c', inspect, join(directory, wheel.fileName)])
  return { ...wheel, ...(JSON.parse(stdout) as { names: string[]; metadata: string; listed: number }) }
}

test('the same source gives the same wheel, with what its users need and nothing else', async () => {
  const wheel = await pack()
  expect(packWheel().content.equals(wheel.content)).toBe(true)
  expect(wheel.fileName).toMatch(/^colophon_client-\d+\.\d+\.\d+-py3-none-any\.whl$/)
  expect(wheel.listed).toBe(wheel.names.length)
  const others = wheel.names.filter((name) => !/^colophon_client\/\w+\.py$/.test(name))
  expect(others.map((name) => name.replace(/^.*\.dist-info/, ''))).toEqual([
    'colophon_client/py.typed',
    '/licenses/LICENSE',
    '/METADATA',
    '/WHEEL',
    '/RECORD',
  ])
  expect(wheel.names).toContain('colophon_client/_sync_client.py')
  expect(wheel.content.length).toBeLessThan(100_000)
})

test('the name is one setting', async () => {
  const { fileName, metadata, names } = await pack('example-docs-client')
  expect(fileName).toMatch(/^example_docs_client-/)
  expect(metadata).toContain('\nName: example-docs-client\n')
  expect(names).toContain('colophon_client/__init__.py')
})

test.each([
  ['1.2.3', '1.2.3'],
  ['1.0.0-rc.1', '1.0.0rc1'],
  ['1.0.0-beta.2', '1.0.0b2'],
  ['1.0.0-nightly.20261118', '1.0.0.dev0'],
  ['1.0.0-next', '1.0.0.dev0'],
])('Python writes version %s as %s', (version, expected) => {
  expect(toPythonVersion(version)).toBe(expected)
})

test('the wheel of another version is removed', () => {
  const directory = createDirectory()
  replaceServedWheel({ fileName: 'a-0.1.0-py3-none-any.whl', content: Buffer.from('old') }, directory)
  replaceServedWheel({ fileName: 'a-0.2.0-py3-none-any.whl', content: Buffer.from('new') }, directory)
  expect(readdirSync(directory)).toEqual(['a-0.2.0-py3-none-any.whl'])
})
