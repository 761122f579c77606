import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { committedDocument, committedFile, generatedDirectory, generatedDocument, generateTypes } from './openapi.ts'
import { breakingChanges } from './openapi-compatibility.ts'

const temporary = mkdtempSync(join(tmpdir(), 'colophon-openapi-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const filesIn = (directory: string) =>
  Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]))

test('the committed contract is what the routes make: else run `npm run openapi`', () => {
  expect(committedDocument()).toEqual(generatedDocument())
})

test("the client's types are what the committed contract makes: else run `npm run openapi`", async () => {
  await generateTypes(committedFile, temporary)
  expect(filesIn(generatedDirectory)).toEqual(filesIn(temporary))
})

/** The committed contract with one operation changed. */
function contractWith(change: (keys: Record<string, Record<string, unknown>>) => void) {
  const document = structuredClone(committedDocument()) as {
    paths: Record<string, Record<string, Record<string, unknown>>>
  }
  change(document.paths['/v2/projects/{projectId}/keys'] ?? {})
  return document
}

test('a change that breaks clients is found in the real contract, one that does not is let through', () => {
  const committed = committedDocument() ?? {}
  const breaks = (change: Parameters<typeof contractWith>[0]) => breakingChanges(committed, contractWith(change))
  expect(breaks((keys) => delete keys.post)).toEqual(['POST /v2/projects/{projectId}/keys was removed'])
  expect(breaks((keys) => Object.assign(keys.get ?? {}, { operationId: 'keys' }))).toEqual([
    'GET /v2/projects/{projectId}/keys: the operationId was `listKeys` and is now `keys`',
  ])
  expect(breaks((keys) => Object.assign(keys.get ?? {}, { responses: {} }))).not.toEqual([])
  expect(breaks((keys) => Object.assign(keys, { put: keys.post }))).toEqual([])
})
