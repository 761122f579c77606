/** Receives traces as an OpenTelemetry collector does: OTLP in Protocol Buffers over HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import protobuf from 'protobufjs'

export interface CollectedSpan {
  name: string
  /** Of the process that recorded it. */
  service: string
  traceId: string
  spanId: string
  /** Null: the span begins its trace. */
  parentSpanId: string | null
  startMs: number
  endMs: number
  isError: boolean
  attributes: Record<string, string | number>
}

export interface TraceCollector {
  /** For COLOPHON_TRACES_ENDPOINT. */
  url: string
  spans: CollectedSpan[]
  /** The headers of the requests so far. */
  headers: IncomingMessage['headers'][]
  /** Everything that was received, to search it for what must not be in it. */
  readReceivedText(): string
  /** Waits for a span that was already sent, or will be. */
  waitFor(isWanted: (span: CollectedSpan) => boolean): Promise<CollectedSpan>
  stop(): Promise<void>
}

/** The part of opentelemetry-proto that spans use. */
const definition = `
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
  message Status { string message = 2; int32 code = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9; Status status = 15;
  }`
const Request = protobuf.parse(definition).root.lookupType('Request')

interface KeyValue {
  key: string
  value: { stringValue?: string; intValue?: string; doubleValue?: number }
}

interface DecodedRequest {
  resourceSpans?: {
    resource: { attributes: KeyValue[] }
    scopeSpans: {
      spans: {
        traceId: string
        spanId: string
        parentSpanId?: string
        name: string
        startTimeUnixNano: string
        endTimeUnixNano: string
        attributes?: KeyValue[]
        status?: { code?: number }
      }[]
    }[]
  }[]
}

const errorStatus = 2

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const headers: IncomingMessage['headers'][] = []
  const bodies: Buffer[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const sent = await buffer(request)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/x-protobuf')
      return void response.writeHead(404).end()
    headers.push(request.headers)
    bodies.push(body)
    spans.push(...decode(body))
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    readReceivedText: () => bodies.map((body) => body.toString('latin1')).join('\n'),
    async waitFor(isWanted) {
      for (;;) {
        const span = spans.find(isWanted)
        if (span) return span
        await sleep(50)
      }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function decode(body: Buffer): CollectedSpan[] {
  const bytes = (base64: string) => Buffer.from(base64, 'base64').toString('hex')
  const milliseconds = (nanoseconds: string) => Number(BigInt(nanoseconds) / 1_000n) / 1_000
  const { resourceSpans = [] } = Request.toObject(Request.decode(body), {
    bytes: String,
    longs: String,
  }) as DecodedRequest
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(toAttributes(resource.attributes)['service.name'])
    return scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        name: span.name,
        service,
        traceId: bytes(span.traceId),
        spanId: bytes(span.spanId),
        parentSpanId: span.parentSpanId ? bytes(span.parentSpanId) : null,
        startMs: milliseconds(span.startTimeUnixNano),
        endMs: milliseconds(span.endTimeUnixNano),
        isError: span.status?.code === errorStatus,
        attributes: toAttributes(span.attributes ?? []),
      }))
  })
}

const toAttributes = (entries: readonly KeyValue[]): Record<string, string | number> =>
  Object.fromEntries(
    entries.map(({ key, value }) => [key, value.stringValue ?? value.doubleValue ?? Number(value.intValue)]),
  )
