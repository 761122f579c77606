/**
 * Inside a version fields and endpoints are only added. This finds where a newer OpenAPI document breaks what a client of the
 * older one relies on: answers may only become narrower or gain fields, requests may only become wider.
 *
 * Limits on answers (`maxLength`, `pattern` …) are not compared: they document, a client cannot break on them.
 */
import { isDeepStrictEqual } from 'node:util'

type Named<Value> = Readonly<Record<string, Value>>

interface SchemaObject {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Named<Schema>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema
  readonly items?: Schema
  readonly [keyword: string]: unknown
}
type Schema = boolean | SchemaObject

type Content = Named<{ readonly schema?: Schema }>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}

interface Answer {
  readonly headers?: Named<{ readonly required?: boolean; readonly schema?: Schema }>
  readonly content?: Content
}

type Security = readonly Named<readonly string[]>[]

interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content }
  readonly responses?: Named<Answer>
  readonly security?: Security
  readonly 'x-colophon-access'?: string | readonly string[]
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

type PathItem = { readonly [Method in (typeof methods)[number]]?: Operation } & {
  readonly parameters?: readonly Parameter[]
}

export interface OpenApiDocument {
  readonly paths?: Named<PathItem>
  readonly components?: { readonly schemas?: Named<Schema> }
  readonly security?: Security
}

/** What changed, and where below the schema's root: `views[].path`, or '' for the root itself. */
type Break = { readonly place: string } & ({ readonly gone: true } | { readonly how: string })
type Compare = (before: Schema, after: Schema) => Break[]
/** Of two schemas of the same type: their items and properties. */
type Inside = (before: SchemaObject, after: SchemaObject) => Break[]

/** One sentence for each way in which a client of `before` would fail against `after`. */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const compareRequests = schemaComparison('request', before, after)
  const compareResponses = schemaComparison('answer', before, after)
  const later = operations(after)
  return [...operations(before)].flatMap(([name, operation]) => {
    const next = later.get(name)
    if (!next) return [`${name} was removed`]
    return [
      ...operationIdChange(operation, next),
      ...stricterAccess(operation, next),
      ...parameterBreaks(operation, next, compareRequests),
      ...bodyBreaks(operation, next, compareRequests),
      ...responseBreaks(operation, next, compareResponses),
    ].map((sentence) => `${name}: ${sentence}`)
  })
}

/** By `GET /v2/me`, each with what it inherits from its path and from the document. */
function operations(document: OpenApiDocument): Map<string, Operation> {
  const found = new Map<string, Operation>()
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods) {
      const operation = item[method]
      if (!operation) continue
      found.set(`${method.toUpperCase()} ${path}`, {
        ...operation,
        parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])],
        security: operation.security ?? document.security ?? [],
      })
    }
  }
  return found
}

function operationIdChange({ operationId: was }: Operation, { operationId: is }: Operation): string[] {
  if (was === undefined || was === is) return []
  return [`the operationId was \`${was}\`${is === undefined ? ' and is gone' : ` and is now \`${is}\``}`]
}

/** One finding, though a generated document says it twice: as `security` and by name. */
function stricterAccess(before: Operation, after: Operation): string[] {
  const was = declaredAccess(before)
  const is = declaredAccess(after)
  const declaredStricter = is.length > 0 && !was.every((access) => admits(is, access))
  const stillSuffices = (credentials: Named<readonly string[]>) =>
    waysIn(after).some((needed) =>
      Object.entries(needed).every(([scheme, scopes]) => {
        const held = credentials[scheme]
        return held !== undefined && scopes.every((scope) => held.includes(scope))
      }),
    )
  if (declaredStricter) return [`access was ${inBackticks(was, 'or')} and is now ${inBackticks(is, 'or')}`]
  if (waysIn(before).every(stillSuffices)) return []
  return [`access was ${wordsForSecurity(before)} and is now ${wordsForSecurity(after)}`]
}

const declaredAccess = (operation: Operation) => [operation['x-colophon-access'] ?? []].flat()

/** A scope has a colon, and whoever holds one has a key. */
const admits = (now: readonly string[], access: string) =>
  now.includes('public') || now.includes(access) || (now.includes('any-key') && access.includes(':'))

const waysIn = ({ security = [] }: Operation): Security => (security.length === 0 ? [{}] : security)

const wordsForSecurity = (operation: Operation) =>
  inBackticks(
    waysIn(operation).map((way) => {
      const schemes = Object.entries(way).map(([scheme, scopes]) => [scheme, ...scopes].join(' '))
      return schemes.join(' and ') || 'public'
    }),
    'or',
  )

function parameterBreaks(before: Operation, after: Operation, compare: Compare): string[] {
  const was = parametersByName(before)
  const is = parametersByName(after)
  const breaks: string[] = []
  for (const [name, parameter] of was) {
    const next = is.get(name)
    if (!next) breaks.push(`${name} was removed`)
    else if (next.required && !parameter.required) breaks.push(`${name} is now required`)
    if (next) breaks.push(...sentences(name, compare(parameter.schema ?? true, next.schema ?? true)))
  }
  for (const [name, parameter] of is) {
    if (parameter.required && !was.has(name)) breaks.push(`${name} is new and required`)
  }
  return breaks
}

const parametersByName = ({ parameters = [] }: Operation) =>
  new Map(
    parameters.map((parameter) => {
      const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name
      return [`the ${parameter.in} parameter \`${name}\``, parameter]
    }),
  )

