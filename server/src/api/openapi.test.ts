import Type from 'typebox'
import { expect, test } from 'vitest'
import { createResponse, type RouteSchemas } from '../platform/http/route.ts'
import { type ApiDeps, createApiRoutes } from './app.ts'
import { buildOpenApiDocument } from './openapi.ts'
import { defineRoute, type Route, type RouteAccess } from './route.ts'

interface ResponseObject {
  description: string
  headers: Record<string, { $ref: string }>
  content: Record<string, { schema: unknown; example?: unknown }>
}

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; required: boolean; schema: unknown }[]
  requestBody?: { content: Record<string, { schema: { examples?: unknown[] } }> }
  responses: Record<string, ResponseObject>
  security: object[]
  'x-colophon-access': string
}

const operationsOf = (document: ReturnType<typeof buildOpenApiDocument>) =>
  Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
  )

// Listing the routes calls none of their dependencies.
const contract = buildOpenApiDocument(createApiRoutes({} as ApiDeps))
const operations = operationsOf(contract)

test('every operation has a unique name, which generated clients use', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  expect(names).toEqual([...new Set(names)])
  for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]+$/)
})

test.each(operations)('$name declares its path parameters, and its body has an example', ({ path, operation }) => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true }))
  const declared = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? []
  expect(declared).toEqual(inPath.map((parameter) => expect.objectContaining(parameter)))
  for (const { schema } of Object.values(operation.requestBody?.content ?? {})) expect(schema.examples).toHaveLength(1)
})

/** Otherwise the `Allow` header of one path would list the methods of the other. */
test('no path is also an example of a path with parameters', () => {
  const paths = [...new Set(operations.map(({ path }) => path))]
  const overlaps = paths.flatMap((path) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return paths.filter((other) => other !== path && pattern.test(other)).map((other) => `${other} and ${path}`)
  })
  expect(overlaps).toEqual([])
})

test('every reference resolves to a component', () => {
  const { schemas = {}, headers = {} } = contract.components ?? {}
  const references = [...JSON.stringify(contract).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference)
  const known = [
    ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
    ...Object.keys(headers).map((name) => `#/components/headers/${name}`),
  ]
  expect(new Set(references).difference(new Set(known))).toEqual(new Set())
  expect(JSON.stringify(contract)).not.toContain('"$id"')
})

/** The operation of a document with only this route. */
function documented(
  method: 'GET' | 'POST',
  access: RouteAccess,
  schemas: RouteSchemas,
  options: Pick<Route, 'responseHeaders' | 'responseExamples' | 'problems'> = {},
): Operation {
  const document = buildOpenApiDocument([
    defineRoute({
      method,
      url: '/v2/thing',
      access,
      name: 'doThing',
      tag: 'Service',
      summary: 'Do the thing',
      schemas,
      ...options,
      handle: async () => createResponse(200, {}),
    }),
  ])
  const [only] = operationsOf(document)
  if (!only) throw new Error('the operation is missing')
  return only.operation
}

const Thing = Type.Object({ name: Type.String({ examples: ['Ada'] }) })

const commonProblems = {
  400: '`invalid_request`',
  408: '`request_timeout`',
  413: '`too_large`',
  500: '`internal_error`',
  503: '`unavailable`',
}
const keyProblems = { ...commonProblems, 401: '`unauthenticated`', 403: '`ip_not_allowed`' }
const readScopeProblems = {
  ...keyProblems,
  403: '`insufficient_scope`, `insufficient_role`, `second_factor_required`, `ip_not_allowed`',
  404: '`not_found`',
}
const scopeProblems = {
  ...readScopeProblems,
  403: '`insufficient_scope`, `insufficient_role`, `cross_origin`, `second_factor_required`, `ip_not_allowed`',
}
const bodyProblems = { 415: '`unsupported_media_type`' }
const readProblems = { 429: '`rate_limited`' }

const keySecurity = { apiKey: [] }
const sessionSecurity = { session: [] }
const expectedSecurity = {
  public: [],
  'any-key': [keySecurity],
  session: [sessionSecurity],
  operator: [sessionSecurity],
  'agent:read': [keySecurity, sessionSecurity],
  'agent:write': [keySecurity, sessionSecurity],
}

