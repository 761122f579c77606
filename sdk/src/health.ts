/** Liveness and readiness of a server. Neither call needs an API key. */
import type { Readiness as ContractReadiness, Health } from './generated/types.gen.ts'
import { isObject } from './read-response.ts'
import { type CallOptions, type ConnectionSettings, request } from './request.ts'

/** As in the API contract, but with an open list of reasons such as `unreachable` or `disk_full`: a newer server may add more. */
export type ComponentStatus = { status: 'ok'; latencyMs: number } | { status: 'failing'; reason: string }

export interface Readiness extends Omit<ContractReadiness, 'components'> {
  components: Readonly<Record<string, ComponentStatus>>
}

/** Whether the process is alive. */
export const requestHealth = (connection: ConnectionSettings, options?: CallOptions): Promise<Health> =>
  request(connection, { method: 'GET', url: '/healthz', isExpectedBody: isHealth, retry: false, ...options })

/** The state of each component. A server that is not ready yields a result, not an error. */
export const requestReadiness = (connection: ConnectionSettings, options?: CallOptions): Promise<Readiness> =>
  request(connection, {
    method: 'GET',
    url: '/readyz',
    additionalStatuses: [503],
    isExpectedBody: isReadiness,
    retry: false,
    ...options,
  })

// These two calls may reach a URL that belongs to another program, so the response bodies are validated.

const isHealth = (body: unknown): body is Health =>
  isObject(body) && body.status === 'alive' && typeof body.version === 'string'

const statuses: readonly unknown[] = ['ready', 'degraded', 'not_ready', 'stopping'] satisfies Readiness['status'][]

const isReadiness = (body: unknown): body is Readiness =>
  isObject(body) &&
  statuses.includes(body.status) &&
  typeof body.version === 'string' &&
  isObject(body.components) &&
  Object.values(body.components).every(isComponentStatus)

const isComponentStatus = (component: unknown): component is ComponentStatus =>
  isObject(component) &&
  ((component.status === 'ok' && typeof component.latencyMs === 'number') ||
    (component.status === 'failing' && typeof component.reason === 'string'))
