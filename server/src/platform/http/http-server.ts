/**
 * The HTTP server under `api`, the gateway and the runner's health port: a request id in every response, one log line per
 * request, errors as RFC 9457 problems, and a graceful shutdown that lets requests in flight finish.
 */
import { STATUS_CODES } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { HttpConfig } from '../config.ts'
import { createAddressClassifier } from '../egress/address-policy.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { LabelsOf } from '../metrics/catalog.ts'
import { countMetric, observeMetric } from '../metrics/metrics.ts'
import { isServiceUnavailable } from '../service-unavailable.ts'
import { followRenewals, readCertificate, recordExpiry } from './certificate.ts'
import { internalErrorProblem, Problem } from './problem.ts'
import { runInTraceOf, traceRequests } from './trace-requests.ts'

export type HttpServer = FastifyInstance

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Called so often that successful requests are logged at debug level only. */
    quiet?: boolean
  }
}

const healthPaths = new Set(['/healthz', '/readyz'])
const bodyLimitBytes = 1024 * 1024
const maxParameterCharacters = 16 * 1024 // as many as Node accepts in headers: the schema of an id limits its length
const idleSocketTimeoutMs = 90_000 // a client that requests much and never reads it would keep the response in memory
const headersTimeoutMs = 30_000
// Passed to Node itself when the server is created: Fastify sets its options later, which leaves Node's 60 s for the
// headers, and Node then uses the longer of the two timeouts for the whole request (tried: a slow body lived for 87 s).
const nodeOptions = (requestTimeoutMs: number) => ({
  headersTimeout: headersTimeoutMs,
  requestTimeout: requestTimeoutMs,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false, // Node's own 400 has no body; ours is a problem
})
const keepAliveTimeoutMs = 72_000 // longer than the 60 s of load balancers, so that they never write to a closed connection

export type HttpServerName = LabelsOf<'colophon_http_problems_total'>['server']

export interface HttpServerOptions {
  /** In metrics. */
  name?: HttpServerName
  /** From the first byte of a request to its last. */
  requestTimeoutMs?: number
  /** Of the instance, without a trailing slash: the `type` of a problem is a URL below it. Undefined: `about:blank`. */
  publicUrl?: string
  /** Whether browsers must also use HTTPS for the subdomains of the public URL. */
  requiresHttpsOfSubdomains?: boolean
  /** Called with the address of a reverse proxy whose `X-Forwarded-For` is ignored, because it is not a trusted one. */
  onUntrustedProxy?: (address: string) => void
}

