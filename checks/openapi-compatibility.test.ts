/** Each rule is tested with one change to a sample document, and with a similar change that must not be reported. */
import { expect, test } from 'vitest'
import { findBreakingChanges, type OpenApiDocument } from './openapi-compatibility.ts'

type Schema = NonNullable<NonNullable<OpenApiDocument['components']>['schemas']>[string]

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: Schema) => ({ 'application/json': { schema } })
const problem = { content: { 'application/problem+json': { schema: ref('Problem') } } }
const nullable = (schema: Schema) => ({ anyOf: [schema, { type: 'null' }] })
/** As TypeBox writes a union of literals. */
const literals = (...values: string[]) => ({ anyOf: values.map((value) => ({ type: 'string', enum: [value] })) })

const sample = () => ({
  openapi: '3.1.0',
  info: { title: 'Sample', version: '1' },
  security: [{ key: [] as string[] }],
  paths: {
    '/v2/agent/{projectId}/job': {
      parameters: [{ name: 'projectId', in: 'path', required: true, schema: { type: 'string' } }],
      post: {
        operationId: 'createJob',
        'x-colophon-access': 'agent:write',
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } }],
        requestBody: {
          required: true,
          content: json({
            type: 'object',
            required: ['prompt'],
            additionalProperties: false,
            properties: {
              prompt: { type: 'string', minLength: 1, maxLength: 50_000 },
              title: { type: 'string' },
              publish: literals('pull_request', 'diff'),
              draft: { type: 'boolean' },
              metadata: { type: 'object', additionalProperties: nullable({ type: 'string' }) },
              labels: { type: 'array', maxItems: 10, items: { type: 'string' } },
              since: {
                anyOf: [
                  { type: 'string', format: 'date' },
                  { type: 'string', format: 'date-time' },
                ],
              },
            },
          }),
        },
        responses: {
          201: { headers: { Location: { required: true, schema: { type: 'string' } } }, content: json(ref('Job')) },
          400: problem,
          429: problem,
        },
      },
    },
    '/v1/analytics/{projectId}/views': {
      get: {
        operationId: 'listViews',
        'x-colophon-access': ['agent:read', 'analytics:read'],
        parameters: [
          { name: 'projectId', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 250 } },
          { name: 'share', in: 'query', required: false, schema: { type: 'number' } },
          { name: 'ai', in: 'query', required: false, schema: { enum: ['all', 'assistants'] } },
        ],
        responses: {
          200: {
            content: {
              ...json({
                type: 'object',
                required: ['views'],
                properties: {
                  views: {
                    type: 'array',
                    items: {
                      type: 'object',
                      required: ['path', 'human'],
                      properties: { path: { type: 'string' }, human: { type: 'integer' } },
                    },
                  },
                },
              }),
              'text/csv': { schema: { type: 'string' } },
            },
          },
        },
      },
    },
    '/v1/collect': {
      post: {
        operationId: 'collect',
        'x-colophon-access': 'public',
        security: [] as Record<string, string[]>[],
        requestBody: { required: false, content: { 'text/plain': { schema: { type: 'string' } } } },
        responses: { 204: {} },
      },
    },
    '/v2/me': {
      get: {
        operationId: 'getMe',
        responses: {
          200: {
            content: json({
              type: 'object',
              required: ['scopes', 'expiresAt'],
              properties: {
                scopes: { type: 'array', items: { enum: ['agent:read', 'agent:write'] } },
                expiresAt: nullable({ type: 'string', format: 'date-time' }),
                project: { type: 'object', properties: { name: { type: 'string' } } },
                names: { type: 'object', additionalProperties: { type: 'string' } },
                extra: {},
              },
            }),
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Job: {
        type: 'object',
        required: ['id', 'status'],
        properties: {
          id: { type: 'string' },
          status: literals('active', 'completed'),
          error: nullable({ type: 'object', required: ['code'], properties: { code: { enum: ['timeout'] } } }),
          parent: nullable(ref('Job')),
          result: {
            anyOf: [
              { type: 'object', required: ['kind'], properties: { kind: { const: 'diff' }, diff: { type: 'string' } } },
              { type: 'object', required: ['kind'], properties: { kind: { const: 'pull' }, url: { type: 'string' } } },
            ],
          },
        },
      },
      Problem: { type: 'object', required: ['code'], properties: { code: literals('not_found'), detail: {} } },
    },
  },
})

