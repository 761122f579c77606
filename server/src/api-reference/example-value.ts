/** A valid value for a schema: its own example, or one composed from its required fields. */
import {
  literalValues,
  type OpenApiDocument,
  referencedSchemaName,
  resolveSchema,
  type Schema,
  unionMembers,
} from './openapi-document.ts'

/** For a string without an example. checks/openapi-quality.ts keeps it out of the response examples. */
export const examplePlaceholder = '…'

export function exampleValue(document: OpenApiDocument, schema: Schema, ancestors: readonly string[] = []): unknown {
  const name = referencedSchemaName(schema)
  if (name !== undefined && ancestors.includes(name)) return null // a recursive schema ends here
  const path = name === undefined ? ancestors : [...ancestors, name]
  const resolved = resolveSchema(document, schema)
  const candidates = [
    ...(resolved.examples ?? []),
    ...('default' in resolved ? [resolved.default] : []),
    ...literalValues(resolved),
  ]
  const candidate = candidates[0]
  if (candidate !== undefined) return candidate
  const [member = resolved] = unionMembers(resolved)
  if (member !== resolved) return exampleValue(document, member, path)
  switch ([resolved.type].flat()[0]) {
    case 'object': {
      const properties = Object.entries(resolved.properties ?? {})
      const required = properties.filter(([property]) => resolved.required?.includes(property))
      const shown = required.length > 0 ? required : properties.slice(0, 1)
      return Object.fromEntries(shown.map(([property, inner]) => [property, exampleValue(document, inner, path)]))
    }
    case 'array':
      return [exampleValue(document, resolved.items ?? true, path)]
    case 'integer':
    case 'number':
      return Math.min(resolved.minimum ?? (resolved.exclusiveMinimum ?? 0) + 1, resolved.maximum ?? Infinity)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return exampleText[resolved.format ?? ''] ?? examplePlaceholder
  }
}

const exampleText: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  uri: 'https://example.com/',
  email: 'someone@example.com',
}
