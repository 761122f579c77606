/** The Python client: what is generated is up to date, its types are correct, and it behaves as its README says. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseCodeBlocks } from '../checks/code-blocks.ts'
import { runCommand } from '../testing/services/run-command.ts'
import { getDevelopmentPython } from './development-python.ts'
import { generateFiles, packageDirectory, toSynchronous } from './generate.ts'

const folder = import.meta.dirname
const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8')
const temporary = mkdtempSync(join(tmpdir(), 'colophon-python-tests-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const env = { PATH: process.env.PATH, PYTHONPATH: folder, MYPYPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }

/** The tests of the asynchronous client, and those of the synchronous one, which are derived from them. */
function prepareTests(): string {
  const directory = join(temporary, 'tests')
  cpSync(join(folder, 'tests'), directory, { recursive: true })
  writeFileSync(join(directory, 'test_sync_client.py'), toSynchronous(read('tests/test_async_client.py')))
  return directory
}

function prepareExamples(): string {
  const directory = join(temporary, 'examples')
  mkdirSync(directory)
  const blocks = parseCodeBlocks('README.md', read('README.md')).filter(({ language }) => language === 'python')
  for (const [index, { text }] of blocks.entries())
    writeFileSync(join(directory, index === 0 ? 'settings.py' : `example_${index}.py`), text)
  return directory
}

test('the generated files are up to date; if not, run `npm run python-client`', async () => {
  for (const [name, content] of Object.entries(await generateFiles()))
    expect(readFileSync(join(packageDirectory, name), 'utf8'), name).toBe(content)
})

test('mypy accepts the client, its tests and the examples of the README', async () => {
  const python = await getDevelopmentPython()
  const mypy = [python, '-m', 'mypy', '--config-file', join(folder, 'mypy.ini'), '--cache-dir', join(temporary, 'mypy')]
  await runCommand([...mypy, packageDirectory], { cwd: folder, env })
  for (const directory of [prepareTests(), prepareExamples()]) await runCommand([...mypy, '.'], { cwd: directory, env })
})

test('the tests of both clients pass', async () => {
  const python = await getDevelopmentPython()
  const pytest = [python, '-m', 'pytest', '--quiet', '-p', 'no:cacheprovider', prepareTests()]
  expect(await runCommand(pytest, { cwd: temporary, env })).toMatch(/\b\d{3} passed\b/)
})
