/** A small document with one of everything the page shows. */
import type { OpenApiDocument } from '../openapi-document.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })
const dateTime = (description: string) => ({ type: 'string', format: 'date-time', description })
const nullable = (schema: object, description: string) => ({ anyOf: [schema, { type: 'null' }], description })
const count = { type: 'integer', minimum: 0 }
const projectId = {
  name: 'projectId',
  in: 'path',
  required: true,
  description: "The project's id, like `prj_…`.",
  schema: { type: 'string', maxLength: 100 },
}
const refusals = (...refused: [status: number, description: string][]) =>
  Object.fromEntries(
    refused.map(([status, description]) => [
      status,
      { description, content: { 'application/problem+json': { schema: ref('Problem') } } },
    ]),
  )

export const sampleDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Colophon',
    version: '1.4.0',
    description:
      'Agent jobs that end as pull requests, and exact page views, for any docs-as-code repository.\n\n' +
      'Inside a version fields and endpoints are only ever added. Every answer carries an `X-Request-Id`.',
  },
  servers: [{ url: '/' }],
  tags: [
    { name: 'Agent jobs', description: 'A job runs in the background. Poll it until it is no longer `active`.' },
    { name: 'Analytics' },
    { name: 'API keys' },
  ],
  paths: {
    '/v2/agent/{projectId}/job': {
      parameters: [projectId],
      post: {
        operationId: 'createJob',
        tags: ['Agent jobs'],
        summary: 'Start a job',
        description:
          'When the agent changed files, a pull request is opened by itself and its URL stands in `prLink`.\n\n' +
          'At most 100 jobs per project and hour.',
        parameters: [
          {
            name: 'idempotency-key',
            in: 'header',
            description: 'The same key and body give the first answer again, for 24 hours.',
            schema: { type: 'string', maxLength: 255 },
          },
        ],
        requestBody: {
          required: true,
          content: json({
            type: 'object',
            additionalProperties: false,
            required: ['prompt'],
            properties: {
              prompt: {
                type: 'string',
                minLength: 1,
                maxLength: 50_000,
                description: 'What is to be done.',
                examples: ["Say in the README that it's open source."],
              },
              publish: {
                enum: ['pull_request', 'diff'],
                default: 'pull_request',
                description: 'With `diff` nothing is pushed: the diff is the result.',
              },
              draft: { type: 'boolean', default: false },
              topic: {
                type: 'string',
                pattern: '^[a-z0-9-]+$',
                maxLength: 100,
                description: 'One open job per topic.',
              },
              labels: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 50 } },
              metadata: { type: 'object', additionalProperties: { type: 'string' }, description: 'Kept, never read.' },
            },
          }),
        },
        responses: {
          201: {
            description: 'The job was created and will run.',
            headers: { Location: { required: true, description: 'Where the job is.', schema: { type: 'string' } } },
            content: json(ref('AgentJob')),
          },
          ...refusals(
            [400, '`invalid_request`'],
            [401, '`unauthenticated`'],
            [403, '`insufficient_scope`, `ip_not_allowed`'],
            [404, '`not_found`'],
            [429, '`rate_limited`: see `Retry-After`'],
          ),
        },
        security: [{ apiKey: [] }],
        'x-colophon-access': 'agent:write',
      },
    },
    '/v2/agent/{projectId}/job/{id}/cancel': {
      post: {
        operationId: 'cancelJob',
        tags: ['Agent jobs'],
        summary: 'Cancel a job',
        deprecated: true,
        parameters: [projectId, { name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { content: json(ref('AgentJob')) }, ...refusals([409, '`not_cancellable`']) },
        security: [{ apiKey: [] }],
        'x-colophon-access': 'agent:write',
      },
    },
    '/v1/analytics/{projectId}/views': {
      get: {
        operationId: 'listViews',
        tags: ['Analytics'],
        summary: 'Count views by page',
        description: 'Totals are for the whole range, not for the page of results.',
        parameters: [
          projectId,
          {
            name: 'dateFrom',
            in: 'query',
            description: 'Left out: no bound. Without a zone it is UTC.',
            schema: {
              anyOf: [
                { type: 'string', format: 'date-time' },
                { type: 'string', format: 'date' },
              ],
            },
          },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 250, default: 50 } },
          { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } },
        ],
        responses: {
          200: {
            description: 'One page of results.',
            content: {
              ...json({
                type: 'object',
                required: ['totals', 'views', 'hasMore'],
                properties: {
                  totals: ref('ViewTotals'),
                  views: {
                    type: 'array',
                    description: 'By `total` descending, then by `path`.',
                    items: {
                      type: 'object',
                      required: ['path', 'human', 'ai', 'total'],
                      properties: { path: { type: 'string' }, human: count, ai: count, total: count },
                    },
                  },
                  hasMore: { type: 'boolean', description: 'The next page is `offset + limit`.' },
                },
              }),
              'text/csv': { schema: { type: 'string' } },
            },
          },
          ...refusals([400, '`invalid_request`'], [503, '`unavailable`']),
        },
        security: [{ apiKey: [] }],
        'x-colophon-access': 'analytics:read',
      },
    },
    '/v1/collect': {
      post: {
        operationId: 'collectView',
        tags: ['Analytics'],
        summary: 'Count a view from a browser',
        requestBody: {
          content: { 'text/plain': { schema: { type: 'object', properties: { path: { type: 'string' } } } } },
        },
        responses: { 204: { description: 'Counted.' } },
        security: [],
        'x-colophon-access': 'public',
      },
    },
    '/v2/me': {
      get: {
        operationId: 'getMe',
        tags: ['API keys'],
        summary: 'What your API key is good for',
        description: 'The way to test a key: it changes nothing and needs no project id.',
        responses: {
          200: { description: 'The key.', content: json(ref('Me')) },
          ...refusals([401, '`unauthenticated`']),
        },
        security: [{ apiKey: [] }],
        'x-colophon-access': 'any-key',
      },
    },
  },
  components: {
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `colophon_…`. A secret for servers only.' },
    },
    schemas: {
      AgentJob: {
        type: 'object',
        required: ['id', 'status', 'source', 'model', 'prLink', 'createdAt', 'parent'],
        properties: {
          id: { type: 'string', description: 'Like `job_…`.' },
          status: {
            anyOf: ['active', 'completed', 'archived', 'failed'].map((status) => ({ type: 'string', enum: [status] })),
            description: 'There is never a fifth.',
          },
          source: {
            type: 'object',
            required: ['repository', 'ref'],
            properties: { repository: { type: 'string' }, ref: { type: 'string' } },
          },
          model: { type: 'string' },
          prLink: nullable(
            { type: 'string', format: 'uri' },
            'The pull request. Null while the job is `active`, and when no file was changed.',
          ),
          createdAt: dateTime('When the job was created.'),
          parent: nullable(ref('AgentJob'), 'The job that this one continues.'),
        },
      },
      ViewTotals: {
        type: 'object',
        description: '`human` + `ai` = `total`, everywhere.',
        required: ['human', 'ai', 'total'],
        properties: { human: count, ai: count, total: count },
      },
      Me: {
        type: 'object',
        required: ['projectId', 'scopes', 'expiresAt'],
        properties: {
          projectId: { type: 'string' },
          scopes: { type: 'array', items: ref('Scope') },
          expiresAt: { anyOf: [dateTime('When the key ends; null: never.'), { type: 'null' }] },
        },
      },
      Scope: { enum: ['agent:read', 'agent:write', 'analytics:read', 'analytics:write'] },
      Problem: {
        type: 'object',
        description: 'An error, as RFC 9457 has it.',
        required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
        properties: {
          type: { type: 'string' },
          title: { type: 'string' },
          status: { type: 'integer' },
          detail: { type: 'string', description: 'One plain sentence that says what to do next.' },
          code: {
            enum: [
              'invalid_request',
              'unauthenticated',
              'insufficient_scope',
              'ip_not_allowed',
              'not_found',
              'not_cancellable',
              'rate_limited',
              'unavailable',
            ],
            description: 'A closed list.',
          },
          requestId: { type: 'string', description: 'To be told to the operator; it is in the log.' },
          errors: {
            type: 'array',
            description: 'What is wrong, field by field.',
            items: {
              type: 'object',
              required: ['path', 'message'],
              properties: { path: { type: 'string' }, message: { type: 'string' } },
            },
          },
        },
      },
    },
  },
}
