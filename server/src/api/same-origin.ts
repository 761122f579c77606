import type { FastifyRequest } from 'fastify'
import { Problem } from '../platform/http/problem.ts'

/**
 * Browsers attach cookies to requests that other sites trigger, so a request that changes something must come from our own
 * pages. Browsers state the origin of a request and pages cannot forge it. A request that states no origin is rejected.
 */
export function assertSameOrigin({ headers }: FastifyRequest, publicOrigin: string): void {
  const site = headers['sec-fetch-site']
  const isSameOrigin = site === undefined ? headers.origin === publicOrigin : site === 'same-origin'
  if (!isSameOrigin)
    throw new Problem('cross_origin', `Use the dashboard at ${publicOrigin}, or call the API with an API key.`)
}