/** The node at a path of the document. Typed as a list, because most changes push to one; it can also be an object. */
type At = (...path: (string | number)[]) => unknown[]
type Change = (at: At) => unknown

/** Changes address nodes by path, because they write values that the type of the sample does not allow. */
function documentWith(...changes: Change[]): OpenApiDocument {
  const document = sample()
  const at: At = (...path) => {
    let node: unknown = document
    for (const key of path) node = (node as Record<string | number, unknown>)[key]
    return node as unknown[]
  }
  for (const change of changes) change(at)
  return document as OpenApiDocument
}

const create = ['paths', '/v2/agent/{projectId}/job', 'post'] as const
const body = [...create, 'requestBody', 'content', 'application/json', 'schema'] as const
const views = ['paths', '/v1/analytics/{projectId}/views', 'get'] as const
const viewsResponse = [...views, 'responses', '200', 'content', 'application/json', 'schema'] as const
const collect = ['paths', '/v1/collect', 'post'] as const
const me = ['paths', '/v2/me', 'get'] as const
const meResponse = [...me, 'responses', '200', 'content', 'application/json', 'schema'] as const
const job = ['components', 'schemas', 'Job'] as const
const set = (target: object, values: object) => Object.assign(target, values)
const remove = (target: object, key: string) => Reflect.deleteProperty(target, key)

const inCreate = 'POST /v2/agent/{projectId}/job:'
const inViews = 'GET /v1/analytics/{projectId}/views:'

