/** Every rule is tried by one change to one document; beside it stands the harmless twin that must not be reported. */
import { expect, test } from 'vitest'
import { breakingChanges, type OpenApiDocument } from './openapi-compatibility.ts'

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

/** Whatever stands there, a list or an object: the change knows. */
type At = (...path: (string | number)[]) => unknown[]
type Change = (at: At) => unknown

/** The changes write what the sample's type does not allow, so they reach in by path. */
function changed(...changes: Change[]): OpenApiDocument {
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
const drop = (target: object, key: string) => Reflect.deleteProperty(target, key)

const inCreate = 'POST /v2/agent/{projectId}/job:'
const inViews = 'GET /v1/analytics/{projectId}/views:'

const breaking: [sentence: string, Change][] = [
  ['GET /v2/me was removed', (at) => drop(at('paths', '/v2/me'), 'get')],
  ['POST /v1/collect was removed', (at) => drop(at('paths'), '/v1/collect')],
  ['GET /v2/me: the operationId was `getMe` and is now `me`', (at) => set(at(...me), { operationId: 'me' })],
  ['GET /v2/me: the operationId was `getMe` and is gone', (at) => drop(at(...me), 'operationId')],

  [
    'POST /v1/collect: access was `public` and is now `any-key`',
    (at) => set(at(...collect), { 'x-colophon-access': 'any-key', security: [{ key: [] }] }),
  ],
  ['POST /v1/collect: access was `public` and is now `key`', (at) => drop(at(...collect), 'security')],
  [
    `${inCreate} access was \`agent:write\` and is now \`project:write\``,
    (at) => set(at(...create), { 'x-colophon-access': 'project:write' }),
  ],
  [
    `${inViews} access was \`agent:read\` or \`analytics:read\` and is now \`agent:read\``,
    (at) => set(at(...views), { 'x-colophon-access': ['agent:read'] }),
  ],
  ['GET /v2/me: access was `key` and is now `key admin`', (at) => set(at(...me), { security: [{ key: ['admin'] }] })],

  ['GET /v2/me: the answer 200 was removed', (at) => set(at(...me), { responses: { 201: {} } })],
  [
    `${inViews} the answer 200 can no longer be \`text/csv\``,
    (at) => drop(at(...views, 'responses', '200', 'content'), 'text/csv'),
  ],
  ['GET /v2/me: the answer 200 no longer has `scopes`', (at) => drop(at(...meResponse, 'properties'), 'scopes')],
  [
    'GET /v2/me: the answer 200 no longer has `project.name`',
    (at) => drop(at(...meResponse, 'properties', 'project', 'properties'), 'name'),
  ],
  [
    `${inViews} the answer 200 as \`application/json\` no longer has \`views[].human\``,
    (at) => drop(at(...viewsResponse, 'properties', 'views', 'items', 'properties'), 'human'),
  ],
  [
    `${inViews} in the answer 200 as \`application/json\`, \`views[].path\` may now be missing`,
    (at) => set(at(...viewsResponse, 'properties', 'views', 'items'), { required: ['human'] }),
  ],
  [
    `${inViews} in the answer 200 as \`application/json\`, \`views[].human\` was integer and is now string`,
    (at) => set(at(...viewsResponse, 'properties', 'views', 'items', 'properties', 'human'), { type: 'string' }),
  ],
  [
    `${inViews} in the answer 200 as \`application/json\`, \`views[].human\` was integer and is now number`,
    (at) => set(at(...viewsResponse, 'properties', 'views', 'items', 'properties', 'human'), { type: 'number' }),
  ],
  [
    `${inViews} in the answer 200 as \`application/json\`, \`views\` was array and is now object`,
    (at) => set(at(...viewsResponse, 'properties', 'views'), { type: 'object' }),
  ],
  [
    'GET /v2/me: in the answer 200, `project.name` may now also be `null`',
    (at) => set(at(...meResponse, 'properties', 'project', 'properties', 'name'), { type: ['string', 'null'] }),
  ],
  [
    'GET /v2/me: the answer 200 may now also be `null`',
    (at) =>
      set(at(...me, 'responses', '200', 'content', 'application/json'), {
        schema: { anyOf: [at(...meResponse), { type: 'null' }] },
      }),
  ],
  [
    'GET /v2/me: in the answer 200, `scopes[]` may now also be `analytics:read`',
    (at) => at(...meResponse, 'properties', 'scopes', 'items', 'enum').push('analytics:read'),
  ],
  [
    'GET /v2/me: in the answer 200, `scopes[]` was `agent:read` or `agent:write` and may now be any string',
    (at) => set(at(...meResponse, 'properties', 'scopes'), { items: { type: 'string' } }),
  ],
  [
    'GET /v2/me: in the answer 200, `expiresAt` may now also be string',
    (at) => drop(at(...meResponse, 'properties', 'expiresAt', 'anyOf', 0), 'format'),
  ],
  [
    'GET /v2/me: in the answer 200, `names.*` was string and is now integer',
    (at) => set(at(...meResponse, 'properties', 'names'), { additionalProperties: { type: 'integer' } }),
  ],
  [
    'GET /v2/me: the answer 200 no longer has `names.*`',
    (at) => set(at(...meResponse, 'properties', 'names'), { additionalProperties: false }),
  ],
  [
    `${inCreate} in the answer 201, \`status\` may now also be \`paused\``,
    (at) => set(at(...job, 'properties'), { status: literals('active', 'completed', 'paused') }),
  ],
  [
    `${inCreate} in the answer 201, \`result.kind\` may now also be \`none\``,
    (at) =>
      at(...job, 'properties', 'result', 'anyOf').push({
        type: 'object',
        required: ['kind'],
        properties: { kind: { const: 'none' }, diff: { type: 'string' } },
      }),
  ],
  [
    `${inCreate} the answer 201 no longer has \`headers.location\``,
    (at) => drop(at(...create, 'responses', '201', 'headers'), 'Location'),
  ],
  [
    `${inCreate} in the answer 201, \`headers.location\` may now be missing`,
    (at) => set(at(...create, 'responses', '201', 'headers', 'Location'), { required: false }),
  ],
  [
    `${inCreate} each of the answers 400 and 429 no longer has \`detail\``,
    (at) => drop(at('components', 'schemas', 'Problem', 'properties'), 'detail'),
  ],
  [
    `${inCreate} in each of the answers 400 and 429, \`code\` may now also be \`too_late\``,
    (at) => set(at('components', 'schemas', 'Problem', 'properties'), { code: literals('not_found', 'too_late') }),
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

  [`${inCreate} the body is no longer taken`, (at) => drop(at(...create), 'requestBody')],
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
  [`${inCreate} in the body, \`title\` is no longer taken`, (at) => drop(at(...body, 'properties'), 'title')],
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
    'GET /v2/me: in the answer 200, `extra` has another `allOf`, which must be judged by hand',
    (at) => set(at(...meResponse, 'properties', 'extra'), { allOf: [{ type: 'string' }] }),
  ],
]

const harmless: [what: string, Change][] = [
  ['a new path', (at) => set(at('paths'), { '/v2/new': { get: { operationId: 'new' } } })],
  ['a new operation', (at) => set(at('paths', '/v2/me'), { delete: { operationId: 'deleteMe' } })],
  ['a new success answer', (at) => set(at(...me, 'responses'), { 202: {} })],
  ['a new error answer', (at) => set(at(...me, 'responses'), { 503: problem })],
  ['an error answer removed', (at) => drop(at(...create, 'responses'), '429')],
  ['a new media type of an answer', (at) => set(at(...collect, 'responses', '204'), { content: json({}) })],
  ['a new media type of a body', (at) => set(at(...create, 'requestBody', 'content'), { 'application/x': {} })],
  ['a new header of an answer', (at) => set(at(...me, 'responses', '200'), { headers: { ETag: {} } })],
  ['a new property of an answer', (at) => set(at(...meResponse, 'properties'), { added: { type: 'string' } })],
  ['an answer that always has a property', (at) => at(...meResponse, 'required').push('project')],
  ['an answer that is never null', (at) => at(...meResponse, 'properties', 'expiresAt', 'anyOf').pop()],
  ['a value that is never answered', (at) => at(...meResponse, 'properties', 'scopes', 'items', 'enum').pop()],
  ['an answer with a narrower type', (at) => set(at(...meResponse, 'properties', 'extra'), { type: 'string' })],
  [
    'a union of literals written as an enum',
    (at) => set(at(...job, 'properties'), { status: { enum: ['completed', 'active'] } }),
  ],
  [
    'nullable written as a list of types',
    (at) => set(at(...job, 'properties'), { parent: { oneOf: [{ const: null }, ref('Job')] } }),
  ],
  [
    'an alternative with more properties',
    (at) => set(at(...job, 'properties', 'result', 'anyOf', 0, 'properties'), { files: {} }),
  ],
  ['limits on an answer', (at) => set(at(...job, 'properties', 'id'), { maxLength: 40, pattern: '^job_' })],
  [
    'a component written out',
    (at) =>
      set(at(...create, 'responses', '400'), {
        content: { 'application/problem+json': { schema: sample().components.schemas.Problem } },
      }),
  ],
  ['a new optional parameter', (at) => at(...views, 'parameters').push({ name: 'x', in: 'query' })],
  [
    'an optional parameter said to be so',
    (at) => set(at(...create, 'parameters', 0), { required: false, name: 'idempotency-key' }),
  ],
  ['a wider limit', (at) => set(at(...views, 'parameters', 1, 'schema'), { minimum: 0, maximum: 500 })],
  ['a wider type of a parameter', (at) => set(at(...views, 'parameters', 1, 'schema'), { type: 'number' })],
  [
    'a new value of a parameter',
    (at) => set(at(...views, 'parameters', 3, 'schema'), { enum: ['none', 'all', 'assistants'] }),
  ],
  [
    'a parameter that moves to its path',
    (at) =>
      set(at('paths', '/v1/analytics/{projectId}/views'), { parameters: at(...views, 'parameters').splice(0, 1) }),
  ],
  ['a new optional body', (at) => set(at(...me), { requestBody: { content: json({ required: ['a'] }) } })],
  [
    'a new optional property of a body',
    (at) => set(at(...body, 'properties'), { topic: { type: 'string', maxLength: 9 } }),
  ],
  ['a property of a body no longer required', (at) => set(at(...body), { required: [] })],
  [
    'a body that takes null',
    (at) => set(at(...body, 'properties'), { title: nullable({ type: 'string', minLength: 0 }) }),
  ],
  ['a body that takes any string for a list', (at) => set(at(...body, 'properties'), { publish: { type: 'string' } })],
  ['a body that takes unknown properties', (at) => drop(at(...body), 'additionalProperties')],
  ['a limit that goes', (at) => drop(at(...body, 'properties', 'prompt'), 'maxLength')],
  ['access opened to everybody', (at) => set(at(...create), { 'x-colophon-access': 'public', security: [{}] })],
  ['a scope no longer asked for', (at) => set(at(...views), { 'x-colophon-access': 'any-key' })],
  ['one more way in', (at) => set(at(...me), { security: [{ session: [] }, { key: [] }] })],
  ['words', (at) => set(at(...me), { summary: 'Who am I', description: 'x', tags: ['keys'], deprecated: true })],
]

test('a document breaks nothing of itself', () => {
  expect(breakingChanges(sample() as OpenApiDocument, sample() as OpenApiDocument)).toEqual([])
})

for (const [sentence, change] of breaking) {
  test(`breaking: ${sentence}`, () => {
    expect(breakingChanges(sample() as OpenApiDocument, changed(change))).toEqual([sentence])
  })
}

for (const [what, change] of harmless) {
  test(`harmless: ${what}`, () => {
    expect(breakingChanges(sample() as OpenApiDocument, changed(change))).toEqual([])
  })
}

test('harmless: all of these together', () => {
  const every = harmless.map(([, change]) => change)
  expect(breakingChanges(sample() as OpenApiDocument, changed(...every))).toEqual([])
})

test('a removed property that an open body still takes is ignored, not refused', () => {
  const open = changed((at) => drop(at(...body), 'additionalProperties'))
  const without = changed((at) => {
    drop(at(...body), 'additionalProperties')
    drop(at(...body, 'properties'), 'title')
  })
  expect(breakingChanges(open, without)).toEqual([])
  expect(breakingChanges(open, sample() as OpenApiDocument)).toEqual([
    `${inCreate} the body no longer takes properties it does not know`,
  ])
})

const answering = (schema: Schema, components: OpenApiDocument['components'] = {}): OpenApiDocument => ({
  paths: { '/x': { get: { responses: { 200: { content: json(schema) } } } } },
  components,
})

test('schemas that come round to themselves end, also where only one side names them', () => {
  const link = (next: Schema, more: Record<string, Schema> = {}) => ({ type: 'object', properties: { next, ...more } })
  // The circle is two long on both sides, but the reference stands at another place in it.
  const before = answering(ref('A'), { schemas: { A: link(link(ref('A'), { end: { type: 'string' } })) } })
  const after = answering(link(ref('B')), { schemas: { B: link(link(ref('B'))) } })
  expect(breakingChanges(before, before)).toEqual([])
  expect(breakingChanges(before, after)).toEqual(['GET /x: the answer 200 no longer has `next.end`'])
})

test('a break inside a circle is told to every operation that enters it', () => {
  const through = (name: string) => ({ get: { responses: { 200: { content: json(ref(name)) } } } })
  const entering = (properties: Record<string, Schema>): OpenApiDocument => ({
    paths: { '/a': through('A'), '/b': through('B') },
    components: {
      schemas: {
        A: { type: 'object', properties: { b: ref('B'), ...properties } },
        B: { type: 'object', properties: { a: ref('A') } },
      },
    },
  })
  expect(breakingChanges(entering({ name: { type: 'string' } }), entering({}))).toEqual([
    'GET /a: the answer 200 no longer has `name`',
    'GET /b: the answer 200 no longer has `a.name`',
  ])
})

test('references that lead nowhere or to themselves promise nothing', () => {
  const lost = answering(ref('Lost'))
  const loop = answering(ref('Loop'), { schemas: { Loop: ref('Loop') } })
  const union = answering(ref('Union'), { schemas: { Union: { anyOf: [ref('Union'), { type: 'string' }] } } })
  expect(breakingChanges(lost, loop)).toEqual([])
  expect(breakingChanges(union, union)).toEqual([])
  expect(breakingChanges(union, lost)).toEqual(['GET /x: the answer 200 was string and is now anything'])
})

test('a field may be called like something every object has', () => {
  const before = answering({ type: 'object', properties: { constructor: { type: 'string' } } })
  const after = answering({ type: 'object', properties: {} })
  expect(breakingChanges(before, after)).toEqual(['GET /x: the answer 200 no longer has `constructor`'])
})

test('many components that all refer to each other are compared in good time', () => {
  const names = Array.from({ length: 40 }, (_, index) => `S${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, ref(name)]))
  const schemas = Object.fromEntries(names.map((name) => [name, { type: 'object', properties }]))
  const document = answering(ref('S0'), { schemas })
  expect(breakingChanges(document, structuredClone(document))).toEqual([])
})
