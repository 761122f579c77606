/**
 * The ground that `api`, the gateway and the runner's health port stand on: a request id in every answer, one logged line
 * per request, errors as problems, and a stop that lets requests in flight finish.
 */
import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { HttpConfig } from '../config.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'
import { isServiceUnavailable } from '../service-unavailable.ts'
import { internalError, Problem } from './problem.ts'

export type HttpServer = FastifyInstance

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked too often for a logged line each, where all goes well. */
    quiet?: boolean
  }
}

const healthPaths = new Set(['/healthz', '/readyz'])
const bodyLimitBytes = 1024 * 1024
const maxParameterCharacters = 16 * 1024 // as much as Node takes of headers: how long an id may be, its schema says
const silentSocketMs = 90_000 // nobody may ask for much and never read it: the answer would stay in memory
const headersWithinMs = 30_000
// Told to Node itself, when the server is made: what Fastify sets afterwards leaves Node's 60 s for the headers, and Node
// then takes the longer of the two for the whole request (tried: a slow body lived for 87 s).
const nodeOptions = (wholeRequestWithinMs: number) => ({
  headersTimeout: headersWithinMs,
  requestTimeout: wholeRequestWithinMs,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false, // Node's refusal has no body; ours is a problem
})
const keepAliveMs = 72_000 // longer than the minute load balancers keep theirs, so that they never write into a closed one

/** `wholeRequestWithinMs`: from its first byte to its last. */
export function createHttpServer(
  config: HttpConfig,
  log: Log,
  { wholeRequestWithinMs = 30_000 }: { wholeRequestWithinMs?: number } = {},
): HttpServer {
  const server = fastify({
    ...(config.tls
      ? {
          https: {
            ...nodeOptions(wholeRequestWithinMs),
            cert: readFileSync(config.tls.certificateFile),
            key: readFileSync(config.tls.keyFile),
          },
        }
      : { http: nodeOptions(wholeRequestWithinMs) }),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => newId('req'),
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: wholeRequestWithinMs,
    keepAliveTimeout: keepAliveMs,
    connectionTimeout: silentSocketMs,
    return503OnClosing: false, // a request on a kept connection that arrives while we stop is answered like any other
    forceCloseConnections: 'idle',
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: maxParameterCharacters },
    clientErrorHandler: respondUnreadable,
    frameworkErrors: (error, request, reply) => respondWithError(error, request, named(request, reply)), // no hook runs for these
  })
  // By itself Node answers an unknown `Expect` with an empty 417, and CONNECT not at all.
  server.server.on('checkExpectation', server.routing)
  server.server.on('connect', (_request, socket) => {
    socket.on('error', () => {}) // Node has let go of this socket: unheard, an error of it would end the process
    respondRaw(socket, new Problem('invalid_request', 'This is no proxy.'))
  })
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  let stopping = false
  server.addHook('preClose', async () => {
    stopping = true
    // Opened ahead by a client that may never use it: Node takes it for busy, and waited for its silence to end (tried).
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
  server.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close') // a connection that was kept would keep the server from stopping
  })
  server.addHook('onRequest', async (request, reply) => {
    named(request, reply)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new Problem('invalid_request', 'HTTP/1.1 wants a Host header.')
    if (request.is404) refuseUnknown(server, request, reply) // here and not in a handler: before the body is looked at
  })
  server.addHook('onResponse', async (request, reply) => {
    const isQuiet = request.routeOptions.config.quiet === true && reply.statusCode < 400
    const level = isQuiet || healthPaths.has(request.url) ? 'debug' : 'info' // the latter by every supervisor, all the time
    request.log[level](
      {
        method: request.method,
        route: request.routeOptions.url,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
      },
      'request',
    )
  })
  server.setErrorHandler(respondWithError)
  return server
}

const named = (request: FastifyRequest, reply: FastifyReply) =>
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')

function refuseUnknown(server: HttpServer, request: FastifyRequest, reply: FastifyReply): never {
  const allowed = allowedMethods(server, request)
  if (allowed.length === 0)
    throw new Problem('not_found', 'There is nothing at this address. See /openapi.json for what there is.')
  reply.header('allow', allowed.join(', '))
  throw new Problem('method_not_allowed', `This address takes ${allowed.join(' and ')}, not ${request.method}.`)
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const allowedMethods = (server: HttpServer, request: FastifyRequest) =>
  methods.filter((method) => server.findRoute({ method, url: request.url.split('?', 1)[0] ?? '' }) !== null)

function respondWithError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = asProblem(error)
  if (problem.code === 'unavailable' && problem.cause === undefined) {
    request.log.warn({ reason: problem.detail, route: request.routeOptions.url }, 'request refused') // meant so
  } else if (problem.status >= 500) {
    request.log.error({ error: describe(problem.cause ?? problem), route: request.routeOptions.url }, 'request failed')
  }
  // Fastify would hang up on who sends too much, who then often sees a broken pipe and not the answer (tried). Kept, the
  // connection is read to the end of the body, as after every other refusal, for no longer than a request may take.
  if (problem.code === 'too_large') reply.removeHeader('connection')
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problem.body(request.id))
}

/** Fastify's own refusals become ours; everything else that was not meant is a 500 that shows nothing. */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { code, statusCode } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type', 'Send the body as application/json.')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('too_large', 'The body is larger than this address takes.')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Problem('invalid_request', 'The body is empty: send a JSON object.')
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('invalid_request', 'The body is not valid JSON.')
    case 'FST_ERR_BAD_URL':
      return new Problem('invalid_request', 'The address cannot be decoded.')
    default:
      if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
        return new Problem('invalid_request', 'The request cannot be read.')
      }
      if (isServiceUnavailable(error)) {
        return new Problem('unavailable', 'A part of the service is away for a moment: try again.', {
          headers: { 'retry-after': '5' },
          cause: error,
        })
      }
      return internalError(error)
  }
}

function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause ? { cause: describe(error.cause) } : {}),
  }
}

/** What Node could not even parse as HTTP never reaches a route; it still gets a problem and a request id. */
function respondUnreadable({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  respondRaw(
    socket,
    code === 'HPE_HEADER_OVERFLOW'
      ? new Problem('too_large', 'The headers are too large.')
      : new Problem(
          'invalid_request',
          code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? 'The request was not here in time: send it faster.'
            : 'The request cannot be read as HTTP.',
        ),
  )
}

function respondRaw(socket: Duplex, problem: Problem): void {
  const requestId = newId('req')
  const body = JSON.stringify(problem.body(requestId))
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
      `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
