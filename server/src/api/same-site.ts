import type { FastifyRequest } from 'fastify'
import { Problem } from '../platform/http/problem.ts'

/**
 * A cookie comes along whoever made the browser ask, so what changes something has to come from our own pages. Browsers say
 * where a request comes from, and pages cannot make them lie; what says nothing is not let in on a cookie.
 */
export function refuseCrossSite({ headers }: FastifyRequest, publicOrigin: string): void {
  const site = headers['sec-fetch-site']
  const isOurs = site === undefined ? headers.origin === publicOrigin : site === 'same-origin'
  if (!isOurs)
    throw new Problem('cross_origin', `This is done from the dashboard at ${publicOrigin}, or with an API key, alone.`)
}