const breaking: [sentence: string, Change][] = [
  ['GET /v2/me was removed', (at) => remove(at('paths', '/v2/me'), 'get')],
  ['POST /v1/collect was removed', (at) => remove(at('paths'), '/v1/collect')],
  ['GET /v2/me: the operationId was `getMe` and is now `me`', (at) => set(at(...me), { operationId: 'me' })],
  ['GET /v2/me: the operationId was `getMe` and was removed', (at) => remove(at(...me), 'operationId')],

  [
    'POST /v1/collect: access was `public` and is now `any-key`',
    (at) => set(at(...collect), { 'x-colophon-access': 'any-key', security: [{ key: [] }] }),
  ],
  ['POST /v1/collect: access was `public` and is now `key`', (at) => remove(at(...collect), 'security')],
  [
    `${inCreate} access was \`agent:write\` and is now \`project:write\``,
    (at) => set(at(...create), { 'x-colophon-access': 'project:write' }),
  ],
  [
    `${inViews} access was \`agent:read\` or \`analytics:read\` and is now \`agent:read\``,
    (at) => set(at(...views), { 'x-colophon-access': ['agent:read'] }),
  ],
  ['GET /v2/me: access was `key` and is now `key admin`', (at) => set(at(...me), { security: [{ key: ['admin'] }] })],

  ['GET /v2/me: the response 200 was removed', (at) => set(at(...me), { responses: { 201: {} } })],
  [
    `${inViews} the response 200 can no longer be \`text/csv\``,
    (at) => remove(at(...views, 'responses', '200', 'content'), 'text/csv'),
  ],
  ['GET /v2/me: the response 200 no longer has `scopes`', (at) => remove(at(...meResponse, 'properties'), 'scopes')],
  [
    'GET /v2/me: the response 200 no longer has `project.name`',
    (at) => remove(at(...meResponse, 'properties', 'project', 'properties'), 'name'),
  ],
  [
    `${inViews} the response 200 as \`application/json\` no longer has \`views[].human\``,
    (at) => remove(at(...viewsResponse, 'properties', 'views', 'items', 'properties'), 'human'),
  ],
  [
    `${inViews} in the response 200 as \`application/json\`, \`views[].path\` may now be missing`,
    (at) => set(at(...viewsResponse, 'properties', 'views', 'items'), { required: ['human'] }),
  ],
  [
    `${inViews} in the response 200 as \`application/json\`, \`views[].human\` was integer and is now string`,
    (at) => set(at(...viewsResponse, 'properties', 'views', 'items', 'properties', 'human'), { type: 'string' }),
  ],
  [
    `${inViews} in the response 200 as \`application/json\`, \`views[].human\` was integer and is now number`,
    (at) => set(at(...viewsResponse, 'properties', 'views', 'items', 'properties', 'human'), { type: 'number' }),
  ],
  [
    `${inViews} in the response 200 as \`application/json\`, \`views\` was array and is now object`,
    (at) => set(at(...viewsResponse, 'properties', 'views'), { type: 'object' }),
  ],
  [
    'GET /v2/me: in the response 200, `project.name` may now also be `null`',
    (at) => set(at(...meResponse, 'properties', 'project', 'properties', 'name'), { type: ['string', 'null'] }),
  ],
  [
    'GET /v2/me: the response 200 may now also be `null`',
    (at) =>
      set(at(...me, 'responses', '200', 'content', 'application/json'), {
        schema: { anyOf: [at(...meResponse), { type: 'null' }] },
      }),
  ],
  [
    'GET /v2/me: in the response 200, `scopes[]` may now also be `analytics:read`',
    (at) => at(...meResponse, 'properties', 'scopes', 'items', 'enum').push('analytics:read'),
  ],
  [
    'GET /v2/me: in the response 200, `scopes[]` was `agent:read` or `agent:write` and may now be any string',
    (at) => set(at(...meResponse, 'properties', 'scopes'), { items: { type: 'string' } }),
  ],
  [
    'GET /v2/me: in the response 200, `expiresAt` may now also be string',
    (at) => remove(at(...meResponse, 'properties', 'expiresAt', 'anyOf', 0), 'format'),
  ],
  [
    'GET /v2/me: in the response 200, `names.*` was string and is now integer',
    (at) => set(at(...meResponse, 'properties', 'names'), { additionalProperties: { type: 'integer' } }),
  ],
  [
    'GET /v2/me: the response 200 no longer has `names.*`',
    (at) => set(at(...meResponse, 'properties', 'names'), { additionalProperties: false }),
  ],
  [
    `${inCreate} in the response 201, \`status\` may now also be \`paused\``,
    (at) => set(at(...job, 'properties'), { status: literals('active', 'completed', 'paused') }),
  ],
  [
    `${inCreate} in the response 201, \`result.kind\` may now also be \`none\``,
    (at) =>
      at(...job, 'properties', 'result', 'anyOf').push({
        type: 'object',
        required: ['kind'],
        properties: { kind: { const: 'none' }, diff: { type: 'string' } },
      }),
  ],
  [
    `${inCreate} the response 201 no longer has \`headers.location\``,
    (at) => remove(at(...create, 'responses', '201', 'headers'), 'Location'),
  ],
  [
    `${inCreate} in the response 201, \`headers.location\` may now be missing`,
    (at) => set(at(...create, 'responses', '201', 'headers', 'Location'), { required: false }),
  ],
  [
    `${inCreate} each of the responses 400 and 429 no longer has \`detail\``,
    (at) => remove(at('components', 'schemas', 'Problem', 'properties'), 'detail'),
  ],
  [
    `${inCreate} in each of the responses 400 and 429, \`code\` was \`not_found\` and may now be any string`,
    (at) => set(at('components', 'schemas', 'Problem', 'properties'), { code: { type: 'string' } }),
  ],

  [`${inCreate} the header parameter \`idempotency-key\` was removed`, (at) => set(at(...create), { parameters: [] })],
  [
    `${inViews} the query parameter \`from\` is new and required`,
    (at) => at(...views, 'parameters').push({ name: 'from', in: 'query', required: true }),
  ],
  [
    `${inCreate} the query parameter \`dry\` is new and required`,
    (at) => at(...create.slice(0, -1), 'parameters').push({ name: 'dry', in: 'query', required: true }),
  ],
  [
    `${inViews} the query parameter \`limit\` is now required`,
    (at) => set(at(...views, 'parameters', 1), { required: true }),
  ],
  [
    `${inViews} the query parameter \`limit\` was integer and is now string`,
    (at) => set(at(...views, 'parameters', 1, 'schema'), { type: 'string' }),
  ],
  [
    `${inViews} the query parameter \`share\` was number and is now integer`,
    (at) => set(at(...views, 'parameters', 2, 'schema'), { type: 'integer' }),
  ],
  [
    `${inViews} the query parameter \`limit\` has a tighter \`maximum\`: it was \`250\` and is now \`100\``,
    (at) => set(at(...views, 'parameters', 1, 'schema'), { maximum: 100 }),
  ],
  [
    `${inViews} the query parameter \`limit\` has a tighter \`minimum\`: it was \`1\` and is now \`2\``,
    (at) => set(at(...views, 'parameters', 1, 'schema'), { minimum: 2 }),
  ],
  [
    `${inViews} the query parameter \`ai\` may no longer be \`all\``,
    (at) => set(at(...views, 'parameters', 3, 'schema'), { enum: ['assistants'] }),
  ],
  [
    `${inCreate} the header parameter \`idempotency-key\` has a tighter \`pattern\`: it was none and is now \`^[a-z]+$\``,
    (at) => set(at(...create, 'parameters', 0, 'schema'), { pattern: '^[a-z]+$' }),
  ],

  [`${inCreate} the body is no longer accepted`, (at) => remove(at(...create), 'requestBody')],
  ['POST /v1/collect: the body is now required', (at) => set(at(...collect, 'requestBody'), { required: true })],
  [
    'GET /v2/me: the body is new and required',
    (at) => set(at(...me), { requestBody: { required: true, content: json({}) } }),
  ],
  [
    'POST /v1/collect: the body can no longer be `text/plain`',
    (at) => set(at(...collect, 'requestBody'), { content: json({ type: 'string' }) }),
  ],
  [
    `${inCreate} in the body, \`ref\` is new and required`,
    (at) => {
      set(at(...body, 'properties'), { ref: { type: 'string' } })
      set(at(...body), { required: ['prompt', 'ref'] })
    },
  ],
  [`${inCreate} in the body, \`title\` is now required`, (at) => set(at(...body), { required: ['prompt', 'title'] })],
  [`${inCreate} in the body, \`title\` is no longer accepted`, (at) => remove(at(...body, 'properties'), 'title')],
  [
    `${inCreate} in the body, \`title\` was string and is now integer`,
    (at) => set(at(...body, 'properties', 'title'), { type: 'integer' }),
  ],
  [
    `${inCreate} in the body, \`title\` was string and is now string (uri)`,
    (at) => set(at(...body, 'properties', 'title'), { format: 'uri' }),
  ],
  [
    `${inCreate} in the body, \`title\` was any string and may now only be \`a\` or \`b\``,
    (at) => set(at(...body, 'properties', 'title'), { enum: ['a', 'b'] }),
  ],
  [
    `${inCreate} in the body, \`title\` has a tighter \`minLength\`: it was none and is now \`1\``,
    (at) => set(at(...body, 'properties', 'title'), { minLength: 1 }),
  ],
  [
    `${inCreate} in the body, \`prompt\` has a tighter \`maxLength\`: it was \`50000\` and is now \`100\``,
    (at) => set(at(...body, 'properties', 'prompt'), { maxLength: 100 }),
  ],
  [
    `${inCreate} in the body, \`publish\` may no longer be \`diff\``,
    (at) => set(at(...body, 'properties'), { publish: literals('pull_request') }),
  ],
  [
    `${inCreate} in the body, \`draft\` may no longer be \`true\``,
    (at) => set(at(...body, 'properties', 'draft'), { const: false }),
  ],
  [
    `${inCreate} in the body, \`since\` may no longer be string (date)`,
    (at) => at(...body, 'properties', 'since', 'anyOf').shift(),
  ],
  [
    `${inCreate} in the body, \`metadata.*\` may no longer be \`null\``,
    (at) => set(at(...body, 'properties', 'metadata'), { additionalProperties: { type: 'string' } }),
  ],
  [
    `${inCreate} in the body, \`labels[]\` has a tighter \`maxLength\`: it was none and is now \`20\``,
    (at) => set(at(...body, 'properties', 'labels', 'items'), { maxLength: 20 }),
  ],
  [
    `${inCreate} in the body, \`labels\` has a tighter \`maxItems\`: it was \`10\` and is now \`5\``,
    (at) => set(at(...body, 'properties', 'labels'), { maxItems: 5 }),
  ],
  [
    'GET /v2/me: in the response 200, `extra` has a different `allOf`, which must be reviewed by hand',
    (at) => set(at(...meResponse, 'properties', 'extra'), { allOf: [{ type: 'string' }] }),
  ],
]

