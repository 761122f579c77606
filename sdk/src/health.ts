/** What a server says of itself. Nobody needs a key to ask. */
import type { Health, Readiness as ReadinessOfContract } from './generated/types.gen.ts'
import { isObject } from './read-response.ts'
import { type CallOptions, type Connection, request } from './request.ts'

/** The contract's, but with an open list of reasons, like `unreachable` or `disk_full`: a later server may know more. */
export type ComponentStatus = { status: 'ok'; latencyMs: number } | { status: 'failing'; reason: string }

export interface Readiness extends Omit<ReadinessOfContract, 'components'> {
  components: Readonly<Record<string, ComponentStatus>>
}

/** The process is alive. */
export const health = (connection: Connection, { signal }: CallOptions = {}): Promise<Health> =>
  request(connection, { method: 'GET', url: '/healthz', isResponse: isHealth, signal })

/** What works and what does not. A server that is not ready is an answer too, not an error. */
export const readiness = (connection: Connection, { signal }: CallOptions = {}): Promise<Readiness> =>
  request(connection, { method: 'GET', url: '/readyz', alsoStatus: [503], isResponse: isReadiness, signal })

// These two are asked of addresses that may turn out to be somebody else's, so their shape is looked at.

const isHealth = (body: unknown): body is Health =>
  isObject(body) && body.status === 'alive' && typeof body.version === 'string'

const statuses: readonly unknown[] = ['ready', 'degraded', 'not_ready', 'stopping'] satisfies Readiness['status'][]

const isReadiness = (body: unknown): body is Readiness =>
  isObject(body) &&
  statuses.includes(body.status) &&
  typeof body.version === 'string' &&
  isObject(body.components) &&
  Object.values(body.components).every(isComponentStatus)

const isComponentStatus = (part: unknown): part is ComponentStatus =>
  isObject(part) &&
  ((part.status === 'ok' && typeof part.latencyMs === 'number') ||
    (part.status === 'failing' && typeof part.reason === 'string'))
