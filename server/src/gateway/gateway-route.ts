/** An endpoint of the runner API: a route as in the public API, with the gateway's own kinds of access. */
import type { LiveAttempt } from '../jobs/attempt-store.ts'
import type { Runner } from '../jobs/runner-store.ts'
import type { RouteDeclaration, RouteSchemas, ValidatedRequest } from '../platform/http/route.ts'
import type { BodyMemoryLimit } from './body-memory-limit.ts'

/** `public`: anyone. `runner`: a runner with its token. `attempt`: a runner or its sandbox with the token of a live attempt. */
export type GatewayAccess = 'public' | 'runner' | 'attempt'

export type CallerAccess = Exclude<GatewayAccess, 'public'>

export interface RunnerCaller {
  runner: Runner
}

export interface AttemptCaller {
  /** As read when the whole request had arrived. */
  attempt: LiveAttempt
  attemptTokenHash: Buffer
}

export type GatewayCaller<Access extends CallerAccess> = Access extends 'runner' ? RunnerCaller : AttemptCaller

type GatewayRequest<Schemas extends RouteSchemas, Access extends CallerAccess> = ValidatedRequest<Schemas> &
  GatewayCaller<Access> & {
    /** The bytes after the first line of a report. Empty if the body is JSON. */
    attachment: Buffer
    /** Whether the client has closed the connection, and would not get a response. */
    isDisconnected(): boolean
  }

interface GatewayRouteDefinition<Schemas extends RouteSchemas, Access extends CallerAccess>
  extends RouteDeclaration<Schemas, Access, GatewayRequest<Schemas, Access>> {
  /** For bodies that are larger than the server accepts by default. */
  largeBody?: { maxBytes: number; memory: BodyMemoryLimit }
}

/** A route without its specific types, for lists of routes. */
export type GatewayRoute = GatewayRouteDefinition<RouteSchemas, CallerAccess>

export function defineGatewayRoute<const Schemas extends RouteSchemas, const Access extends CallerAccess>(
  definition: GatewayRouteDefinition<Schemas, Access>,
): GatewayRoute {
  // The handler receives exactly what its schemas and its access allow. The list of routes does not need these types.
  return definition as unknown as GatewayRoute
}