export function createHttpServer(
  config: HttpConfig,
  log: Log,
  {
    name = 'public',
    requestTimeoutMs = 30_000,
    publicUrl,
    requiresHttpsOfSubdomains,
    onUntrustedProxy,
  }: HttpServerOptions = {},
): HttpServer {
  const raw: RawResponseOptions = { publicUrl, headers: commonHeaders(publicUrl, requiresHttpsOfSubdomains === true) }
  const withCommonHeaders = (request: FastifyRequest, reply: FastifyReply) =>
    reply.header('x-request-id', request.id).headers(raw.headers)
  const onError = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    respondWithError(error, request, reply, { name, publicUrl })
  const certificate = config.tls && readCertificate(config.tls)
  const server = fastify({
    ...(certificate
      ? { https: { ...nodeOptions(requestTimeoutMs), ...certificate } }
      : { http: nodeOptions(requestTimeoutMs) }),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => newId('req'),
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionTimeout: idleSocketTimeoutMs,
    return503OnClosing: false, // a request that arrives on an open connection during shutdown is served like any other
    forceCloseConnections: 'idle',
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: maxParameterCharacters },
    clientErrorHandler: (error, socket) => respondToClientError(error, socket, requestTimeoutMs, raw),
    frameworkErrors: (error, request, reply) => onError(error, request, withCommonHeaders(request, reply)), // no hook runs for these
  })
  traceRequests(server, (path) => !healthPaths.has(path))
  // By default Node responds to an unknown `Expect` with an empty 417, and not at all to CONNECT.
  server.server.on('checkExpectation', server.routing)
  server.server.on('connect', (_request, socket) => {
    socket.on('error', () => {}) // Node has detached this socket: an error without a listener would end the process
    respondRaw(socket, new Problem('invalid_request', 'CONNECT is not supported: this server is not a proxy.'), raw)
  })
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  let stopping = false
  server.addHook('preClose', async () => {
    stopping = true
    // A client opened the connection in advance and may never use it. Node considers it busy, and the shutdown waited
    // for the idle timeout (tried).
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
  server.addHook('onSend', async (request, reply) => {
    if (!healthPaths.has(request.url))
      observeMetric(
        'colophon_http_request_duration_seconds',
        { server: name, status: toStatusClass(reply.statusCode) },
        reply.elapsedTime / 1000,
      )
    if (stopping) reply.header('connection', 'close') // an open keep-alive connection would delay the shutdown
  })
  server.addHook('onRequest', async (request, reply) => {
    withCommonHeaders(request, reply)
    if (onUntrustedProxy && isFromUntrustedProxy(request)) onUntrustedProxy(request.ip)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new Problem('invalid_request', 'An HTTP/1.1 request needs a Host header.')
    if (request.is404) rejectUnknownRoute(server, request, reply) // here and not in a handler: before the body is read
  })
  server.addHook('onResponse', async (request, reply) => {
    const isQuiet = request.routeOptions.config.quiet === true && reply.statusCode < 400
    const level = isQuiet || healthPaths.has(request.url) ? 'debug' : 'info' // health paths are polled all the time
    runInTraceOf(request, () =>
      request.log[level](
        {
          method: request.method,
          route: request.routeOptions.url,
          path: request.url.split('?', 1)[0],
          status: reply.statusCode,
          milliseconds: Math.round(reply.elapsedTime),
        },
        'request',
      ),
    )
  })
  server.setErrorHandler(onError)
  if (config.tls && certificate && server.server instanceof TlsServer) {
    recordExpiry(name, certificate)
    const renewals = followRenewals(server.server, config.tls, {
      current: certificate,
      log,
      onRenewed: (renewed) => recordExpiry(name, renewed),
    })
    server.addHook('onClose', () => renewals.stop())
  }
  return server
}

const toStatusClass = (status: number) =>
  `${Math.floor(status / 100)}xx` as LabelsOf<'colophon_http_request_duration_seconds'>['status']

/** For every response, also to what is not HTTP. */
function commonHeaders(publicUrl: string | undefined, requiresHttpsOfSubdomains: boolean): Record<string, string> {
  const hsts = `max-age=31536000${requiresHttpsOfSubdomains ? '; includeSubDomains' : ''}`
  return {
    'x-content-type-options': 'nosniff',
    // For everything but pages, which have a policy of their own.
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    ...(publicUrl?.startsWith('https:') && { 'strict-transport-security': hsts }),
  }
}

const classifyAddress = createAddressClassifier([], () => [])

/** Only if it has an internal address, as a reverse proxy usually has: any client on the internet can send the header. */
const isFromUntrustedProxy = (request: FastifyRequest): boolean =>
  request.headers['x-forwarded-for'] !== undefined &&
  (request.ips?.length ?? 1) === 1 && // with a trusted proxy: its address and at least one more
  isIP(request.ip) !== 0 &&
  classifyAddress(request.ip) === 'internal'

function rejectUnknownRoute(server: HttpServer, request: FastifyRequest, reply: FastifyReply): never {
  const allowed = allowedMethods(server, request)
  if (allowed.length === 0)
    throw new Problem('not_found', 'There is nothing at this URL. See /openapi.json for the API.')
  reply.header('allow', allowed.join(', '))
  throw new Problem('method_not_allowed', `${request.method} is not allowed at this URL. Use ${allowed.join(' or ')}.`)
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const allowedMethods = (server: HttpServer, request: FastifyRequest) =>
  methods.filter((method) => server.findRoute({ method, url: request.url.split('?', 1)[0] ?? '' }) !== null)

function respondWithError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, publicUrl }: { name: HttpServerName; publicUrl: string | undefined },
): FastifyReply {
  const problem = toProblem(error)
  if (!healthPaths.has(request.url)) countMetric('colophon_http_problems_total', { server: name, code: problem.code })
  if (problem.code === 'unavailable' && problem.cause === undefined) {
    request.log.warn({ reason: problem.detail, route: request.routeOptions.url }, 'request rejected') // on purpose, so not an error
  } else if (problem.status >= 500) {
    request.log.error(
      { error: serializeError(problem.cause ?? problem), route: request.routeOptions.url },
      'request failed',
    )
  }
  // Fastify would close the connection of a client that sends too much, which then often sees a broken pipe instead of
  // the response (tried). Kept open, the connection is read to the end of the body, as after every other rejection, for
  // no longer than the request timeout.
  if (problem.code === 'too_large') reply.removeHeader('connection')
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problem.body(request.id, publicUrl))
}

/** Maps Fastify's own errors to problems. Every other unexpected error is a 500 that reveals nothing. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { code, statusCode } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type', 'Send the body as application/json.')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('too_large', 'The body is larger than this URL accepts.')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Problem('invalid_request', 'The body is empty: send a JSON object.')
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('invalid_request', 'The body is not valid JSON.')
    case 'FST_ERR_BAD_URL':
      return new Problem('invalid_request', 'The URL cannot be decoded.')
    default:
      if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
        return new Problem('invalid_request', 'The request cannot be parsed.')
      }
      if (isServiceUnavailable(error)) {
        return new Problem(
          'unavailable',
          'A service that this request needs cannot be reached. Try again in a few seconds.',
          {
            headers: { 'retry-after': '5' },
            cause: error,
          },
        )
      }
      return internalErrorProblem(error)
  }
}

function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause ? { cause: serializeError(error.cause) } : {}),
  }
}

/** Requests that Node cannot parse as HTTP never reach a route; they still get a problem and a request id. */
function respondToClientError(
  { code }: NodeJS.ErrnoException,
  socket: Socket,
  requestTimeoutMs: number,
  raw: RawResponseOptions,
): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  respondRaw(socket, clientErrorProblem(code, requestTimeoutMs), raw)
}

function clientErrorProblem(code: string | undefined, requestTimeoutMs: number): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('too_large', 'The headers are too large.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', requestTimeoutMessage(requestTimeoutMs))
    default:
      return new Problem('invalid_request', 'The request cannot be parsed as HTTP.')
  }
}

/** Node does not say which of the two timeouts it was. */
const requestTimeoutMessage = (requestTimeoutMs: number) =>
  requestTimeoutMs === headersTimeoutMs
    ? `Request timed out after ${requestTimeoutMs / 1000} s.`
    : `Request timed out: ${headersTimeoutMs / 1000} s for the headers, ${requestTimeoutMs / 1000} s for the whole request.`

interface RawResponseOptions {
  publicUrl: string | undefined
  headers: Readonly<Record<string, string>>
}

function respondRaw(socket: Duplex, problem: Problem, { publicUrl, headers }: RawResponseOptions): void {
  const requestId = newId('req')
  const body = JSON.stringify(problem.body(requestId, publicUrl))
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
      `X-Request-Id: ${requestId}\r\n${lines.join('')}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
