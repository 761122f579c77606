/**
 * Lints an OpenAPI document with the rules of redocly.yaml, and finds what these cannot: missing descriptions of fields, missing
 * examples, open error codes.
 */
import { join } from 'node:path'
import { lintFromString, loadConfig } from '@redocly/openapi-core'
import { examplePlaceholder } from '../server/src/api-reference/example-value.ts'
import {
  listEndpoints,
  literalValues,
  type OpenApiDocument,
  referencedSchemaName,
  type Schema,
  toSchemaObject,
  unionMembers,
} from '../server/src/api-reference/openapi-document.ts'

export async function findOpenApiQualityProblems(document: OpenApiDocument): Promise<string[]> {
  return [
    ...(await lint(document)),
    ...Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) => [
      ...(toSchemaObject(schema).description ? [] : [`schema ${name} has no description`]),
      ...undescribedFields(schema, name),
      ...openErrorCodes(schema, name),
    ]),
    ...listEndpoints(document).flatMap(({ operation }) => operationProblems(operation)),
  ]
}

const config = await loadConfig({ configPath: join(import.meta.dirname, '../redocly.yaml') })

async function lint(document: OpenApiDocument): Promise<string[]> {
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  return problems.map(({ ruleId, message, location: [place] }) => `${place?.pointer}: ${message} (${ruleId})`)
}

type Operation = ReturnType<typeof listEndpoints>[number]['operation']
type Content = NonNullable<NonNullable<Operation['responses']>[string]['content']>

function operationProblems(operation: Operation): string[] {
  const name = operation.operationId ?? '?'
  const bodies = Object.values(operation.requestBody?.content ?? {})
  return [
    ...bodies.flatMap(({ schema = true }) => undescribedFields(schema, `${name} body`)),
    ...Object.entries(operation.responses ?? {}).flatMap(([status, { content = {} }]) =>
      responseBodyProblems(`${name}: response ${status}`, status, content),
    ),
  ]
}

function responseBodyProblems(name: string, status: string, content: Content): string[] {
  const json = content['application/json']
  const fields = Object.values(content).flatMap(({ schema = true }) => undescribedFields(schema, name))
  if (!status.startsWith('2') || !json) return fields
  if (json.example === undefined) return [...fields, `${name} has no example`]
  const placeholders = placeholderPaths(json.example)
  if (placeholders.length === 0) return fields
  return [...fields, `${name}: the example has a placeholder at ${placeholders.join(', ')}`]
}

/** Fields without a description, at any depth. References are skipped, because named schemas are checked on their own. */
function undescribedFields(schema: Schema, path: string): string[] {
  if (referencedSchemaName(schema) !== undefined) return []
  const object = toSchemaObject(schema)
  const members = unionMembers(object)
  if (members[0] !== object) return members.flatMap((member) => undescribedFields(member, path))
  return [
    ...Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
      const isDescribed = referencedSchemaName(field) !== undefined || toSchemaObject(field).description
      return [
        ...(isDescribed ? [] : [`${path}.${name} has no description`]),
        ...undescribedFields(field, `${path}.${name}`),
      ]
    }),
    ...(object.items ? undescribedFields(object.items, `${path}[]`) : []),
    ...(object.additionalProperties ? undescribedFields(object.additionalProperties, `${path}{}`) : []),
  ]
}

/** Clients branch on the code of a failed job, so the list of codes has to be closed. */
function openErrorCodes(schema: Schema, name: string): string[] {
  const error = toSchemaObject(schema).properties?.error ?? true
  return unionMembers(error).flatMap((member) => {
    const code = toSchemaObject(member).properties?.code
    return code === undefined || literalValues(code).length > 0 ? [] : [`${name}.error.code is not an enum`]
  })
}

function placeholderPaths(value: unknown, path = ''): string[] {
  if (value === examplePlaceholder) return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => placeholderPaths(inner, `${path}/${key}`))
}
