/**
 * Records spans of traces. Like metrics they are process-wide, and recording does nothing until `startTracing` is called.
 *
 * A span has a name and attributes of closed lists, and IDs: no text of people or models, no addresses, no keys. Of an error it has
 * the code and not the message, which may contain anything.
 */
import { type Context, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

/** By the conventions of OpenTelemetry, where there is one. */
export interface SpanAttributes {
  'http.request.method'?: string
  'http.route'?: string
  'http.response.status_code'?: number
  'colophon.request_id'?: string
  'colophon.project_id'?: string
  'colophon.job_id'?: string
  'colophon.turn_id'?: string
  'colophon.endpoint_id'?: string
  'colophon.attempt'?: number
  'colophon.attempt.result'?: 'result' | 'agent_failed' | 'released'
  'colophon.code_host'?: 'github' | 'gitea'
  'colophon.block_id'?: string
  'colophon.views'?: number
}

/** The `traceparent` of W3C Trace Context: the IDs of a trace and a span, and whether the trace is sampled. */
export type Traceparent = string

interface SpanOptions {
  attributes?: SpanAttributes
  /** Default: the current span. Null: the span begins a trace. */
  parent?: Traceparent | null | undefined
  kind?: 'internal' | 'server' | 'client' | 'consumer'
  startedAt?: Date
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const

const tracer = () => trace.getTracer('colophon')

/** Runs `work` in a span. `isFailure`: whether an error that it throws is one. */
export async function withSpan<Result>(
  name: string,
  { isFailure = () => true, ...options }: SpanOptions & { isFailure?: (error: unknown) => boolean },
  work: () => Promise<Result>,
): Promise<Result> {
  const span = startSpan(name, options)
  try {
    return await runInSpan(span, work)
  } catch (error) {
    if (isFailure(error)) setFailed(span, error)
    throw error
  } finally {
    span.end()
  }
}

/** The caller ends it. */
export const startSpan = (name: string, { attributes, parent, kind = 'internal', startedAt }: SpanOptions): Span =>
  tracer().startSpan(
    name,
    { kind: kinds[kind], attributes: { ...attributes }, ...(startedAt && { startTime: startedAt }) },
    toContext(parent),
  )

export const runInSpan = <Result>(span: Span, work: () => Result): Result =>
  context.with(trace.setSpan(context.active(), span), work)

/** Records a span that is over, like a wait that only the database knew of. */
export function recordSpan(
  name: string,
  { endedAt, ...options }: SpanOptions & { startedAt: Date; endedAt: Date },
): void {
  startSpan(name, options).end(endedAt)
}

export function setFailed(span: Span, error: unknown): void {
  span.setAttribute('error.type', toErrorCode(error))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Of the current span, to pass it on to another process. Undefined: there is none. */
export function currentTraceparent(): Traceparent | undefined {
  const carrier: { traceparent?: Traceparent } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent
}

/** For logs. Undefined: there is no current span. */
export const currentTraceId = (): string | undefined => trace.getActiveSpan()?.spanContext().traceId

function toContext(parent: Traceparent | null | undefined): Context {
  if (parent === undefined) return context.active()
  const root = trace.deleteSpan(context.active())
  return parent === null ? root : propagation.extract(root, { traceparent: parent })
}

const codePattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

/** Our own codes (`code` of a problem, `type` of a failure), those of drivers, or the name of the class. Never the message. */
function toErrorCode(error: unknown): string {
  const { code, type, name } = (error ?? {}) as { code?: unknown; type?: unknown; name?: unknown }
  return ([code, type, name].find((each) => typeof each === 'string' && codePattern.test(each)) as string) ?? 'unknown'
}
