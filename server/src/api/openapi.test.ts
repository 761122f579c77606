import Type from 'typebox'
import { expect, test } from 'vitest'
import { type ApiDeps, apiRoutes } from './app.ts'
import { openApiDocument } from './openapi.ts'
import { type RouteAccess, type RouteSchemas, respond, route } from './route.ts'

interface Answer {
  description: string
  content: Record<string, { schema: unknown }>
}

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; required: boolean; schema: unknown }[]
  requestBody?: { content: Record<string, { schema: { examples?: unknown[] } }> }
  responses: Record<string, Answer>
  security: object[]
  'x-colophon-access': string
}

const operationsOf = (document: ReturnType<typeof openApiDocument>) =>
  Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
  )

// The routes only close over their parts: nothing is called while they are listed.
const contract = openApiDocument(apiRoutes({} as ApiDeps))
const operations = operationsOf(contract)

test('every operation has a name of its own: it becomes a function of clients', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  expect(names).toEqual([...new Set(names)])
  for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]+$/)
})

test.each(operations)('$name declares what its path holds, and a body has an example', ({ path, operation }) => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true }))
  const declared = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? []
  expect(declared).toEqual(inPath.map((parameter) => expect.objectContaining(parameter)))
  for (const { schema } of Object.values(operation.requestBody?.content ?? {})) expect(schema.examples).toHaveLength(1)
})

test('every reference leads to a component', () => {
  const { schemas } = contract.components as { schemas: Record<string, unknown> }
  const references = [...JSON.stringify(contract).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference)
  const known = Object.keys(schemas).map((name) => `#/components/schemas/${name}`)
  expect(new Set(references).difference(new Set(known))).toEqual(new Set())
  expect(JSON.stringify(contract)).not.toContain('"$id"')
})

/** The only operation of a document that has one. */
function documented(method: 'GET' | 'POST', access: RouteAccess, schemas: RouteSchemas): Operation {
  const document = openApiDocument([
    route({
      method,
      url: '/v2/thing',
      access,
      name: 'doThing',
      tag: 'Service',
      summary: 'Does the thing',
      schemas,
      handle: async () => respond(200, {}),
    }),
  ])
  const [only] = operationsOf(document)
  if (!only) throw new Error('the operation is missing')
  return only.operation
}

const Thing = Type.Object({ name: Type.String() })

const ofEverybody = { 400: '`invalid_request`', 500: '`internal_error`', 503: '`unavailable`' }
const ofKeys = { ...ofEverybody, 401: '`unauthenticated`', 403: '`ip_not_allowed`' }
const ofReadScopes = {
  ...ofKeys,
  403: '`insufficient_scope`, `insufficient_role`, `ip_not_allowed`',
  404: '`not_found`',
}
const ofScopes = { ...ofReadScopes, 403: '`insufficient_scope`, `insufficient_role`, `cross_origin`, `ip_not_allowed`' }
const ofBodies = { 413: '`too_large`', 415: '`unsupported_media_type`' }
const ofReads = { 429: '`rate_limited`' }

const byKey = { apiKey: [] }
const bySession = { session: [] }
const waysIn = {
  public: [],
  'any-key': [byKey],
  session: [bySession],
  operator: [bySession],
  'agent:read': [byKey, bySession],
  'agent:write': [byKey, bySession],
}

test.each([
  ['GET', 'public', {}, ofEverybody],
  ['POST', 'public', { body: Thing }, { ...ofEverybody, ...ofBodies }],
  ['GET', 'any-key', {}, { ...ofKeys, ...ofReads }],
  ['GET', 'agent:read', {}, { ...ofReadScopes, ...ofReads }],
  ['GET', 'session', {}, { ...ofEverybody, 401: '`unauthenticated`', ...ofReads }],
  ['POST', 'operator', {}, { ...ofEverybody, 401: '`unauthenticated`', 403: '`insufficient_role`, `cross_origin`' }],
  ['POST', 'agent:write', {}, ofScopes],
  ['POST', 'agent:write', { body: Thing }, { ...ofScopes, ...ofBodies }],
] as const)('%s for %s with %o says how it can refuse', (method, access, schemas, refusals) => {
  const { responses, security, ...rest } = documented(method, access, { ...schemas, responses: { 200: Thing } })
  const { 200: asked, ...refused } = responses
  expect(asked).toHaveProperty('content', { 'application/json': { schema: Thing } })
  expect(Object.fromEntries(Object.entries(refused).map(([status, { description }]) => [status, description]))).toEqual(
    refusals,
  )
  for (const { content } of Object.values(refused)) {
    expect(content).toEqual({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } })
  }
  expect(security).toEqual(waysIn[access])
  expect(rest['x-colophon-access']).toBe(access)
})

test('a status that the route answers with itself is no problem', () => {
  const { responses } = documented('GET', 'public', { responses: { 200: Thing, 503: Thing } })
  expect(Object.keys(responses['503']?.content ?? {})).toEqual(['application/json'])
})

test('a map says what its values are, in the word that generators of clients read', () => {
  const { responses } = documented('GET', 'public', {
    responses: { 200: Type.Object({ counts: Type.Record(Type.String(), Type.Integer()) }) },
  })
  expect(responses['200']?.content['application/json']?.schema).toMatchObject({
    properties: { counts: { type: 'object', additionalProperties: { type: 'integer' } } },
  })
  expect(JSON.stringify(responses)).not.toContain('patternProperties')
})