function bodyBreaks({ requestBody: was }: Operation, { requestBody: is }: Operation, compare: Compare): string[] {
  if (!was) return is?.required ? ['the body is new and required'] : []
  if (!is) return ['the body is no longer taken']
  return [
    ...(is.required && !was.required ? ['the body is now required'] : []),
    ...contentBreaks(was.content, is.content, compare).flatMap(({ subject, breaks }) =>
      sentences(`the body${subject}`, breaks),
    ),
  ]
}

function responseBreaks(before: Operation, after: Operation, compare: Compare): string[] {
  const sentencesLost: string[] = []
  // Error answers share one schema: what broke in it is said once for all of them.
  const responsesByBreak = new Map<string, { found: Break; responses: string[] }>()
  for (const [status, response] of Object.entries(before.responses ?? {})) {
    const next = after.responses?.[status]
    if (!next) {
      if (/^[123]/.test(status)) sentencesLost.push(`the answer ${status} was removed`)
      continue
    }
    const inHeaders = { subject: '', breaks: compare(headersAsSchema(response), headersAsSchema(next)) }
    for (const { subject, breaks } of [inHeaders, ...contentBreaks(response.content, next.content, compare)]) {
      for (const found of breaks) {
        const known = responsesByBreak.get(JSON.stringify(found)) ?? { found, responses: [] }
        known.responses.push(`${status}${subject}`)
        responsesByBreak.set(JSON.stringify(found), known)
      }
    }
  }
  const inResponses = [...responsesByBreak.values()].flatMap(({ found, responses }) =>
    sentences(responses.length === 1 ? `the answer ${responses[0]}` : `each of the answers ${list(responses, 'and')}`, [
      found,
    ]),
  )
  return [...sentencesLost, ...inResponses]
}

function headersAsSchema({ headers = {} }: Answer): Schema {
  const properties = Object.entries(headers).map(([name, { schema = true }]) => [name.toLowerCase(), schema])
  const required = Object.entries(headers).flatMap(([name, header]) => (header.required ? [name.toLowerCase()] : []))
  return {
    type: 'object',
    properties: { headers: { type: 'object', properties: Object.fromEntries(properties), required } },
  }
}

/** By media type; its name is part of the subject only where there are several to tell apart. */
function contentBreaks(was: Content = {}, is: Content = {}, compare: Compare): { subject: string; breaks: Break[] }[] {
  return Object.entries(was).map(([mediaType, { schema = true }]) => {
    const next = is[mediaType]
    if (!next) return { subject: '', breaks: [{ place: '', how: `can no longer be \`${mediaType}\`` }] }
    const subject = Object.keys(was).length > 1 ? ` as \`${mediaType}\`` : ''
    return { subject, breaks: compare(schema, next.schema ?? true) }
  })
}

const sentences = (subject: string, breaks: readonly Break[]) =>
  breaks.map((found) => {
    if ('gone' in found) return `${subject} no longer has \`${found.place}\``
    return found.place ? `in ${subject}, \`${found.place}\` ${found.how}` : `${subject} ${found.how}`
  })

/** Keywords that our documents do not use. A change in one is reported rather than judged. */
const notJudged = [
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  'prefixItems',
  'contains',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
] as const

type Direction = 'request' | 'answer'

function schemaComparison(direction: Direction, before: OpenApiDocument, after: OpenApiDocument): Compare {
  const properties = direction === 'answer' ? responseProperties : requestProperties
  return (beforeRoot, afterRoot) => {
    const compare: Compare = (was, is) =>
      compareAlternatives(direction, alternatives(before, was), alternatives(after, is), inside)

    // Every circle passes here. By identity and not by name: a schema may come round to itself through a component on one
    // side and inline on the other. For one root only: what was met inside a circle knows only a part of it.
    const known = new Map<SchemaObject, Map<SchemaObject, Break[]>>()
    const inside: Inside = (was, is) => {
      const knownForBefore = known.get(was) ?? new Map<SchemaObject, Break[]>()
      const knownBreaks = knownForBefore.get(is)
      if (knownBreaks) return knownBreaks
      const breaks: Break[] = []
      known.set(was, knownForBefore.set(is, breaks)) // met again while it is compared, it adds nothing
      breaks.push(...within('[]', compare(was.items ?? true, is.items ?? true)), ...properties(was, is, compare))
      return breaks
    }
    return compare(beforeRoot, afterRoot)
  }
}