test.each([
  ['GET', 'public', {}, commonProblems],
  ['POST', 'public', { body: Thing }, { ...commonProblems, ...bodyProblems }],
  ['GET', 'any-key', {}, { ...keyProblems, ...readProblems }],
  ['GET', 'agent:read', {}, { ...readScopeProblems, ...readProblems }],
  [
    'GET',
    'session',
    {},
    { ...commonProblems, 401: '`unauthenticated`', 403: '`second_factor_required`', ...readProblems },
  ],
  [
    'POST',
    'operator',
    {},
    {
      ...commonProblems,
      401: '`unauthenticated`',
      403: '`insufficient_role`, `cross_origin`, `second_factor_required`',
    },
  ],
  ['POST', 'agent:write', {}, scopeProblems],
  ['POST', 'agent:write', { body: Thing }, { ...scopeProblems, ...bodyProblems }],
] as const)('%s with access %s and %o documents its problems', (method, access, schemas, problems) => {
  const { responses, security, ...rest } = documented(method, access, { ...schemas, responses: { 200: Thing } })
  const { 200: success, ...failures } = responses
  expect(success).toHaveProperty('content', { 'application/json': { schema: Thing, example: { name: 'Ada' } } })
  expect(
    Object.fromEntries(Object.entries(failures).map(([status, { description }]) => [status, description])),
  ).toEqual(problems)
  for (const { content } of Object.values(failures)) {
    expect(content).toEqual({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } })
  }
  expect(security).toEqual(expectedSecurity[access])
  expect(rest['x-colophon-access']).toBe(access)
})

test('does not document a problem for a status that the route responds with itself', () => {
  const { responses } = documented('GET', 'public', { responses: { 200: Thing, 503: Thing } })
  expect(Object.keys(responses['503']?.content ?? {})).toEqual(['application/json'])
})

test('documents the values of a map in the way that client generators read', () => {
  const { responses } = documented('GET', 'public', {
    responses: { 200: Type.Object({ counts: Type.Record(Type.String(), Type.Integer()) }) },
  })
  expect(responses['200']?.content['application/json']?.schema).toMatchObject({
    properties: { counts: { type: 'object', additionalProperties: { type: 'integer' } } },
  })
  expect(JSON.stringify(responses)).not.toContain('patternProperties')
})

const headersOf = (operation: Operation) =>
  Object.fromEntries(Object.entries(operation.responses).map(([status, { headers }]) => [status, Object.keys(headers)]))

test('documents the headers of every response, of problems, and those that the route declares', () => {
  const operation = documented(
    'POST',
    'any-key',
    { responses: { 201: Thing } },
    { responseHeaders: { 201: ['Location'], 429: ['RateLimit'] }, problems: ['rate_limited'] },
  )
  expect(headersOf(operation)).toEqual({
    201: ['X-Request-Id', 'Location'],
    400: ['X-Request-Id'],
    401: ['X-Request-Id', 'WWW-Authenticate'],
    403: ['X-Request-Id'],
    408: ['X-Request-Id'],
    413: ['X-Request-Id'],
    429: ['X-Request-Id', 'Retry-After', 'RateLimit'],
    500: ['X-Request-Id'],
    503: ['X-Request-Id', 'Retry-After'],
  })
  expect(operation.responses['201']?.headers.Location).toEqual({ $ref: '#/components/headers/Location' })
})

test('does not document problem headers for a response of the route itself', () => {
  const operation = documented('GET', 'public', { responses: { 200: Thing, 503: Thing } })
  expect(headersOf(operation)['503']).toEqual(['X-Request-Id'])
})

test('uses the response example of the route instead of a composed one', () => {
  const example = { name: 'Grace' }
  const { responses } = documented(
    'GET',
    'public',
    { responses: { 200: Thing } },
    { responseExamples: { 200: example } },
  )
  expect(responses['200']?.content['application/json']?.example).toEqual(example)
})
