/**
 * Requests are spans, from their arrival to the end of the response. Only requests that were accepted, and need a key, a session or a
 * token: what anyone can send, and what was rejected, is in the log and in the metrics, and cannot fill the storage of traces.
 * The `traceparent` of a request is ignored, because its sender could decide what is sampled, and join the traces of others.
 */

import type { Span } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toIdAttribute } from '../tracing/id-attribute.ts'
import { runInSpan, setFailed, startSpan, type Traceparent } from '../tracing/spans.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Called so often that traces of it would help nobody. */
    untraced?: boolean
  }
}

const parents = new WeakMap<FastifyRequest, Traceparent>()
const spans = new WeakMap<FastifyRequest, Span>()

/** The request belongs to a trace that this server began. Call it before the handler. Null: what it belongs to was not traced. */
export function setTraceParent(request: FastifyRequest, traceparent: Traceparent | null): void {
  if (traceparent !== null) parents.set(request, traceparent)
}

/** For what happens after the handler, like the log line of the request. */
export function runInTraceOf(request: FastifyRequest, work: () => void): void {
  const span = spans.get(request)
  if (span) runInSpan(span, work)
  else work()
}

const publicAccess: readonly unknown[] = ['public', 'signature']
/** The caller has no access, or too many requests. */
const untracedStatuses: readonly number[] = [401, 403, 429]

/** Call it before any route is added. */
export function traceRequests(server: FastifyInstance, isTraced: (path: string) => boolean): void {
  server.addHook('onRoute', (route) => {
    const { quiet, untraced, access } = route.config ?? {}
    if (quiet === true || untraced === true || publicAccess.includes(access) || !isTraced(route.url)) return
    const { handler } = route
    route.handler = async function (request, reply) {
      const span = startSpan(`${request.method} ${route.url}`, {
        kind: 'server',
        parent: parents.get(request) ?? null,
        startedAt: new Date(Date.now() - reply.elapsedTime),
        attributes: {
          'http.request.method': request.method,
          'http.route': route.url,
          'colophon.request_id': request.id,
          ...Object.assign({}, ...Object.values(request.params as object).map(toIdAttribute)),
        },
      })
      spans.set(request, span)
      reply.raw.once('close', () => end(request)) // there is no response if the client has left
      try {
        return await runInSpan(span, () => handler.call(this, request, reply))
      } catch (error) {
        const status = statusOf(error)
        if (untracedStatuses.includes(status)) spans.delete(request)
        else if (status >= 500) setFailed(span, error)
        throw error
      }
    }
  })
  server.addHook('onResponse', async (request, reply) => {
    spans.get(request)?.setAttribute('http.response.status_code', reply.statusCode)
    end(request)
  })
}

function end(request: FastifyRequest): void {
  const span = spans.get(request)
  if (span?.isRecording()) span.end()
}

/** Of the response that the error becomes. */
function statusOf(error: unknown): number {
  const { status, statusCode } = error as { status?: unknown; statusCode?: unknown }
  return [status, statusCode].find((value) => typeof value === 'number') ?? 500
}
