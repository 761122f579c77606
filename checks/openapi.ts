/**
 * npm run openapi: writes the contract that is made from the routes to `sdk/openapi.json`, and the client's types from it.
 * Refuses where a client that was written against the committed contract would break.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { type ApiDeps, apiRoutes } from '../server/src/api/app.ts'
import { openApiDocument } from '../server/src/api/openapi.ts'
import { breakingChanges, type OpenApiDocument } from './openapi-compatibility.ts'

const sdk = join(import.meta.dirname, '../sdk')
export const committedFile = join(sdk, 'openapi.json')
export const generatedDirectory = join(sdk, 'src/generated')

/** The routes only close over their parts: nothing is called while they are listed. */
export const generatedDocument = () =>
  JSON.parse(JSON.stringify(openApiDocument(apiRoutes({} as ApiDeps)))) as OpenApiDocument

export function committedDocument(): OpenApiDocument | undefined {
  // Only where there is none yet: one that cannot be read must not pass for one that promises nothing.
  return existsSync(committedFile) ? (JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument) : undefined
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
  const after = generatedDocument()
  const breaks = before ? breakingChanges(before, after) : []
  for (const sentence of breaks) console.error(`Breaks clients: ${sentence}`)
  if (breaks.length > 0) process.exit(1)
  writeFileSync(committedFile, `${JSON.stringify(after, null, 2)}\n`)
  await generateTypes(committedFile, generatedDirectory)
  console.log('sdk/openapi.json and the client types are up to date.')
}
