/**
 * npm run openapi: generates the OpenAPI document from the routes, writes it to `sdk/openapi.json`, and generates the client's
 * types from it. `npm run check:api` finds what would break clients.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { type ApiDeps, createApiRoutes } from '../server/src/api/app.ts'
import { buildOpenApiDocument } from '../server/src/api/openapi.ts'
import type { OpenApiDocument } from './openapi-compatibility.ts'

const sdk = join(import.meta.dirname, '../sdk')
export const committedOpenApiFile = join(sdk, 'openapi.json')
export const generatedTypesDirectory = join(sdk, 'src/generated')

/** Listing the routes calls nothing, so no dependencies are needed. */
export const generateOpenApiDocument = () =>
  JSON.parse(JSON.stringify(buildOpenApiDocument(createApiRoutes({} as ApiDeps)))) as OpenApiDocument

export const committedDocument = () => JSON.parse(readFileSync(committedOpenApiFile, 'utf8')) as OpenApiDocument

export const generateTypes = (input: string, output: string) =>
  createClient({
    input,
    output: { path: output, entryFile: false },
    plugins: ['@hey-api/typescript'],
    logs: { level: 'silent', file: false },
  })

if (import.meta.main) {
  writeFileSync(committedOpenApiFile, `${JSON.stringify(generateOpenApiDocument(), null, 2)}\n`)
  await generateTypes(committedOpenApiFile, generatedTypesDirectory)
  console.log('sdk/openapi.json and the client types are up to date.')
}
