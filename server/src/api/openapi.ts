/** The OpenAPI document. It is generated from the registered routes, so that it cannot differ from them. */
import { STATUS_CODES } from 'node:http'
import type { TSchema } from 'typebox'
import { exampleValue } from '../api-reference/example-value.ts'
import { type Header, listEndpoints, type OpenApiDocument } from '../api-reference/openapi-document.ts'
import { sessionCookieName } from '../people/session.ts'
import { type ProblemCode, problemDefinitions } from '../platform/http/problem.ts'
import { NoContent } from '../platform/http/route.ts'
import { version } from '../platform/version.ts'
import type { ResponseHeaderName, Route, RouteAccess } from './route.ts'
import { ProblemSchema } from './schemas.ts'

type Json = Record<string, unknown>

export function buildOpenApiDocument(routes: readonly Route[]): OpenApiDocument {
  const components = new Components()
  components.refer(ProblemSchema)
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) }
  }
  return withResponseExamples({
    openapi: '3.1.0',
    info: {
      title: 'Colophon',
      version,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of a project, `colophon_…`. Keep it secret and use it only on servers.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName,
          description:
            'The session of a person who is signed in to the dashboard. Requests that change something are accepted only from the pages of the dashboard.',
        },
      },
      headers: documentedHeaders,
      schemas: components.named,
    },
  })
}

/** This comes last, because examples are composed from named schemas, which later routes may define. */
function withResponseExamples(document: OpenApiDocument): OpenApiDocument {
  for (const { operation } of listEndpoints(document)) {
    for (const [status, { content = {} }] of Object.entries(operation.responses ?? {})) {
      const json = content['application/json']
      if (json?.schema && status.startsWith('2')) {
        Object.assign(json, { example: json.example ?? exampleValue(document, json.schema) })
      }
    }
  }
  return document
}

const text = { type: 'string' }
const seconds = { type: 'integer', minimum: 0 }

/** `X-Request-Id` is in every response. Problems have those of `problemHeaders`; a route adds its own with `responseHeaders`. */
const documentedHeaders = {
  'X-Request-Id': {
    description: 'ID of the request, as in the server log. Include it when you report a problem to an operator.',
    required: true,
    schema: text,
    example: 'req_01m7hvgt44f20ss3rjjczm5hry',
  },
  'WWW-Authenticate': {
    description: 'Authentication scheme to use: always `Bearer`.',
    required: true,
    schema: text,
    example: 'Bearer',
  },
  'Retry-After': {
    description: 'Number of seconds to wait before you send the request again.',
    schema: seconds,
    example: 2,
  },
  'RateLimit-Policy': {
    description:
      'The rate limit that applies: its name, the number of requests (`q`) and the length of the window in seconds (`w`).',
    schema: text,
    example: '"jobs";q=100;w=3600',
  },
  RateLimit: {
    description:
      'State of the rate limit: its name, the number of remaining requests (`r`) and the seconds until it resets (`t`).',
    schema: text,
    example: '"jobs";r=99;t=3600',
  },
  Location: {
    description: 'Path of the created resource.',
    schema: text,
    example: '/v2/agent/prj_01m7ehrhx0fk5b0axvny9mpndf/job/job_01m7ej5fb2e1et8d6t4k20dq6v',
  },
  ETag: {
    description: 'Version of the resource. Send it as `If-None-Match` to get 304 while nothing has changed.',
    schema: text,
    example: '"p4zJ0o2mQf5cV1nX8yTr3A"',
  },
  'Content-Disposition': {
    description: 'Suggested name of the downloaded file.',
    schema: text,
    example: 'attachment; filename="page-views.csv"',
  },
  'Set-Cookie': {
    description: 'Cookies of the sign-in: the session, or the state of a sign-in at an identity provider.',
    schema: text,
    example: `${sessionCookieName}=…; Path=/; HttpOnly; Secure; SameSite=Lax`,
  },
} as const satisfies Record<ResponseHeaderName, Header>

