import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { EgressError } from '../../platform/egress/egress-error.ts'
import { Problem } from '../../platform/http/problem.ts'
import { isServiceUnavailable } from '../../platform/service-unavailable.ts'
import { ModelError } from './model-error.ts'
import type { ProviderAdapter } from './provider-adapter.ts'

/** Responds to any error in the provider's format, with our own message. */
export function respondWithModelError(
  adapter: ProviderAdapter,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const modelError = toModelError(error)
  if (modelError !== error && modelError.status >= 500 && !reply.raw.destroyed)
    // a client that disconnected is not a failure
    request.log.error({ error: error instanceof Error ? error.stack : String(error) }, 'model call failed')
  return reply
    .code(modelError.status)
    .headers({
      'content-type': 'application/json; charset=utf-8',
      ...(modelError.retryAfterSeconds !== undefined && { 'retry-after': String(modelError.retryAfterSeconds) }),
      ...(modelError.status === 402 && { 'x-should-retry': 'false' }), // the official SDKs check this header first
    })
    .serializer(JSON.stringify)
    .send(adapter.errorBody(modelError))
}

function toModelError(error: unknown): ModelError {
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
  const isClientError = statusCode !== undefined && statusCode >= 400 && statusCode < 500
  return isClientError ? invalid('Send the body as application/json.') : new ModelError('internal_error')
}

const invalid = (message: string) => new ModelError('invalid_request', { message })
