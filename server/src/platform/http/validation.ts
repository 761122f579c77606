/** Validates requests strictly against their TypeBox schemas: no value is silently rounded, truncated or dropped. */
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type FieldError, Problem } from './problem.ts'

type RequestPart = 'body' | 'querystring' | 'params' | 'headers'

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const compiled = Compile(schema)
  const part = (httpPart ?? 'body') as RequestPart
  return (value: unknown) => {
    const input = part === 'querystring' ? parseQuery(schema, value) : value
    if (compiled.Check(input)) return { value: input }
    return { error: invalidRequest(part, compiled.Errors(truncateArrays(input))) }
  }
}

const maxReportedItems = 1_000

/**
 * Errors are searched for only at the beginning of long arrays: to find the duplicates among 500,000 items (1 MiB), TypeBox
 * takes minutes, in which the process serves no other request.
 */
function truncateArrays(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, maxReportedItems).map(truncateArrays)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, truncateArrays(inner)]))
}

type SchemaError = Pick<FastifySchemaValidationError, 'keyword' | 'instancePath' | 'params' | 'message'>

const publicPartNames = { body: 'body', querystring: 'query', params: 'path', headers: 'headers' } as const

function invalidRequest(part: RequestPart, schemaErrors: Iterable<object>): Problem {
  const errors = [...schemaErrors]
    .flatMap((error) => toFieldErrors(publicPartNames[part], error as SchemaError))
    .slice(0, 20)
  const [first] = errors
  const detail = first ? `${first.path} ${first.message}.` : 'The request does not match the schema.'
  return new Problem('invalid_request', detail, { errors })
}

function toFieldErrors(partName: string, { keyword, instancePath, params, message }: SchemaError): FieldError[] {
  const path = truncatePath(`${partName}${instancePath}`)
  switch (keyword) {
    case 'required':
      return (params.requiredProperties as string[]).map((name) => ({ path: `${path}/${name}`, message: 'is missing' }))
    case 'boolean': // a field whose schema is `false`
      return [{ path, message: 'is not a known field' }]
    case 'additionalProperties':
      return [] // repeats the same fields, and is missing after eight errors, which is all that TypeBox reports
    default:
      return [{ path, message: message ?? 'is not valid' }]
  }
}

/** The name of an unknown field can be as long as the body. */
const truncatePath = (path: string) => (path.length > 100 ? `${path.slice(0, 100).toWellFormed()}…` : path)

/** A query string contains only text: parses integers and booleans where the schema has them, and fills in defaults. */
function parseQuery(schema: TSchema, value: unknown): Record<string, unknown> {
  const query = value as Record<string, unknown>
  const properties = (schema as { properties?: Record<string, { type?: string; default?: unknown }> }).properties ?? {}
  const parsed: Record<string, unknown> = { ...query }
  for (const [name, { type, default: defaultValue }] of Object.entries(properties)) {
    const text = query[name]
    if (text === undefined && defaultValue !== undefined) parsed[name] = defaultValue
    else if (typeof text === 'string' && type === 'integer' && /^-?\d{1,15}$/.test(text)) parsed[name] = Number(text)
    else if (type === 'boolean' && (text === 'true' || text === 'false')) parsed[name] = text === 'true'
  }
  return parsed
}