const problemHeaders: Readonly<Record<string, readonly ResponseHeaderName[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

function headersOf(status: string, { responseHeaders }: Route, common: readonly ResponseHeaderName[] = []): Json {
  const names = new Set<ResponseHeaderName>(['X-Request-Id', ...common, ...(responseHeaders?.[Number(status)] ?? [])])
  return Object.fromEntries([...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const introduction =
  'Colophon is a self-hosted backend for docs-as-code repositories. Its API runs agent jobs that end as pull requests, and ' +
  'reports exact page views.\n\n' +
  'New fields and endpoints can be added to an API version at any time; existing ones are never changed or removed. ' +
  'Errors are problem details (RFC 9457), and every response has an `X-Request-Id` header.'

const tagDescriptions: Readonly<Record<Route['tag'], string>> = {
  'Agent jobs':
    'Create jobs for the agent, send follow-up messages and read the results. Jobs run in the background: poll a job until ' +
    'its `status` is no longer `active`, or stream its events.',
  'Page views':
    'Report page views from a browser or a server, and read exact counts of human and AI traffic by page, time and client.',
  Projects: 'Create and configure projects: repository, settings, members, runners, health and audit log.',
  Webhooks: 'Send events of a project to webhooks, chats and email addresses, and read what was delivered.',
  'API keys': 'Create, list and revoke the API keys of a project, and test a key.',
  People: 'Sign in to the dashboard, change passwords, and invite people to a project.',
  Service: 'Check the health of the instance, and configure its models and GitHub Apps.',
}

function operation(route: Route, components: Components): Json {
  const { params, query, body, headers, responses } = route.schemas
  const allParameters = [
    ...parameters('path', params, components),
    ...parameters('query', query, components),
    ...parameters('header', headers, components),
  ]
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(allParameters.length > 0 && { parameters: allParameters }),
    ...(body && { requestBody: { required: true, content: requestContent(body, route, components) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, schema]) => [
          status,
          {
            description: descriptionOf(Number(status), schema),
            headers: headersOf(status, route),
            ...(schema !== NoContent && {
              content: responseContent(
                schema,
                {
                  ...(status === '200' && route.stream && { stream: route.stream }),
                  example: route.responseExamples?.[Number(status)],
                },
                components,
              ),
            }),
          },
        ]),
      ),
      ...Object.fromEntries(
        problemsOf(route).map(([status, description]) => [
          status,
          problemResponse(status, description, { route, components }),
        ]),
      ),
    },
    security: securityOf(route.access),
    'x-colophon-access': route.access,
    ...(route.largeBody && {
      'x-colophon-body': { maxBytes: route.largeBody.maxBytes, allowGzip: route.largeBody.allowGzip },
    }),
  }
}

function securityOf(access: RouteAccess): Json[] {
  switch (access) {
    case 'public':
      return []
    case 'any-key':
      return [{ apiKey: [] }]
    case 'session':
    case 'operator':
      return [{ session: [] }]
    default:
      return [{ apiKey: [] }, { session: [] }]
  }
}

function requestContent(body: TSchema, { largeBody }: Route, components: Components): Json {
  const schema = components.refer(body)
  const otherType = (mediaType: string) => ({
    schema: {
      type: 'string',
      description: `The body as ${mediaType}.`,
      examples: [largeBody?.textExamples[mediaType]],
    },
  })
  const mediaTypes = Object.keys(largeBody?.parsers ?? { 'application/json': undefined })
  return Object.fromEntries(
    mediaTypes.map((mediaType) => [mediaType, mediaType === 'application/json' ? { schema } : otherType(mediaType)]),
  )
}

function responseContent(
  schema: TSchema,
  { stream, example }: Pick<Route, 'stream'> & { example?: unknown },
  components: Components,
): Json {
  const { contentMediaType = 'application/json' } = schema as { contentMediaType?: string }
  return {
    [contentMediaType]: { schema: components.refer(schema), ...(example !== undefined && { example }) },
    ...(stream && { [stream.contentType]: { schema: { type: 'string', description: stream.description } } }),
  }
}

function parameters(
  location: 'path' | 'query' | 'header',
  schema: TSchema | undefined,
  components: Components,
): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as { description?: string }
    return {
      name,
      in: location,
      required: required.includes(name),
      ...(description && { description }),
      schema: components.refer(rest as TSchema),
    }
  })
}

