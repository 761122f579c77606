/**
 * An endpoint is a declaration of its schemas, its access and its handler. Authentication, validation, errors, rate limits and
 * documentation come with its registration in `addRoutes`.
 */
import type { Readable } from 'node:stream'
import type { Actor } from '../audit/audit-store.ts'
import type { ApiKeyRecord } from '../keys/key-store.ts'
import type { Scope } from '../keys/scopes.ts'
import type { LiveSession } from '../people/session.ts'
import type { LargeBodyOptions } from '../platform/http/large-body-reader.ts'
import type { ProblemCode } from '../platform/http/problem.ts'
import type { RouteDeclaration, RouteSchemas, StaticOf, ValidatedRequest } from '../platform/http/route.ts'
import type { Id } from '../platform/ids.ts'
import type { Caller } from './caller.ts'

/**
 * `public`: anyone. `signature`: a sender that signs the request with a shared secret. `any-key`: any valid API key.
 * `session`: a person who is signed in. `operator`: an operator of the instance who is signed in. A scope: an API key of the
 * project in the path that has the scope, or a signed-in member of that project whose role includes it (`caller.ts`).
 */
export type AccessRequirement = 'public' | 'signature' | 'any-key' | 'session' | 'operator' | Scope

/** Access of the documented API. Signed requests are webhooks from a code host and are not part of it. */
export type RouteAccess = Exclude<AccessRequirement, 'signature'>

export type RouteRequest<
  Schemas extends RouteSchemas,
  RequiredAccess extends RouteAccess,
> = ValidatedRequest<Schemas> & {
  http: HttpRequestDetails
  /** Throws if the caller has lost access in the meantime. For responses that take long. */
  recheckAccess(): Promise<void>
} & CallerContext<RequiredAccess>

/** For the few handlers that need more of the request than its schemas describe. */
export interface HttpRequestDetails {
  requestId: string
  /** IP address of the client, from the connection or from a trusted proxy. Empty: the client has disconnected. */
  ipAddress: string
  /** The `Cookie` header, unparsed. */
  cookieHeader: string
  /** The `User-Agent` header, shortened to what a session stores. */
  userAgent: string
}

type CallerContext<RequiredAccess extends RouteAccess> = RequiredAccess extends 'public'
  ? unknown
  : RequiredAccess extends 'any-key'
    ? { key: ApiKeyRecord }
    : RequiredAccess extends 'session' | 'operator'
      ? { session: LiveSession; actor: Actor }
      : { projectId: Id<'prj'>; caller: Caller; actor: Actor }

export type ResponseHeaderName =
  | 'X-Request-Id'
  | 'WWW-Authenticate'
  | 'Retry-After'
  | 'RateLimit-Policy'
  | 'RateLimit'
  | 'Location'
  | 'ETag'
  | 'Content-Disposition'
  | 'Set-Cookie'

/** The path of a route with a scope has `:projectId`. */
export interface RouteDefinition<Schemas extends RouteSchemas, RequiredAccess extends RouteAccess>
  extends RouteDeclaration<Schemas, RequiredAccess, RouteRequest<Schemas, RequiredAccess>> {
  /** `operationId`, and the name of the operation in generated clients. */
  name: string
  tag: 'Agent jobs' | 'Page views' | 'Projects' | 'Webhooks' | 'API keys' | 'People' | 'Service'
  summary: string
  description?: string
  /** Accepts requests from the pages of any site. Other public routes accept changes only from our own pages. */
  allowsCrossOrigin?: true
  /** Requires a session that is at most 10 minutes old, so that nobody can use a browser that was left open. */
  requiresRecentSignIn?: true
  /** For what a person needs to set up a second factor where one is required. */
  allowsMissingSecondFactor?: true
  /** Rate limit by the network of the client, for routes on which strangers can guess secrets. */
  maxPerMinutePerNetwork?: number
  /** Response headers by status, in addition to `X-Request-Id` and those of every problem with that status. */
  responseHeaders?: Readonly<Record<number, readonly ResponseHeaderName[]>>
  /** Example bodies by status, where the one composed from the schema would mislead. */
  responseExamples?: Readonly<Record<number, unknown>>
  /** Problems in addition to those that every route of its kind can respond with. */
  problems?: readonly ProblemCode[]
  /** For a body that is large or not only JSON. The route parses and validates it; the body schema only documents it. */
  largeBody?: LargeBodyOptions & {
    parsers: Readonly<Record<string, (bytes: Buffer) => StaticOf<Schemas['body']>>>
    /** By media type, for those other than JSON. The schema has the example of JSON. */
    textExamples: Readonly<Record<string, string>>
  }
  /** A stream that replaces the JSON for clients that accept its content type. */
  stream?: {
    contentType: string
    description: string
    open(request: RouteRequest<Schemas, RequiredAccess>): Promise<Readable>
  }
}

/** A route without its specific types, for lists of routes. */
export type Route = RouteDefinition<RouteSchemas, RouteAccess>

export function defineRoute<const Schemas extends RouteSchemas, const RequiredAccess extends RouteAccess>(
  definition: RouteDefinition<Schemas, RequiredAccess>,
): Route {
  // The handler receives exactly what its schemas allow. The list of routes does not need these types.
  return definition as unknown as Route
}
