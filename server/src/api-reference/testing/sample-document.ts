/** A small document with an example of everything that the page shows. */
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
  description: 'ID of the project.',
  schema: { type: 'string', maxLength: 100 },
}
const problems = (...entries: [status: number, description: string][]) =>
  Object.fromEntries(
    entries.map(([status, description]) => [
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
      'Agent jobs that end as pull requests, and exact page views.\n\n' +
      'Existing fields are never removed. Every response has an `X-Request-Id` header.',
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
          'If the agent changes files, a pull request is opened. Its URL is in `prLink`.\n\n' +
          'At most 100 jobs per project per hour.',
        parameters: [
          {
            name: 'idempotency-key',
            in: 'header',
            description: 'For 24 hours, the same key and body get the first response again.',
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
                description: 'Task for the agent.',
                examples: ["Say in the README that it's open source."],
              },
              publish: {
                enum: ['pull_request', 'diff'],
                default: 'pull_request',
                description: '`diff` pushes nothing.',
              },
              draft: { type: 'boolean', default: false },
              topic: {
                type: 'string',
                pattern: '^[a-z0-9-]+$',
                maxLength: 100,
                description: 'One open job per topic.',
              },
              labels: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 50 } },
              metadata: {
                type: 'object',
                additionalProperties: { type: 'string' },
                description: 'Returned unchanged.',
              },
            },
          }),
        },
        responses: {
          201: {
            description: 'The job was created.',
            headers: {
              Location: { required: true, description: 'URL of the job.', schema: { type: 'string' } },
              'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
            },
            content: json(ref('AgentJob')),
          },
          ...problems(
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
        responses: { 200: { content: json(ref('AgentJob')) }, ...problems([409, '`not_cancellable`']) },
        security: [{ apiKey: [] }],
        'x-colophon-access': 'agent:write',
      },
    },
    '/v1/analytics/{projectId}/views': {
      get: {
        operationId: 'listViews',
        tags: ['Analytics'],
        summary: 'Count views by page',
        description: 'The totals cover the whole range.',
        parameters: [
          projectId,
          {
            name: 'dateFrom',
            in: 'query',
            description: 'Start of the range. Without a time zone it is in UTC.',
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
                    description: 'By `total` in descending order, then by `path`.',
                    items: {
                      type: 'object',
                      required: ['path', 'human', 'ai', 'total'],
                      properties: { path: { type: 'string' }, human: count, ai: count, total: count },
                    },
                  },
                  hasMore: { type: 'boolean', description: 'Whether there are more pages.' },
                },
              }),
              'text/csv': { schema: { type: 'string' } },
            },
          },
          ...problems([400, '`invalid_request`'], [503, '`unavailable`']),
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
        summary: 'Get your API key',
        description: 'Use it to test a key.',
        responses: {
          200: {
            description: 'The key.',
            content: {
              'application/json': {
                schema: ref('Me'),
                example: { projectId: 'prj_01m7ehrhx0fk5b0axvny9mpndf', scopes: ['agent:read'], expiresAt: null },
              },
            },
          },
          ...problems([401, '`unauthenticated`']),
        },
        security: [{ apiKey: [] }],
        'x-colophon-access': 'any-key',
      },
    },
  },
  components: {
    headers: { 'X-Request-Id': { description: 'ID of the request.', schema: { type: 'string' } } },
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `colophon_…`.' },
    },
    schemas: {
      AgentJob: {
        type: 'object',
        required: ['id', 'status', 'source', 'model', 'prLink', 'createdAt', 'parent'],
        properties: {
          id: { type: 'string', description: 'ID of the job.' },
          status: {
            anyOf: ['active', 'completed', 'archived', 'failed'].map((status) => ({ type: 'string', enum: [status] })),
            description: 'Status of the job.',
          },
          source: {
            type: 'object',
            required: ['repository', 'ref'],
            properties: { repository: { type: 'string' }, ref: { type: 'string' } },
          },
          model: { type: 'string' },
          prLink: nullable({ type: 'string', format: 'uri' }, 'URL of the pull request. Null while the job is active.'),
          createdAt: dateTime('Time at which the job was created.'),
          parent: nullable(ref('AgentJob'), 'Job that this one continues.'),
        },
      },
      ViewTotals: {
        type: 'object',
        description: '`total` is the sum of `human` and `ai`.',
        required: ['human', 'ai', 'total'],
        properties: { human: count, ai: count, total: count },
      },
      Me: {
        type: 'object',
        required: ['projectId', 'scopes', 'expiresAt'],
        properties: {
          projectId: { type: 'string' },
          scopes: { type: 'array', items: ref('Scope') },
          expiresAt: { anyOf: [dateTime('Time at which the key expires.'), { type: 'null' }] },
        },
      },
      Scope: { enum: ['agent:read', 'agent:write', 'analytics:read', 'analytics:write'] },
      Problem: {
        type: 'object',
        description: 'An error.',
        required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
        properties: {
          type: { type: 'string' },
          title: { type: 'string' },
          status: { type: 'integer' },
          detail: { type: 'string', description: 'What is wrong and what to do next.' },
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
            description: 'Code of the error.',
          },
          requestId: { type: 'string', description: 'ID of the request.' },
          errors: {
            type: 'array',
            description: 'The invalid values.',
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