/** The schema's own description, or else the name of the status. */
const descriptionOf = (status: number, schema: TSchema): string =>
  (schema as { description?: string }).description ?? STATUS_CODES[status] ?? ''

const problemResponse = (
  status: string,
  description: string,
  { route, components }: { route: Route; components: Components },
): Json => ({
  description,
  headers: headersOf(status, route, problemHeaders[status]),
  content: { 'application/problem+json': { schema: components.refer(ProblemSchema) } },
})

/** The problems that this route, or the server before it, can respond with: status → the codes. */
function problemsOf(route: Route): [status: string, description: string][] {
  const { access, schemas, method, problems = [], requiresRecentSignIn, maxPerMinutePerNetwork } = route
  const needsSession = access === 'session' || access === 'operator'
  const isOfProject = access !== 'public' && access !== 'any-key' && !needsSession
  const takesKey = access === 'any-key' || isOfProject
  const possible = Object.entries(problemDefinitions).filter(([code, { status }]) => {
    if (schemas.responses[status]) return false // the route has its own response with this status
    if (code === 'invalid_request' || code === 'request_timeout' || status >= 500) return true
    if (code === 'too_large') return true // a URL with a long query is in the headers
    if (problems.includes(code as ProblemCode)) return true
    if (status === 401) return access !== 'public'
    if (code === 'ip_not_allowed') return takesKey
    if (code === 'insufficient_scope' || status === 404) return isOfProject
    if (code === 'insufficient_role') return isOfProject || access === 'operator'
    if (code === 'cross_origin') return method !== 'GET' && (isOfProject || needsSession)
    if (code === 'second_factor_required')
      return isOfProject || (needsSession && route.allowsMissingSecondFactor !== true)
    if (code === 'reauthentication_required') return requiresRecentSignIn === true
    if (code === 'unsupported_media_type') return schemas.body !== undefined
    if (code !== 'rate_limited') return false
    const isRead = access !== 'public' && method === 'GET'
    return maxPerMinutePerNetwork !== undefined || access === 'project:write' || isRead
  })
  const byStatus = Map.groupBy(possible, ([, { status }]) => String(status))
  return [...byStatus].map(([status, codes]) => [status, codes.map(([code]) => `\`${code}\``).join(', ')])
}

/** Schemas with an `$id` become named components, at any depth. */
class Components {
  readonly named: Record<string, Json> = {}

  refer(schema: TSchema): Json {
    const { $id, ...rest } = schema as { $id?: string } & Json
    const resolved = this.#inside(rest) as Json
    if ($id === undefined) return resolved
    this.named[$id] = resolved
    return { $ref: `#/components/schemas/${$id}` }
  }

  #inside(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#inside(item))
    if (typeof value !== 'object' || value === null) return value
    if ('$id' in value) return this.refer(value as TSchema)
    return Object.fromEntries(Object.entries(value).map((entry) => this.#keyword(entry)))
  }

  /** TypeBox writes a map as a pattern that matches all names. Client generators would type its values as unknown. */
  #keyword([name, value]: [string, unknown]): [string, unknown] {
    if (name === 'patternProperties') {
      const values = (value as Json)['^.*$']
      if (values !== undefined) return ['additionalProperties', this.#inside(values)]
    }
    return [name, this.#inside(value)]
  }
}
