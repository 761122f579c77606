/**
 * Within a version, fields and endpoints are only added. This check finds where a newer OpenAPI document breaks what a client
 * of the older one relies on: responses may only become narrower or gain fields, requests may only become wider.
 *
 * Limits on responses (`maxLength`, `pattern` …) are not compared: they are documentation, and clients do not break on them.
 * A new error code is not reported: docs/api.md requires clients to ignore error codes that they do not know.
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

interface ResponseObject {
  readonly headers?: Named<{ readonly required?: boolean; readonly schema?: Schema }>
  readonly content?: Content
}

type Security = readonly Named<readonly string[]>[]

interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content }
  readonly responses?: Named<ResponseObject>
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

/** What changed, and the path of the field in the schema: `views[].path`, or '' for the schema itself. */
type Break = { readonly path: string } & (
  | { readonly isRemoved: true }
  | { readonly change: string; readonly isNewValue?: boolean }
)
type Compare = (before: Schema, after: Schema) => Break[]
/** Compares the items and properties of two schemas of the same type. */
type CompareChildren = (before: SchemaObject, after: SchemaObject) => Break[]

/** One sentence for each way in which a client of `before` would fail against `after`. */
export function findBreakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const compareRequests = schemaComparison('request', before, after)
  const compareResponses = schemaComparison('response', before, after)
  const operationsAfter = listOperations(after)
  return [...listOperations(before)].flatMap(([name, operation]) => {
    const next = operationsAfter.get(name)
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

/** By name, such as `GET /v2/me`, each with what it inherits from its path and from the document. */
function listOperations(document: OpenApiDocument): Map<string, Operation> {
  const operations = new Map<string, Operation>()
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods) {
      const operation = item[method]
      if (!operation) continue
      operations.set(`${method.toUpperCase()} ${path}`, {
        ...operation,
        parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])],
        security: operation.security ?? document.security ?? [],
      })
    }
  }
  return operations
}

function operationIdChange(before: Operation, after: Operation): string[] {
  if (before.operationId === undefined || before.operationId === after.operationId) return []
  const now = after.operationId === undefined ? 'was removed' : `is now \`${after.operationId}\``
  return [`the operationId was \`${before.operationId}\` and ${now}`]
}

/** One sentence, although a generated document declares access twice: as `security` and by name. */
function stricterAccess(before: Operation, after: Operation): string[] {
  const accessBefore = declaredAccess(before)
  const accessAfter = declaredAccess(after)
  const isDeclaredStricter = accessAfter.length > 0 && !accessBefore.every((access) => admits(accessAfter, access))
  const stillSuffices = (credentials: Named<readonly string[]>) =>
    securityOptions(after).some((required) =>
      Object.entries(required).every(([scheme, scopes]) => {
        const granted = credentials[scheme]
        return granted !== undefined && scopes.every((scope) => granted.includes(scope))
      }),
    )
  if (isDeclaredStricter)
    return [`access was ${inBackticks(accessBefore, 'or')} and is now ${inBackticks(accessAfter, 'or')}`]
  if (securityOptions(before).every(stillSuffices)) return []
  return [`access was ${formatSecurity(before)} and is now ${formatSecurity(after)}`]
}

const declaredAccess = (operation: Operation) => [operation['x-colophon-access'] ?? []].flat()

/** A scope contains a colon. A caller with a scope has a key. */
const admits = (allowed: readonly string[], access: string) =>
  allowed.includes('public') || allowed.includes(access) || (allowed.includes('any-key') && access.includes(':'))

const securityOptions = ({ security = [] }: Operation): Security => (security.length === 0 ? [{}] : security)

const formatSecurity = (operation: Operation) =>
  inBackticks(
    securityOptions(operation).map((required) => {
      const schemes = Object.entries(required).map(([scheme, scopes]) => [scheme, ...scopes].join(' '))
      return schemes.join(' and ') || 'public'
    }),
    'or',
  )

