/** Requests are checked against their TypeBox schemas, to the letter: nothing is quietly rounded, cut or left out. */
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type FieldError, Problem } from './problem.ts'

type Deps = 'body' | 'querystring' | 'params' | 'headers'

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const compiled = Compile(schema)
  const part = (httpPart ?? 'body') as Deps
  return (value: unknown) => {
    const input = part === 'querystring' ? readQuery(schema, value) : value
    if (compiled.Check(input)) return { value: input }
    return { error: invalidRequest(part, compiled.Errors(beginningOf(input))) }
  }
}

const reportedItems = 1_000

/**
 * Mistakes are looked for at the beginning of long arrays only: to say which of 500,000 items are there twice (1 MiB),
 * TypeBox takes minutes, in which nobody else is answered.
 */
function beginningOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, reportedItems).map(beginningOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, beginningOf(inner)]))
}

type SchemaError = Pick<FastifySchemaValidationError, 'keyword' | 'instancePath' | 'params' | 'message'>

const placeNames = { body: 'body', querystring: 'query', params: 'path', headers: 'headers' } as const

function invalidRequest(part: Deps, found: Iterable<object>): Problem {
  const errors = [...found].flatMap((error) => asFieldErrors(placeNames[part], error as SchemaError)).slice(0, 20)
  const [first] = errors
  const detail = first ? `${first.path} ${first.message}.` : 'The request does not have the form that is asked for.'
  return new Problem('invalid_request', detail, { errors })
}

function asFieldErrors(place: string, { keyword, instancePath, params, message }: SchemaError): FieldError[] {
  const at = shortened(`${place}${instancePath}`)
  switch (keyword) {
    case 'required':
      return (params.requiredProperties as string[]).map((name) => ({ path: `${at}/${name}`, message: 'is missing' }))
    case 'boolean': // a field for which the schema has only `false`
      return [{ path: at, message: 'is not known here' }]
    case 'additionalProperties':
      return [] // the same fields once more; and not told at all after eight mistakes, which is all that TypeBox tells
    default:
      return [{ path: at, message: message ?? 'is not valid' }]
  }
}

/** An unknown field's name can be as long as the body. */
const shortened = (path: string) => (path.length > 100 ? `${path.slice(0, 100).toWellFormed()}…` : path)

/** A query holds only text: integers and booleans are read from it where the schema has them, and defaults are filled in. */
function readQuery(schema: TSchema, value: unknown): Record<string, unknown> {
  const given = value as Record<string, unknown>
  const properties = (schema as { properties?: Record<string, { type?: string; default?: unknown }> }).properties ?? {}
  const read: Record<string, unknown> = { ...given }
  for (const [name, { type, default: otherwise }] of Object.entries(properties)) {
    const text = given[name]
    if (text === undefined && otherwise !== undefined) read[name] = otherwise
    else if (typeof text === 'string' && type === 'integer' && /^-?\d{1,15}$/.test(text)) read[name] = Number(text)
    else if (type === 'boolean' && (text === 'true' || text === 'false')) read[name] = text === 'true'
  }
  return read
}