function changesToJudgeByHand(before: SchemaObject, after: SchemaObject): Break[] {
  const changed = notJudged.filter((keyword) => !isDeepStrictEqual(before[keyword], after[keyword]))
  return changed.map((keyword) => ({ place: '', how: `has another \`${keyword}\`, which must be judged by hand` }))
}

/** Not what every object inherits: a field may be called `constructor`. */
const own = <Value>(named: Named<Value> | undefined, name: string) =>
  named && Object.hasOwn(named, name) ? named[name] : undefined

/** A reference that leads nowhere, or only to itself, promises nothing. */
function resolve({ components }: OpenApiDocument, schema: Schema): Schema {
  const passed = new Set<Schema>()
  let current: Schema = schema
  while (typeof current === 'object' && current.$ref !== undefined) {
    if (passed.has(current)) return true
    passed.add(current)
    current = own(components?.schemas, current.$ref.replace('#/components/schemas/', '')) ?? true
  }
  return current
}

/**
 * One of the things a value may be. Literals of a type stand together, however the document spread them over `anyOf`, and
 * `null` and booleans are literals however they are written.
 */
interface Alternative {
  readonly type: string
  readonly values?: ReadonlySet<unknown>
  readonly schema: SchemaObject
}

function alternatives(document: OpenApiDocument, schema: Schema): Alternative[] {
  const plain: Alternative[] = []
  const literals = new Map<string, Set<unknown>>()
  const passed = new Set<Schema>()
  const collect = (member: Schema): void => {
    const resolved = resolve(document, member)
    if (passed.has(resolved)) return
    passed.add(resolved)
    if (resolved === false) return
    const given: SchemaObject = resolved === true ? {} : resolved
    const union = given.anyOf ?? given.oneOf
    if (union) {
      for (const one of union) collect(one)
      return
    }
    const [types, values] = typesAndLiterals(given)
    plain.push(...types.map((type) => ({ type, schema: given })))
    for (const value of values) {
      const type = typeOfValue(value)
      literals.set(type, (literals.get(type) ?? new Set()).add(value))
    }
  }
  collect(schema)
  return [...plain, ...[...literals].map(([type, values]) => ({ type, values, schema: {} }))]
}

const anything = 'anything'

const fewValues: Named<readonly unknown[]> = { null: [null], boolean: [true, false] }

function typesAndLiterals(schema: SchemaObject): [types: readonly string[], literals: readonly unknown[]] {
  if (schema.enum) return [[], schema.enum]
  if ('const' in schema) return [[], [schema.const]]
  const types = typesOf(schema)
  return [types.filter((type) => !fewValues[type]), types.flatMap((type) => fewValues[type] ?? [])]
}

function typesOf({ type, properties, additionalProperties, items }: SchemaObject): readonly string[] {
  if (type !== undefined) return [type].flat()
  if (properties !== undefined || additionalProperties !== undefined) return ['object']
  return [items === undefined ? anything : 'array']
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function compareAlternatives(
  direction: Direction,
  before: readonly Alternative[],
  after: readonly Alternative[],
  inside: Inside,
): Break[] {
  const [parts, whole] = direction === 'answer' ? [after, before] : [before, after]
  const breaks: Break[] = []
  const strangers: Alternative[] = []
  for (const part of parts) {
    const nearest = whole
      .filter((candidate) => mayHold(candidate, part))
      .map((candidate) => {
        const [was, is] = direction === 'answer' ? [candidate, part] : [part, candidate]
        const compareOne = direction === 'answer' ? responseAlternative : requestAlternative
        return [...changesToJudgeByHand(was.schema, is.schema), ...compareOne(was, is, inside)]
      })
      .sort((one, other) => one.length - other.length)[0]
    if (nearest) breaks.push(...nearest)
    else strangers.push(part)
  }
  if (strangers.length > 0) breaks.push({ place: '', how: retyped(direction, before, after, strangers) })
  return breaks
}

function mayHold(whole: Alternative, part: Alternative): boolean {
  if (whole.type === anything) return true
  if (whole.type !== part.type && !(whole.type === 'number' && part.type === 'integer')) return false
  return whole.schema.format === undefined || part.values !== undefined || whole.schema.format === part.schema.format
}

function retyped(
  direction: Direction,
  before: readonly Alternative[],
  after: readonly Alternative[],
  strangers: readonly Alternative[],
): string {
  const allChanged = strangers.length === (direction === 'answer' ? after : before).length
  if (allChanged) return `was ${describe(before)} and is now ${describe(after)}`
  return `${direction === 'answer' ? 'may now also be' : 'may no longer be'} ${describe(strangers)}`
}

const describe = (all: readonly Alternative[]) =>
  list(
    all.map(({ type, values, schema }) =>
      values ? literalList(values) : `${type}${schema.format === undefined ? '' : ` (${schema.format})`}`,
    ),
    'or',
  ) || 'nothing'

function responseAlternative(before: Alternative, after: Alternative, inside: Inside): Break[] {
  if (before.type === anything) return []
  if (after.values) {
    const added = before.values ? after.values.difference(before.values) : new Set()
    return added.size === 0 ? [] : [{ place: '', how: `may now also be ${literalList(added)}` }]
  }
  if (before.values) return [{ place: '', how: `was ${literalList(before.values)} and may now be any ${after.type}` }]
  return inside(before.schema, after.schema)
}

function responseProperties(before: SchemaObject, after: SchemaObject, compare: Compare): Break[] {
  const breaks: Break[] = []
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const next = own(after.properties, name)
    if (next === undefined) {
      breaks.push({ place: name, gone: true })
      continue
    }
    if (before.required?.includes(name) && !after.required?.includes(name)) {
      breaks.push({ place: name, how: 'may now be missing' })
    }
    breaks.push(...within(name, compare(schema, next)))
  }
  const others = before.additionalProperties
  const nextOthers = after.additionalProperties ?? true
  if (typeof others !== 'object') return breaks
  return [...breaks, ...(nextOthers ? within('*', compare(others, nextOthers)) : [{ place: '*', gone: true as const }])]
}

