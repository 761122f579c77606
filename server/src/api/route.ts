/**
 * What an endpoint is: one file with its schema, who may call it, and its handler. Everything else (authentication,
 * validation, errors, limits, documentation) it gets by being registered with `addRoutes`.
 */
import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { Actor } from '../audit/audit-store.ts'
import type { Key } from '../keys/key-store.ts'
import type { Scope } from '../keys/scopes.ts'
import type { LiveSession } from '../people/session.ts'
import type { LargeBody } from '../platform/http/large-body.ts'
import type { ProblemCode } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import type { Caller } from './caller.ts'

/**
 * `public`: anybody. `signature`: whoever signed the request with a shared secret. `any-key`: whoever has a valid key.
 * `session`: whoever is signed in. `operator`: somebody signed in who runs the installation. A scope: a key that has it, of
 * the project in the path; or a member of that project who is signed in and whose role has it (`caller.ts`).
 */
export type Access = 'public' | 'signature' | 'any-key' | 'session' | 'operator' | Scope

/** Of the contract's own routes: what is signed is between us and a code host. */
export type RouteAccess = Exclude<Access, 'signature'>

export interface RouteSchemas {
  params?: TObject
  query?: TObject
  body?: TObject
  /** Names in lower case. */
  headers?: TObject
  /** By status; a problem is added for every way in which the route can refuse. */
  responses: Readonly<Record<number, TSchema>>
}

export type RouteRequest<Schemas extends RouteSchemas, Who extends RouteAccess> = {
  params: PartOf<Schemas['params']>
  query: PartOf<Schemas['query']>
  body: PartOf<Schemas['body']>
  headers: PartOf<Schemas['headers']>
  http: HttpFacts
  /** Throws when whoever asked may no longer: for an answer that goes on for long. */
  recheck(): Promise<void>
} & WhoAsks<Who>

/** For the few that need more of the request than its schema says. */
export interface HttpFacts {
  requestId: string
  /** Whose it is, as far as trusted proxies tell. */
  address: string
  /** All cookies as they came. */
  cookie: string
}

type WhoAsks<Who extends RouteAccess> = Who extends 'public'
  ? unknown
  : Who extends 'any-key'
    ? { key: Key }
    : Who extends 'session' | 'operator'
      ? { session: LiveSession; actor: Actor }
      : { projectId: Id<'prj'>; caller: Caller; actor: Actor }

type PartOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined

export type RouteResponse<Schemas extends RouteSchemas> = {
  [Status in keyof Schemas['responses']]: {
    status: Status
    body: PartOf<Schemas['responses'][Status]>
    headers?: Record<string, string | string[]>
  }
}[keyof Schemas['responses']]

export interface RouteDefinition<Schemas extends RouteSchemas, Who extends RouteAccess> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With parameters as `:name`. A route with a scope has `:projectId`. */
  url: string
  access: Who
  /** The name of the client's function. */
  name: string
  tag: 'Agent jobs' | 'Page views' | 'Projects' | 'API keys' | 'People' | 'Service'
  summary: string
  description?: string
  schemas: Schemas
  /** For anybody's pages: every other route for anybody changes something only for requests from our own. */
  takesCrossSite?: true
  /** What cannot be undone by whoever finds an open browser: a session has to be a few minutes old at most. */
  wantsFreshSession?: true
  /** For what strangers can try: counted by where it comes from. */
  maxPerMinutePerNetwork?: number
  /** Asked too often for a logged line each, where all goes well. */
  quiet?: true
  /** Beyond what every route of its kind can refuse. */
  refuses?: readonly ProblemCode[]
  /** For a body that is large, or not only JSON: it is read so, and its schema only documents it. */
  reads?: LargeBody & { forms: Readonly<Record<string, (bytes: Buffer) => PartOf<Schemas['body']>>> }
  /** What it gives instead of its JSON to a client that accepts this. */
  streams?: {
    contentType: string
    description: string
    open(request: RouteRequest<Schemas, Who>): Promise<Readable>
  }
  handle(request: RouteRequest<Schemas, Who>): Promise<RouteResponse<Schemas>>
}

/** A route whose types are settled: what a list of routes holds. */
export type Route = RouteDefinition<RouteSchemas, RouteAccess>

export function route<const Schemas extends RouteSchemas, const Who extends RouteAccess>(
  definition: RouteDefinition<Schemas, Who>,
): Route {
  // The handler gets exactly what its schemas let through; the list of routes need not know these types.
  return definition as unknown as Route
}

export const respond = <const Status extends number, Body>(
  status: Status,
  body: Body,
  headers: Record<string, string | string[]> = {},
) => ({ status, body, headers })