const harmless: [description: string, Change][] = [
  [
    'a new code of a problem, which clients ignore',
    (at) => set(at('components', 'schemas', 'Problem', 'properties'), { code: literals('not_found', 'too_late') }),
  ],
  [
    'a new code of the error of a job, which clients ignore',
    (at) => at(...job, 'properties', 'error', 'anyOf', 0, 'properties', 'code', 'enum').push('too_late'),
  ],
  ['a new path', (at) => set(at('paths'), { '/v2/new': { get: { operationId: 'new' } } })],
  ['a new operation', (at) => set(at('paths', '/v2/me'), { delete: { operationId: 'deleteMe' } })],
  ['a new success response', (at) => set(at(...me, 'responses'), { 202: {} })],
  ['a new error response', (at) => set(at(...me, 'responses'), { 503: problem })],
  ['a removed error response', (at) => remove(at(...create, 'responses'), '429')],
  ['a new media type of a response', (at) => set(at(...collect, 'responses', '204'), { content: json({}) })],
  ['a new media type of a body', (at) => set(at(...create, 'requestBody', 'content'), { 'application/x': {} })],
  ['a new header of a response', (at) => set(at(...me, 'responses', '200'), { headers: { ETag: {} } })],
  ['a new property of a response', (at) => set(at(...meResponse, 'properties'), { added: { type: 'string' } })],
  ['a response property that becomes required', (at) => at(...meResponse, 'required').push('project')],
  ['a response property that is no longer null', (at) => at(...meResponse, 'properties', 'expiresAt', 'anyOf').pop()],
  ['a response value that is no longer sent', (at) => at(...meResponse, 'properties', 'scopes', 'items', 'enum').pop()],
  [
    'a response property with a narrower type',
    (at) => set(at(...meResponse, 'properties', 'extra'), { type: 'string' }),
  ],
  [
    'a union of literals that becomes an enum',
    (at) => set(at(...job, 'properties'), { status: { enum: ['completed', 'active'] } }),
  ],
  [
    'a nullable reference in another notation',
    (at) => set(at(...job, 'properties'), { parent: { oneOf: [{ const: null }, ref('Job')] } }),
  ],
  [
    'an alternative with more properties',
    (at) => set(at(...job, 'properties', 'result', 'anyOf', 0, 'properties'), { files: {} }),
  ],
  ['limits on a response', (at) => set(at(...job, 'properties', 'id'), { maxLength: 40, pattern: '^job_' })],
  [
    'a component that is inlined',
    (at) =>
      set(at(...create, 'responses', '400'), {
        content: { 'application/problem+json': { schema: sample().components.schemas.Problem } },
      }),
  ],
  ['a new optional parameter', (at) => at(...views, 'parameters').push({ name: 'x', in: 'query' })],
  [
    'an optional parameter that is declared optional',
    (at) => set(at(...create, 'parameters', 0), { required: false, name: 'idempotency-key' }),
  ],
  ['a wider limit', (at) => set(at(...views, 'parameters', 1, 'schema'), { minimum: 0, maximum: 500 })],
  ['a wider type of a parameter', (at) => set(at(...views, 'parameters', 1, 'schema'), { type: 'number' })],
  [
    'a new value of a parameter',
    (at) => set(at(...views, 'parameters', 3, 'schema'), { enum: ['none', 'all', 'assistants'] }),
  ],
  [
    'a parameter that moves to the path item',
    (at) =>
      set(at('paths', '/v1/analytics/{projectId}/views'), { parameters: at(...views, 'parameters').splice(0, 1) }),
  ],
  ['a new optional body', (at) => set(at(...me), { requestBody: { content: json({ required: ['a'] }) } })],
  [
    'a new optional property of a body',
    (at) => set(at(...body, 'properties'), { topic: { type: 'string', maxLength: 9 } }),
  ],
  ['a body property that is no longer required', (at) => set(at(...body), { required: [] })],
  [
    'a body property that accepts null',
    (at) => set(at(...body, 'properties'), { title: nullable({ type: 'string', minLength: 0 }) }),
  ],
  ['a body property that accepts any string', (at) => set(at(...body, 'properties'), { publish: { type: 'string' } })],
  ['a body that accepts unknown properties', (at) => remove(at(...body), 'additionalProperties')],
  ['a removed limit', (at) => remove(at(...body, 'properties', 'prompt'), 'maxLength')],
  ['access that becomes public', (at) => set(at(...create), { 'x-colophon-access': 'public', security: [{}] })],
  ['a scope that is no longer required', (at) => set(at(...views), { 'x-colophon-access': 'any-key' })],
  ['an additional security scheme', (at) => set(at(...me), { security: [{ session: [] }, { key: [] }] })],
  [
    'descriptions and tags',
    (at) => set(at(...me), { summary: 'Who am I', description: 'x', tags: ['keys'], deprecated: true }),
  ],
]

