/**
 * npm run openapi: generates the OpenAPI document from the routes, writes it to `sdk/openapi.json`, and generates the client's
 * types from it. Fails if the new document would break clients of the committed one.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { type ApiDeps, createApiRoutes } from '../server/src/api/app.ts'
import { buildOpenApiDocument } from '../server/src/api/openapi.ts'
import { findBreakingChanges, type OpenApiDocument } from './openapi-compatibility.ts'

const sdk = join(import.meta.dirname, '../sdk')
export const committedOpenApiFile = join(sdk, 'openapi.json')
export const generatedTypesDirectory = join(sdk, 'src/generated')

/** Listing the routes calls nothing, so no dependencies are needed. */
export const generateOpenApiDocument = () =>
  JSON.parse(JSON.stringify(buildOpenApiDocument(createApiRoutes({} as ApiDeps)))) as OpenApiDocument

export function committedDocument(): OpenApiDocument | undefined {
  // Undefined only if the file is missing: a file that cannot be parsed must not count as a document without guarantees.
  return existsSync(committedOpenApiFile)
    ? (JSON.parse(readFileSync(committedOpenApiFile, 'utf8')) as OpenApiDocument)
    : undefined
}

export const generateTypes = (input: string, output: string) =>
  createClient({
    input,
    output: { path: output, entryFile: false },
    plugins: ['@hey-api/typescript'],
    logs: { level: 'silent', file: false },
  })

if (import.meta.main) {
  const before = committedDocument()
  const after = generateOpenApiDocument()
  const breakingChanges = before ? findBreakingChanges(before, after) : []
  for (const sentence of breakingChanges) console.error(`Breaks clients: ${sentence}`)
  if (breakingChanges.length > 0) process.exit(1)
  writeFileSync(committedOpenApiFile, `${JSON.stringify(after, null, 2)}\n`)
  await generateTypes(committedOpenApiFile, generatedTypesDirectory)
  console.log('sdk/openapi.json and the client types are up to date.')
}
