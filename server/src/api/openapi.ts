/** The OpenAPI document, made from the routes: what is registered is what is documented. */
import type { TSchema } from 'typebox'
import { sessionCookieName } from '../people/session.ts'
import { type ProblemCode, problemCodes } from '../platform/http/problem.ts'
import { version } from '../platform/version.ts'
import type { OpenApiDocument } from './reference/openapi-document.ts'
import type { Route, RouteAccess } from './route.ts'
import { NoContent, ProblemSchema } from './schemas.ts'

type Json = Record<string, unknown>

export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const components = new Components()
  components.refer(ProblemSchema)
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Colophon',
      version,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `colophon_…`. A secret for servers only.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName,
          description:
            "A person's, made by signing in to the dashboard. What changes something has to come from its pages.",
        },
      },
      schemas: components.named,
    },
  }
}

const introduction =
  'Agent jobs that end as pull requests, and exact page views, for any docs-as-code repository. ' +
  'Inside a version fields and endpoints are only ever added. Every answer carries an `X-Request-Id`.'

function operation(route: Route, components: Components): Json {
  const { params, query, body, headers, responses } = route.schemas
  const documented = [
    ...parameters('path', params, components),
    ...parameters('query', query, components),
    ...parameters('header', headers, components),
  ]
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(documented.length > 0 && { parameters: documented }),
    ...(body && { requestBody: { required: true, content: bodyForms(body, route, components) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, schema]) => [
          status,
          {
            description: route.summary,
            ...(schema !== NoContent && {
              content: contentOf(schema, Number(status) === 200 ? route : {}, components),
            }),
          },
        ]),
      ),
      ...Object.fromEntries(
        refusals(route).map(([status, description]) => [status, problemResponse(description, components)]),
      ),
    },
    security: securityOf(route.access),
    'x-colophon-access': route.access,
    ...(route.reads && {
      'x-colophon-body': { maxBytes: route.reads.maxBytes, mayBePacked: route.reads.mayBePacked },
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

function bodyForms(body: TSchema, { reads }: Route, components: Components): Json {
  const schema = components.refer(body)
  const { examples } = body as { examples?: unknown[] }
  const other = (mediaType: string) => ({ schema: { type: 'string', description: `As ${mediaType}.`, examples } })
  const forms = Object.keys(reads?.forms ?? { 'application/json': undefined })
  return Object.fromEntries(
    forms.map((mediaType) => [mediaType, mediaType === 'application/json' ? { schema } : other(mediaType)]),
  )
}

function contentOf(schema: TSchema, { streams }: Pick<Route, 'streams'>, components: Components): Json {
  const { contentMediaType = 'application/json' } = schema as { contentMediaType?: string }
  return {
    [contentMediaType]: { schema: components.refer(schema) },
    ...(streams && { [streams.contentType]: { schema: { type: 'string', description: streams.description } } }),
  }
}

function parameters(place: 'path' | 'query' | 'header', schema: TSchema | undefined, components: Components): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as { description?: string }
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description && { description }),
      schema: components.refer(rest as TSchema),
    }
  })
}

const problemResponse = (description: string, components: Components): Json => ({
  description,
  content: { 'application/problem+json': { schema: components.refer(ProblemSchema) } },
})

/** Every way in which this route, or what stands in front of it, can refuse: status → the codes. */
function refusals(route: Route): [status: string, description: string][] {
  const { access, schemas, method, refuses = [], wantsFreshSession, maxPerMinutePerNetwork } = route
  const isOfSession = access === 'session' || access === 'operator'
  const isOfProject = access !== 'public' && access !== 'any-key' && !isOfSession
  const withKey = access === 'any-key' || isOfProject
  const possible = Object.entries(problemCodes).filter(([code, { status }]) => {
    if (schemas.responses[status]) return false // the route answers with this status itself
    if (code === 'invalid_request' || status >= 500 || refuses.includes(code as ProblemCode)) return true
    if (status === 401) return access !== 'public'
    if (code === 'ip_not_allowed') return withKey
    if (code === 'insufficient_scope' || status === 404) return isOfProject
    if (code === 'insufficient_role') return isOfProject || access === 'operator'
    if (code === 'cross_origin') return method !== 'GET' && (isOfProject || isOfSession)
    if (code === 'reauthentication_required') return wantsFreshSession === true
    if (status === 413 || status === 415) return schemas.body !== undefined
    if (code !== 'rate_limited') return false
    const isRead = access !== 'public' && method === 'GET'
    return maxPerMinutePerNetwork !== undefined || access === 'project:write' || isRead
  })
  const byStatus = Map.groupBy(possible, ([, { status }]) => String(status))
  return [...byStatus].map(([status, codes]) => [status, codes.map(([code]) => `\`${code}\``).join(', ')])
}

/** Schemas with an `$id` become named components, wherever they stand. */
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

  /** TypeBox writes a map as a pattern that all names match, which generators of clients take for values of any type. */
  #keyword([name, value]: [string, unknown]): [string, unknown] {
    if (name === 'patternProperties') {
      const values = (value as Json)['^.*$']
      if (values !== undefined) return ['additionalProperties', this.#inside(values)]
    }
    return [name, this.#inside(value)]
  }
}