test('finds nothing between a document and itself', () => {
  expect(findBreakingChanges(sample() as OpenApiDocument, sample() as OpenApiDocument)).toEqual([])
})

for (const [sentence, change] of breaking) {
  test(`breaking: ${sentence}`, () => {
    expect(findBreakingChanges(sample() as OpenApiDocument, documentWith(change))).toEqual([sentence])
  })
}

for (const [description, change] of harmless) {
  test(`harmless: ${description}`, () => {
    expect(findBreakingChanges(sample() as OpenApiDocument, documentWith(change))).toEqual([])
  })
}

test('harmless: all of these changes together', () => {
  const changes = harmless.map(([, change]) => change)
  expect(findBreakingChanges(sample() as OpenApiDocument, documentWith(...changes))).toEqual([])
})

test('accepts a removed property if the body accepts unknown properties', () => {
  const open = documentWith((at) => remove(at(...body), 'additionalProperties'))
  const without = documentWith((at) => {
    remove(at(...body), 'additionalProperties')
    remove(at(...body, 'properties'), 'title')
  })
  expect(findBreakingChanges(open, without)).toEqual([])
  expect(findBreakingChanges(open, sample() as OpenApiDocument)).toEqual([
    `${inCreate} the body no longer accepts unknown properties`,
  ])
})

