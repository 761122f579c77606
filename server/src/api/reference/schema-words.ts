/** A schema in a table's cell: what a value is, and within which limits. */
import { schemaAnchor } from './anchors.ts'
import { type Html, html, joined } from './html.ts'
import { asObject, literalsOf, membersOf, referredName, type Schema, type SchemaObject } from './openapi-document.ts'

export function typeInWords(schema: Schema): Html {
  const literals = literalsOf(schema)
  const types = membersOf(schema)
    .filter((member) => literalsOf(member).length === 0)
    .map(memberInWords)
  return html`${joined([...literals.map((value) => html`<code>${asText(value)}</code>`), ...types], ' or ')}`
}

function memberInWords(schema: Schema): Html {
  const name = referredName(schema)
  if (name !== undefined) return html`<a href="#${schemaAnchor(name)}">${name}</a>`
  const { type, format, items, properties, additionalProperties, allOf } = asObject(schema)
  if (asObject(schema).anyOf || asObject(schema).oneOf) return typeInWords(schema)
  if (allOf) return html`${joined(allOf.map(memberInWords), ' and ')}`
  if (items !== undefined) return html`array of ${typeInWords(items)}`
  if (!properties && typeof additionalProperties === 'object') return html`map of ${typeInWords(additionalProperties)}`
  const types = [type ?? (properties ? 'object' : 'anything')].flat().join(' or ')
  return html`${types}${format === undefined ? '' : ` (${format})`}`
}

/** Each limit by itself, like "1 to 250" and "default 50". */
export function limitsInWords(schema: Schema): Html[] {
  const object = asObject(schema)
  const ofMembers = membersOf(schema).flatMap((member) => ownLimits(asObject(member)))
  const ofItems = membersOf(schema).flatMap((member) => {
    const { items } = asObject(member)
    return items === undefined ? [] : ownLimits(asObject(items)).map((limit) => html`each ${limit}`)
  })
  const byDefault = 'default' in object ? [html`default <code>${asText(object.default)}</code>`] : []
  return [...ofMembers, ...ofItems, ...byDefault]
}

function ownLimits(schema: SchemaObject): Html[] {
  const ranges = [
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    range(schema.minimum, schema.maximum),
    schema.exclusiveMinimum === undefined ? undefined : `more than ${grouped(schema.exclusiveMinimum)}`,
    schema.exclusiveMaximum === undefined ? undefined : `less than ${grouped(schema.exclusiveMaximum)}`,
  ].flatMap((words) => (words === undefined ? [] : [html`${words}`]))
  return schema.pattern === undefined ? ranges : [...ranges, html`matches <code>${schema.pattern}</code>`]
}

function range(from: number | undefined, to: number | undefined, unit?: string): string | undefined {
  const counted = unit === undefined ? '' : ` ${unit}${(to ?? from) === 1 ? '' : 's'}`
  if (from !== undefined && to !== undefined) {
    return `${from === to ? `exactly ${grouped(to)}` : `${grouped(from)} to ${grouped(to)}`}${counted}`
  }
  if (to !== undefined) return `at most ${grouped(to)}${counted}`
  return from === undefined ? undefined : `at least ${grouped(from)}${counted}`
}

const grouped = (number: number) => number.toLocaleString('en')

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
