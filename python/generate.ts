/**
 * npm run python-client: generates what is derived in the Python client. `types.py` comes from datamodel-code-generator,
 * `operations.py` from the same API description, and the synchronous client from the asynchronous one.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../testing/services/run-command.ts'
import { getDevelopmentPython } from './development-python.ts'
import { type ApiDescription, keepCallsOfApiKeys, renderOperations } from './operations.ts'

export const packageDirectory = join(import.meta.dirname, 'colophon_client')
const descriptionFile = join(import.meta.dirname, '../sdk/openapi.json')

/** The content of each generated file, by name. */
export async function generateFiles(): Promise<Record<string, string>> {
  const description = keepCallsOfApiKeys(JSON.parse(readFileSync(descriptionFile, 'utf8')) as ApiDescription)
  return {
    'types.py': await generateTypes(description),
    'operations.py': renderOperations(description),
    '_sync_client.py': toSynchronous(readFileSync(join(packageDirectory, '_async_client.py'), 'utf8')),
  }
}

async function generateTypes(description: ApiDescription): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-python-client-'))
  try {
    writeFileSync(join(directory, 'openapi.json'), JSON.stringify(description))
    const generate = [await getDevelopmentPython(), '-m', 'datamodel_code_generator', ...generatorOptions]
    await runCommand(generate, { cwd: directory })
    return readFileSync(join(directory, 'types.py'), 'utf8')
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const generatorOptions = [
  ['--input', 'openapi.json'],
  ['--input-file-type', 'openapi'],
  ['--output', 'types.py'],
  ['--output-model-type', 'typing.TypedDict'],
  ['--openapi-scopes', 'paths', 'parameters'],
  ['--target-python-version', '3.10'],
  ['--custom-file-header', '# Generated from the API description: run `npm run python-client`.'],
  ['--formatters', 'builtin'],
  ['--naming-strategy', 'full-path'],
  ['--enum-field-as-literal', 'all'],
  ['--use-operation-id-as-name'],
  ['--no-use-closed-typed-dict'], // mypy does not support them
  ['--use-union-operator'],
  ['--use-standard-collections'],
  ['--use-schema-description'],
  ['--use-field-description'],
  ['--use-attribute-docstrings'],
  ['--use-inline-field-description'],
].flat()

/** In this order. */
const synchronousForms: readonly [RegExp, string][] = [
  [
    /"""The asynchronous client\..*"""/,
    '"""The synchronous client. Derived from `_async_client.py`: run `npm run python-client`."""',
  ],
  [/AsyncGenerator\[(.+), None\]/g, 'Generator[$1, None, None]'],
  [/import anyio\n/, ''],
  [/\banyio\.sleep\b/g, 'time.sleep'],
  [/\basynccontextmanager\b/g, 'contextmanager'],
  [/\baclosing\b/g, 'closing'],
  [/\basync (def|for|with)\b/g, '$1'],
  [/`async with`/g, '`with`'],
  [/\bawait /g, ''],
  [/\bAsync([A-Z])/g, '$1'],
  [/__a(iter|enter|exit)__/g, '__$1__'],
  [/\ba(iter_bytes|read|close)\b/g, '$1'],
]

/** What psycopg, elasticsearch-py and httpcore do, too: the two clients differ in nothing but these words. */
export const toSynchronous = (source: string): string =>
  synchronousForms.reduce((text, [form, replacement]) => text.replace(form, replacement), source)

if (import.meta.main) {
  for (const [name, content] of Object.entries(await generateFiles()))
    writeFileSync(join(packageDirectory, name), content)
  console.log('The generated files of the Python client are up to date.')
}
