import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  committedDocument,
  committedOpenApiFile,
  generatedTypesDirectory,
  generateOpenApiDocument,
  generateTypes,
} from './openapi.ts'
import { findBreakingChanges } from './openapi-compatibility.ts'

const temporary = mkdtempSync(join(tmpdir(), 'colophon-openapi-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const filesIn = (directory: string) =>
  Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]))

test('the committed document matches the routes; if not, run `npm run openapi`', () => {
  expect(committedDocument()).toEqual(generateOpenApiDocument())
})

test("the client's types match the committed document; if not, run `npm run openapi`", async () => {
  await generateTypes(committedOpenApiFile, temporary)
  expect(filesIn(generatedTypesDirectory)).toEqual(filesIn(temporary))
})

/** The committed document with changed operations for keys. */
function documentWith(change: (keys: Record<string, Record<string, unknown>>) => void) {
  const document = structuredClone(committedDocument()) as {
    paths: Record<string, Record<string, Record<string, unknown>>>
  }
  change(document.paths['/v2/projects/{projectId}/keys'] ?? {})
  return document
}

test('finds changes that break clients in the committed document, and no others', () => {
  const committed = committedDocument()
  const breaks = (change: Parameters<typeof documentWith>[0]) => findBreakingChanges(committed, documentWith(change))
  expect(breaks((keys) => delete keys.post)).toEqual(['POST /v2/projects/{projectId}/keys was removed'])
  expect(breaks((keys) => Object.assign(keys.get ?? {}, { operationId: 'keys' }))).toEqual([
    'GET /v2/projects/{projectId}/keys: the operationId was `listKeys` and is now `keys`',
  ])
  expect(breaks((keys) => Object.assign(keys.get ?? {}, { responses: {} }))).not.toEqual([])
  expect(breaks((keys) => Object.assign(keys, { put: keys.post }))).toEqual([])
})
