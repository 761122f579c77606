/** A call to copy: the example that a schema gives, else what is required and nothing else, with values that are allowed. */
import { needsKey } from './access.ts'
import {
  type Call,
  type Content,
  literalsOf,
  membersOf,
  type OpenApiDocument,
  type Operation,
  referredName,
  resolve,
  type Schema,
} from './openapi-document.ts'

const maxLineCharacters = 72

export function curlExample(document: OpenApiDocument, { method, path, operation }: Call): string {
  const body = exampleBody(document, operation.requestBody?.content)
  const impliedMethod = body === undefined ? 'GET' : 'POST'
  return [
    `curl${method === impliedMethod ? '' : ` -X ${method}`} ${addressOf(document, path, operation)}`,
    ...(needsKey(operation) ? ['-H "Authorization: Bearer $COLOPHON_API_KEY"'] : []),
    ...requiredParameters(document, operation, 'header').map(
      ([name, value]) => `-H ${singleQuoted(`${name}: ${value}`)}`,
    ),
    ...(body === undefined
      ? []
      : [`-H ${singleQuoted(`Content-Type: ${body.mediaType}`)}`, `-d ${singleQuoted(body.text)}`]),
  ].join(' \\\n  ')
}

/** The document's own server where it names one; else a variable, as the page's introduction says. */
export const baseUrl = ({ servers }: OpenApiDocument): string =>
  servers?.find(({ url }) => /^https?:/.test(url))?.url.replace(/\/$/, '') ?? '$COLOPHON_URL'

function addressOf(document: OpenApiDocument, path: string, operation: Operation): string {
  const query = requiredParameters(document, operation, 'query').map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  const target = `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return `"${baseUrl(document)}${target.replace(/[\\"`$]/g, '\\$&')}"` // double quotes: the variable has to be read
}

function requiredParameters(document: OpenApiDocument, { parameters = [] }: Operation, place: 'header' | 'query') {
  return parameters
    .filter((parameter) => parameter.in === place && parameter.required)
    .map(({ name, schema }): [name: string, value: string] => [name, String(exampleValue(document, schema ?? true))])
}

function exampleBody(
  document: OpenApiDocument,
  content: Content = {},
): { mediaType: string; text: string } | undefined {
  const first = Object.entries(content)[0]
  if (!first) return undefined
  const [mediaType, { schema = true, example }] = first
  const value = example ?? exampleValue(document, schema)
  const line = JSON.stringify(value)
  return {
    mediaType,
    text: line.length > maxLineCharacters ? JSON.stringify(value, null, 2).replaceAll('\n', '\n  ') : line,
  }
}

function exampleValue(document: OpenApiDocument, schema: Schema, inside: readonly string[] = []): unknown {
  const name = referredName(schema)
  if (name !== undefined && inside.includes(name)) return null
  const within = name === undefined ? inside : [...inside, name]
  const resolved = resolve(document, schema)
  const candidates = [
    ...(resolved.examples ?? []),
    ...('default' in resolved ? [resolved.default] : []),
    ...literalsOf(resolved),
  ]
  const given = candidates[0]
  if (given !== undefined) return given
  const [member = resolved] = membersOf(resolved)
  if (member !== resolved) return exampleValue(document, member, within)
  switch ([resolved.type].flat()[0]) {
    case 'object': {
      const properties = Object.entries(resolved.properties ?? {})
      const required = properties.filter(([property]) => resolved.required?.includes(property))
      const shown = required.length > 0 ? required : properties.slice(0, 1)
      return Object.fromEntries(shown.map(([property, inner]) => [property, exampleValue(document, inner, within)]))
    }
    case 'array':
      return [exampleValue(document, resolved.items ?? true, within)]
    case 'integer':
    case 'number':
      return Math.min(resolved.minimum ?? (resolved.exclusiveMinimum ?? 0) + 1, resolved.maximum ?? Infinity)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return exampleText[resolved.format ?? ''] ?? '…'
  }
}

const exampleText: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  uri: 'https://example.com/',
  email: 'someone@example.com',
}

const singleQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