const respondingWith = (schema: Schema, components: OpenApiDocument['components'] = {}): OpenApiDocument => ({
  paths: { '/x': { get: { responses: { 200: { content: json(schema) } } } } },
  components,
})

test('terminates for recursive schemas, even if the two sides name them differently', () => {
  const link = (next: Schema, more: Record<string, Schema> = {}) => ({ type: 'object', properties: { next, ...more } })
  // The cycle has a length of two on both sides, but the reference is at another position in it.
  const before = respondingWith(ref('A'), { schemas: { A: link(link(ref('A'), { end: { type: 'string' } })) } })
  const after = respondingWith(link(ref('B')), { schemas: { B: link(link(ref('B'))) } })
  expect(findBreakingChanges(before, before)).toEqual([])
  expect(findBreakingChanges(before, after)).toEqual(['GET /x: the response 200 no longer has `next.end`'])
})

test('reports a break inside a cycle for every operation that refers to it', () => {
  const returning = (name: string) => ({ get: { responses: { 200: { content: json(ref(name)) } } } })
  const documentWithCycle = (properties: Record<string, Schema>): OpenApiDocument => ({
    paths: { '/a': returning('A'), '/b': returning('B') },
    components: {
      schemas: {
        A: { type: 'object', properties: { b: ref('B'), ...properties } },
        B: { type: 'object', properties: { a: ref('A') } },
      },
    },
  })
  expect(findBreakingChanges(documentWithCycle({ name: { type: 'string' } }), documentWithCycle({}))).toEqual([
    'GET /a: the response 200 no longer has `name`',
    'GET /b: the response 200 no longer has `a.name`',
  ])
})

test('treats references to missing schemas and to themselves as any value', () => {
  const lost = respondingWith(ref('Lost'))
  const loop = respondingWith(ref('Loop'), { schemas: { Loop: ref('Loop') } })
  const union = respondingWith(ref('Union'), { schemas: { Union: { anyOf: [ref('Union'), { type: 'string' }] } } })
  expect(findBreakingChanges(lost, loop)).toEqual([])
  expect(findBreakingChanges(union, union)).toEqual([])
  expect(findBreakingChanges(union, lost)).toEqual(['GET /x: the response 200 was string and is now anything'])
})

test('handles a field with the name of an inherited property', () => {
  const before = respondingWith({ type: 'object', properties: { constructor: { type: 'string' } } })
  const after = respondingWith({ type: 'object', properties: {} })
  expect(findBreakingChanges(before, after)).toEqual(['GET /x: the response 200 no longer has `constructor`'])
})

test('compares many components that refer to each other in reasonable time', () => {
  const names = Array.from({ length: 40 }, (_, index) => `S${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, ref(name)]))
  const schemas = Object.fromEntries(names.map((name) => [name, { type: 'object', properties }]))
  const document = respondingWith(ref('S0'), { schemas })
  expect(findBreakingChanges(document, structuredClone(document))).toEqual([])
})
