import type { TSchema } from 'typebox'

type Node = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Node[]
  items?: Node
  properties?: Record<string, Node>
  required?: string[]
}

/**
 * Copies from a validated value the fields that the schema contains, and nothing else: so a request is rebuilt, and a
 * field that a provider introduces later is not passed on before the schema contains it.
 *
 * The variants of a union are distinguished by their constants (`type`, `role`); unknown types have failed the validation.
 */
export const pickSchemaFields = (schema: TSchema, value: unknown): unknown => copy(schema as Node, value)

function copy(node: Node, value: unknown): unknown {
  if (node.anyOf) {
    const variant = node.anyOf.find((candidate) => matches(candidate, value))
    if (!variant) throw new Error('a validated value matches no variant of its schema')
    return copy(variant, value)
  }
  if (node.items) return (value as unknown[]).map((item) => copy(node.items as Node, item))
  if (!node.properties) return value // text, a number, or JSON that belongs to a tool
  const copied: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(node.properties)) {
    const field = (value as Record<string, unknown>)[name]
    if (field !== undefined) copied[name] = copy(property, field)
  }
  return copied
}

function matches(node: Node, value: unknown): boolean {
  if (node.const !== undefined) return value === node.const
  if (node.enum) return node.enum.includes(value)
  if (node.type !== typeOf(value)) return false
  return Object.entries(node.properties ?? {}).every(([name, property]) => {
    if (property.const === undefined) return true
    const field = (value as Record<string, unknown>)[name]
    return field === undefined ? !node.required?.includes(name) : field === property.const
  })
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
