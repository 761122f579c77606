import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { EgressError } from '../../platform/egress/egress-error.ts'
import { Problem } from '../../platform/http/problem.ts'
import { isServiceUnavailable } from '../../platform/service-unavailable.ts'
import { ModelError } from './model-error.ts'
import type { Wire } from './wire.ts'

/** Whatever is thrown, in the vendor's shape and in our words. */
export function respondWithError(
  wire: Wire,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const told = asModelError(error)
  if (told !== error && told.status >= 500 && !reply.raw.destroyed)
    // who has left is no failure
    request.log.error({ error: error instanceof Error ? error.stack : String(error) }, 'a call of a model failed')
  return reply
    .code(told.status)
    .headers({
      'content-type': 'application/json; charset=utf-8',
      ...(told.retryAfterSeconds !== undefined && { 'retry-after': String(told.retryAfterSeconds) }),
      ...(told.status === 402 && { 'x-should-retry': 'false' }), // the vendors' own clients ask this first
    })
    .serializer(JSON.stringify)
    .send(wire.errorBody(told))
}

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  if (error instanceof EgressError) return new ModelError(error.code === 'timeout' ? 'timeout' : 'unreachable')
  if (error instanceof Problem) {
    if (error.status === 401) return new ModelError('unauthenticated')
    return error.status < 500
      ? invalid(error.detail)
      : new ModelError('internal_error', { status: error.status, retryAfterSeconds: 1 })
  }
  if (isServiceUnavailable(error)) return new ModelError('internal_error', { status: 503, retryAfterSeconds: 5 })
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ModelError('too_large')
  const isTheirs = statusCode !== undefined && statusCode >= 400 && statusCode < 500
  return isTheirs ? invalid('Send the body as application/json.') : new ModelError('internal_error')
}

const invalid = (message: string) => new ModelError('invalid_request', { message })
