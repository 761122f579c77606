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
 * A copy of what the schema names of a value that was checked against it, and of nothing else: so a request is made anew, and
 * a field that a vendor invents tomorrow is not passed on before somebody has written it down here.
 *
 * Where there are variants, they are told apart by their constants (`type`, `role`): a kind that is not named has failed the check.
 */
export const knownParts = (schema: TSchema, value: unknown): unknown => copy(schema as Node, value)

function copy(node: Node, value: unknown): unknown {
  if (node.anyOf) {
    const variant = node.anyOf.find((each) => fits(each, value))
    if (!variant) throw new Error('a value that was checked fits none of its variants')
    return copy(variant, value)
  }
  if (node.items) return (value as unknown[]).map((item) => copy(node.items as Node, item))
  if (!node.properties) return value // text, a number, or JSON that belongs to a tool
  const known: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(node.properties)) {
    const given = (value as Record<string, unknown>)[name]
    if (given !== undefined) known[name] = copy(property, given)
  }
  return known
}

function fits(node: Node, value: unknown): boolean {
  if (node.const !== undefined) return value === node.const
  if (node.enum) return node.enum.includes(value)
  if (node.type !== typeOf(value)) return false
  return Object.entries(node.properties ?? {}).every(([name, property]) => {
    if (property.const === undefined) return true
    const given = (value as Record<string, unknown>)[name]
    return given === undefined ? !node.required?.includes(name) : given === property.const
  })
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