function requestAlternative(before: Alternative, after: Alternative, inside: Inside): Break[] {
  if (after.type === anything) return []
  if (before.values) {
    const removed = after.values ? before.values.difference(after.values) : new Set()
    return removed.size === 0 ? [] : [{ place: '', how: `may no longer be ${literalList(removed)}` }]
  }
  if (after.values)
    return [{ place: '', how: `was any ${before.type} and may now only be ${literalList(after.values)}` }]
  return [...tightenedLimits(before.schema, after.schema), ...inside(before.schema, after.schema)]
}

function requestProperties(before: SchemaObject, after: SchemaObject, compare: Compare): Break[] {
  const breaks: Break[] = []
  const others = before.additionalProperties ?? true
  const nextOthers = after.additionalProperties ?? true
  for (const name of after.required ?? []) {
    if (before.required?.includes(name)) continue
    const known = own(before.properties, name) !== undefined
    breaks.push({ place: name, how: known ? 'is now required' : 'is new and required' })
  }
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const next = own(after.properties, name) ?? nextOthers
    if (next === false) breaks.push({ place: name, how: 'is no longer taken' })
    else breaks.push(...within(name, compare(schema, next)))
  }
  if (others === false) return breaks
  if (nextOthers === false) return [...breaks, { place: '', how: 'no longer takes properties it does not know' }]
  return [...breaks, ...within('*', compare(others, nextOthers))]
}

const lowest = { minLength: 0, minItems: 0, minProperties: 0, minimum: -Infinity, exclusiveMinimum: -Infinity }
const highest = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum'] as const
const exact = ['pattern', 'multipleOf', 'uniqueItems'] as const

function tightenedLimits(before: SchemaObject, after: SchemaObject): Break[] {
  const number = (schema: SchemaObject, keyword: string, unlimited: number) =>
    typeof schema[keyword] === 'number' ? schema[keyword] : unlimited
  const tightened = [
    ...Object.entries(lowest).flatMap(([keyword, unlimited]) =>
      number(after, keyword, unlimited) > number(before, keyword, unlimited) ? [keyword] : [],
    ),
    ...highest.filter((keyword) => number(after, keyword, Infinity) < number(before, keyword, Infinity)),
    ...exact.filter((keyword) => (after[keyword] ?? false) !== false && after[keyword] !== before[keyword]),
  ]
  return tightened.map((keyword) => {
    const was = before[keyword] === undefined ? 'none' : `\`${before[keyword]}\``
    return { place: '', how: `has a tighter \`${keyword}\`: it was ${was} and is now \`${after[keyword]}\`` }
  })
}

const within = (prefix: string, breaks: readonly Break[]): Break[] =>
  breaks.map((found) => {
    const separator = found.place === '' || found.place.startsWith('[') ? '' : '.'
    return { ...found, place: `${prefix}${separator}${found.place}` }
  })

const literalList = (values: Iterable<unknown>) =>
  inBackticks(
    [...values].map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
    'or',
  )

const inBackticks = (items: readonly string[], joint: 'and' | 'or') =>
  list(
    items.map((item) => `\`${item}\``),
    joint,
  )

const list = (items: readonly string[], joint: 'and' | 'or') =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} ${joint} ${items.at(-1)}`