function parameterBreaks(before: Operation, after: Operation, compare: Compare): string[] {
  const parametersBefore = parametersByName(before)
  const parametersAfter = parametersByName(after)
  const breaks: string[] = []
  for (const [name, parameter] of parametersBefore) {
    const next = parametersAfter.get(name)
    if (!next) breaks.push(`${name} was removed`)
    else if (next.required && !parameter.required) breaks.push(`${name} is now required`)
    if (next) breaks.push(...sentences(name, compare(parameter.schema ?? true, next.schema ?? true)))
  }
  for (const [name, parameter] of parametersAfter) {
    if (parameter.required && !parametersBefore.has(name)) breaks.push(`${name} is new and required`)
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

function bodyBreaks({ requestBody: before }: Operation, { requestBody: after }: Operation, compare: Compare): string[] {
  if (!before) return after?.required ? ['the body is new and required'] : []
  if (!after) return ['the body is no longer accepted']
  return [
    ...(after.required && !before.required ? ['the body is now required'] : []),
    ...contentBreaks(before.content, after.content, compare).flatMap(({ subject, breaks }) =>
      sentences(`the body${subject}`, breaks),
    ),
  ]
}

function responseBreaks(before: Operation, after: Operation, compare: Compare): string[] {
  const removed: string[] = []
  // Error responses share one schema: a break in it is reported once for all of them.
  const responsesByBreak = new Map<string, { broken: Break; responses: string[] }>()
  for (const [status, response] of Object.entries(before.responses ?? {})) {
    const next = after.responses?.[status]
    if (!next) {
      if (/^[123]/.test(status)) removed.push(`the response ${status} was removed`)
      continue
    }
    const inHeaders = { subject: '', breaks: compare(headersAsSchema(response), headersAsSchema(next)) }
    for (const { subject, breaks } of [inHeaders, ...contentBreaks(response.content, next.content, compare)]) {
      for (const broken of breaks) {
        const entry = responsesByBreak.get(JSON.stringify(broken)) ?? { broken, responses: [] }
        entry.responses.push(`${status}${subject}`)
        responsesByBreak.set(JSON.stringify(broken), entry)
      }
    }
  }
  const inResponses = [...responsesByBreak.values()].flatMap(({ broken, responses }) =>
    sentences(
      responses.length === 1 ? `the response ${responses[0]}` : `each of the responses ${joinList(responses, 'and')}`,
      [broken],
    ),
  )
  return [...removed, ...inResponses]
}

function headersAsSchema({ headers = {} }: ResponseObject): Schema {
  const properties = Object.entries(headers).map(([name, { schema = true }]) => [name.toLowerCase(), schema])
  const required = Object.entries(headers).flatMap(([name, header]) => (header.required ? [name.toLowerCase()] : []))
  return {
    type: 'object',
    properties: { headers: { type: 'object', properties: Object.fromEntries(properties), required } },
  }
}

/** Per media type. The subject names the media type only if there are several. */
function contentBreaks(
  before: Content = {},
  after: Content = {},
  compare: Compare,
): { subject: string; breaks: Break[] }[] {
  return Object.entries(before).map(([mediaType, { schema = true }]) => {
    const next = after[mediaType]
    if (!next) return { subject: '', breaks: [{ path: '', change: `can no longer be \`${mediaType}\`` }] }
    const subject = Object.keys(before).length > 1 ? ` as \`${mediaType}\`` : ''
    return { subject, breaks: compare(schema, next.schema ?? true) }
  })
}

const sentences = (subject: string, breaks: readonly Break[]) =>
  breaks.map((broken) => {
    if ('isRemoved' in broken) return `${subject} no longer has \`${broken.path}\``
    return broken.path ? `in ${subject}, \`${broken.path}\` ${broken.change}` : `${subject} ${broken.change}`
  })

/** Keywords that our documents do not use. Every change in one is reported, because this check cannot compare them. */
const unsupportedKeywords = [
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

type Direction = 'request' | 'response'

function schemaComparison(
  direction: Direction,
  documentBefore: OpenApiDocument,
  documentAfter: OpenApiDocument,
): Compare {
  const properties = direction === 'response' ? responseProperties : requestProperties
  return (beforeRoot, afterRoot) => {
    const compare: Compare = (before, after) =>
      compareAlternatives(
        direction,
        alternatives(documentBefore, before),
        alternatives(documentAfter, after),
        compareChildren,
      )

    // Every cycle of references passes through here. Compared schemas are remembered by identity and not by name, because a
    // schema can refer to itself through a component on one side and inline on the other. They are remembered for one root
    // only, because the breaks that were collected inside a cycle are only a part of the cycle's breaks.
    const compared = new Map<SchemaObject, Map<SchemaObject, Break[]>>()
    const compareChildren: CompareChildren = (before, after) => {
      const comparedWith = compared.get(before) ?? new Map<SchemaObject, Break[]>()
      const earlierBreaks = comparedWith.get(after)
      if (earlierBreaks) return earlierBreaks
      const breaks: Break[] = []
      compared.set(before, comparedWith.set(after, breaks)) // if the cycle leads here again, nothing is added
      breaks.push(
        ...within('[]', compare(before.items ?? true, after.items ?? true)),
        ...properties(before, after, compare),
      )
      return breaks
    }
    return compare(beforeRoot, afterRoot).filter((broken) => !isNewErrorCode(broken))
  }
}

/** The code of a problem, or of the error of a job or turn. */
const isNewErrorCode = (broken: Break) =>
  'isNewValue' in broken && broken.isNewValue === true && /^code$|(^|\.)error\.code$/.test(broken.path)

function unsupportedChanges(before: SchemaObject, after: SchemaObject): Break[] {
  const changed = unsupportedKeywords.filter((keyword) => !isDeepStrictEqual(before[keyword], after[keyword]))
  return changed.map((keyword) => ({
    path: '',
    change: `has a different \`${keyword}\`, which must be reviewed by hand`,
  }))
}

/** Ignores inherited properties: a field can be called `constructor`. */
const own = <Value>(named: Named<Value> | undefined, name: string) =>
  named && Object.hasOwn(named, name) ? named[name] : undefined

/** A reference to a missing schema, or only to itself, guarantees nothing. */
function resolve({ components }: OpenApiDocument, schema: Schema): Schema {
  const visited = new Set<Schema>()
  let current: Schema = schema
  while (typeof current === 'object' && current.$ref !== undefined) {
    if (visited.has(current)) return true
    visited.add(current)
    current = own(components?.schemas, current.$ref.replace('#/components/schemas/', '')) ?? true
  }
  return current
}

/**
 * One of the types that a value can have. All literals of a type are one alternative, even if the document spreads them over
 * `anyOf`. `null` and booleans are always literals.
 */
interface Alternative {
  readonly type: string
  readonly values?: ReadonlySet<unknown>
  readonly schema: SchemaObject
}

function alternatives(document: OpenApiDocument, schema: Schema): Alternative[] {
  const plain: Alternative[] = []
  const literals = new Map<string, Set<unknown>>()
  const visited = new Set<Schema>()
  const collect = (member: Schema): void => {
    const resolved = resolve(document, member)
    if (visited.has(resolved)) return
    visited.add(resolved)
    if (resolved === false) return
    const object: SchemaObject = resolved === true ? {} : resolved
    const union = object.anyOf ?? object.oneOf
    if (union) {
      for (const unionMember of union) collect(unionMember)
      return
    }
    const [types, values] = typesAndLiterals(object)
    plain.push(...types.map((type) => ({ type, schema: object })))
    for (const value of values) {
      const type = typeOfValue(value)
      literals.set(type, (literals.get(type) ?? new Set()).add(value))
    }
  }
  collect(schema)
  return [...plain, ...[...literals].map(([type, values]) => ({ type, values, schema: {} }))]
}

const anything = 'anything'

const literalTypes: Named<readonly unknown[]> = { null: [null], boolean: [true, false] }

function typesAndLiterals(schema: SchemaObject): [types: readonly string[], literals: readonly unknown[]] {
  if (schema.enum) return [[], schema.enum]
  if ('const' in schema) return [[], [schema.const]]
  const types = typesOf(schema)
  return [types.filter((type) => !literalTypes[type]), types.flatMap((type) => literalTypes[type] ?? [])]
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
  compareChildren: CompareChildren,
): Break[] {
  const [sent, accepted] = direction === 'response' ? [after, before] : [before, after]
  const breaks: Break[] = []
  const unaccepted: Alternative[] = []
  for (const alternative of sent) {
    const bestMatch = accepted
      .filter((candidate) => canAccept(candidate, alternative))
      .map((candidate) => {
        const [older, newer] = direction === 'response' ? [candidate, alternative] : [alternative, candidate]
        const compareOne = direction === 'response' ? responseAlternative : requestAlternative
        return [...unsupportedChanges(older.schema, newer.schema), ...compareOne(older, newer, compareChildren)]
      })
      .sort((a, b) => a.length - b.length)[0]
    if (bestMatch) breaks.push(...bestMatch)
    else unaccepted.push(alternative)
  }
  if (unaccepted.length > 0) breaks.push({ path: '', change: typeChange(direction, before, after, unaccepted) })
  return breaks
}

function canAccept(accepted: Alternative, sent: Alternative): boolean {
  if (accepted.type === anything) return true
  if (accepted.type !== sent.type && !(accepted.type === 'number' && sent.type === 'integer')) return false
  const { format } = accepted.schema
  return format === undefined || sent.values !== undefined || format === sent.schema.format
}

function typeChange(
  direction: Direction,
  before: readonly Alternative[],
  after: readonly Alternative[],
  unaccepted: readonly Alternative[],
): string {
  const allChanged = unaccepted.length === (direction === 'response' ? after : before).length
  if (allChanged) return `was ${formatTypes(before)} and is now ${formatTypes(after)}`
  return `${direction === 'response' ? 'may now also be' : 'may no longer be'} ${formatTypes(unaccepted)}`
}

const formatTypes = (types: readonly Alternative[]) =>
  joinList(
    types.map(({ type, values, schema }) =>
      values ? literalList(values) : `${type}${schema.format === undefined ? '' : ` (${schema.format})`}`,
    ),
    'or',
  ) || 'nothing'

function responseAlternative(before: Alternative, after: Alternative, compareChildren: CompareChildren): Break[] {
  if (before.type === anything) return []
  if (after.values) {
    const added = before.values ? after.values.difference(before.values) : new Set()
    return added.size === 0 ? [] : [{ path: '', change: `may now also be ${literalList(added)}`, isNewValue: true }]
  }
  if (before.values) return [{ path: '', change: `was ${literalList(before.values)} and may now be any ${after.type}` }]
  return compareChildren(before.schema, after.schema)
}

function responseProperties(before: SchemaObject, after: SchemaObject, compare: Compare): Break[] {
  const breaks: Break[] = []
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const next = own(after.properties, name)
    if (next === undefined) {
      breaks.push({ path: name, isRemoved: true })
      continue
    }
    if (before.required?.includes(name) && !after.required?.includes(name)) {
      breaks.push({ path: name, change: 'may now be missing' })
    }
    breaks.push(...within(name, compare(schema, next)))
  }
  const additional = before.additionalProperties
  const additionalAfter = after.additionalProperties ?? true
  if (typeof additional !== 'object') return breaks
  return [
    ...breaks,
    ...(additionalAfter
      ? within('*', compare(additional, additionalAfter))
      : [{ path: '*', isRemoved: true as const }]),
  ]
}

function requestAlternative(before: Alternative, after: Alternative, compareChildren: CompareChildren): Break[] {
  if (after.type === anything) return []
  if (before.values) {
    const removed = after.values ? before.values.difference(after.values) : new Set()
    return removed.size === 0 ? [] : [{ path: '', change: `may no longer be ${literalList(removed)}` }]
  }
  if (after.values)
    return [{ path: '', change: `was any ${before.type} and may now only be ${literalList(after.values)}` }]
  return [...tightenedLimits(before.schema, after.schema), ...compareChildren(before.schema, after.schema)]
}

function requestProperties(before: SchemaObject, after: SchemaObject, compare: Compare): Break[] {
  const breaks: Break[] = []
  const additional = before.additionalProperties ?? true
  const additionalAfter = after.additionalProperties ?? true
  for (const name of after.required ?? []) {
    if (before.required?.includes(name)) continue
    const isKnown = own(before.properties, name) !== undefined
    breaks.push({ path: name, change: isKnown ? 'is now required' : 'is new and required' })
  }
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const next = own(after.properties, name) ?? additionalAfter
    if (next === false) breaks.push({ path: name, change: 'is no longer accepted' })
    else breaks.push(...within(name, compare(schema, next)))
  }
  if (additional === false) return breaks
  if (additionalAfter === false) return [...breaks, { path: '', change: 'no longer accepts unknown properties' }]
  return [...breaks, ...within('*', compare(additional, additionalAfter))]
}

const minimumKeywords = { minLength: 0, minItems: 0, minProperties: 0, minimum: -Infinity, exclusiveMinimum: -Infinity }
const maximumKeywords = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum'] as const
const exactKeywords = ['pattern', 'multipleOf', 'uniqueItems'] as const

function tightenedLimits(before: SchemaObject, after: SchemaObject): Break[] {
  const limit = (schema: SchemaObject, keyword: string, unlimited: number) =>
    typeof schema[keyword] === 'number' ? schema[keyword] : unlimited
  const tightened = [
    ...Object.entries(minimumKeywords).flatMap(([keyword, unlimited]) =>
      limit(after, keyword, unlimited) > limit(before, keyword, unlimited) ? [keyword] : [],
    ),
    ...maximumKeywords.filter((keyword) => limit(after, keyword, Infinity) < limit(before, keyword, Infinity)),
    ...exactKeywords.filter((keyword) => (after[keyword] ?? false) !== false && after[keyword] !== before[keyword]),
  ]
  return tightened.map((keyword) => {
    const limitBefore = before[keyword] === undefined ? 'none' : `\`${before[keyword]}\``
    return { path: '', change: `has a tighter \`${keyword}\`: it was ${limitBefore} and is now \`${after[keyword]}\`` }
  })
}

const within = (prefix: string, breaks: readonly Break[]): Break[] =>
  breaks.map((broken) => {
    const separator = broken.path === '' || broken.path.startsWith('[') ? '' : '.'
    return { ...broken, path: `${prefix}${separator}${broken.path}` }
  })

const literalList = (values: Iterable<unknown>) =>
  inBackticks(
    [...values].map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
    'or',
  )

const inBackticks = (items: readonly string[], conjunction: 'and' | 'or') =>
  joinList(
    items.map((item) => `\`${item}\``),
    conjunction,
  )

const joinList = (items: readonly string[], conjunction: 'and' | 'or') =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`
