/** The type and the constraints of a schema, for a table cell. */
import { schemaAnchor } from './anchors.ts'
import { type Html, html, joinHtml } from './html.ts'
import {
  literalValues,
  referencedSchemaName,
  type Schema,
  type SchemaObject,
  toSchemaObject,
  unionMembers,
} from './openapi-document.ts'

export function typeLabel(schema: Schema): Html {
  const literals = literalValues(schema)
  const types = unionMembers(schema)
    .filter((member) => literalValues(member).length === 0)
    .map(memberLabel)
  return html`${joinHtml([...literals.map((value) => html`<code>${toText(value)}</code>`), ...types], ' or ')}`
}

function memberLabel(schema: Schema): Html {
  const name = referencedSchemaName(schema)
  if (name !== undefined) return html`<a href="#${schemaAnchor(name)}">${name}</a>`
  const { type, format, items, properties, additionalProperties, allOf } = toSchemaObject(schema)
  if (toSchemaObject(schema).anyOf || toSchemaObject(schema).oneOf) return typeLabel(schema)
  if (allOf) return html`${joinHtml(allOf.map(memberLabel), ' and ')}`
  if (items !== undefined) return html`array of ${typeLabel(items)}`
  if (!properties && typeof additionalProperties === 'object') return html`map of ${typeLabel(additionalProperties)}`
  const types = [type ?? (properties ? 'object' : 'anything')].flat().join(' or ')
  return html`${types}${format === undefined ? '' : ` (${format})`}`
}

/** One label for each constraint, like "1 to 250" and "default 50". */
export function constraintLabels(schema: Schema): Html[] {
  const object = toSchemaObject(schema)
  const memberLimits = unionMembers(schema).flatMap((member) => ownLimits(toSchemaObject(member)))
  const itemLimits = unionMembers(schema).flatMap((member) => {
    const { items } = toSchemaObject(member)
    return items === undefined ? [] : ownLimits(toSchemaObject(items)).map((limit) => html`each ${limit}`)
  })
  const defaultLabel = 'default' in object ? [html`default <code>${toText(object.default)}</code>`] : []
  return [...memberLimits, ...itemLimits, ...defaultLabel]
}

function ownLimits(schema: SchemaObject): Html[] {
  const ranges = [
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    range(schema.minimum, schema.maximum),
    schema.exclusiveMinimum === undefined ? undefined : `more than ${formatNumber(schema.exclusiveMinimum)}`,
    schema.exclusiveMaximum === undefined ? undefined : `less than ${formatNumber(schema.exclusiveMaximum)}`,
  ].flatMap((label) => (label === undefined ? [] : [html`${label}`]))
  return schema.pattern === undefined ? ranges : [...ranges, html`matches <code>${schema.pattern}</code>`]
}

function range(min: number | undefined, max: number | undefined, unit?: string): string | undefined {
  const units = unit === undefined ? '' : ` ${unit}${(max ?? min) === 1 ? '' : 's'}`
  if (min !== undefined && max !== undefined) {
    return `${min === max ? `exactly ${formatNumber(max)}` : `${formatNumber(min)} to ${formatNumber(max)}`}${units}`
  }
  if (max !== undefined) return `at most ${formatNumber(max)}${units}`
  return min === undefined ? undefined : `at least ${formatNumber(min)}${units}`
}

const formatNumber = (number: number) => number.toLocaleString('en')

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
