/**
 * `/mcp`: Colophon's tools for AI assistants, over the Streamable HTTP transport of the Model Context Protocol, without sessions.
 * Each tool calls the HTTP API of this process with the key of the caller, so that there is one place that decides what a key may do.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { respondToMcpRequest } from '@colophon/mcp/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
// The source, and not the package, which is what was last built of it.
import { createClient } from '../../../../sdk/src/index.ts'
import type { ApiKeyRecord } from '../../keys/key-store.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { SemaphoreFullError, SharedSemaphore } from '../../platform/semaphore.ts'
import { version } from '../../platform/version.ts'
import { type AuthorizeDeps, authorize } from '../authorize.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { createInProcessFetch } from './in-process-fetch.ts'

const route = { method: 'POST', url: '/mcp', access: 'any-key' } as const

/** Enough for the longest prompt in any encoding. */
const maxBodyBytes = 512 * 1024
const maxPerMinute = 600
/** Of a project, not of a key: a project can have hundreds of keys. */
const maxConcurrentPerProject = 40
const maxConcurrent = 200

/** Those of the protocol. All others are for the connection, and not for the tools. */
const passedRequestHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
const passedResponseHeaders = ['content-type', 'x-accel-buffering']

export function addMcpEndpoint(server: HttpServer, deps: AuthorizeDeps): void {
  const keys = new WeakMap<FastifyRequest, ApiKeyRecord>()
  const rateLimit = new MinuteRateLimit('MCP requests', maxPerMinute)
  const slots = new SharedSemaphore<Id<'prj'>>({
    all: { maxConcurrent, maxWaiting: 0 },
    perKey: { maxConcurrent: maxConcurrentPerProject, maxWaiting: 0 },
  })
  const stopping = new AbortController()
  server.addHook('preClose', async () => stopping.abort())

  server.route({
    method: route.method,
    url: route.url,
    config: { access: route.access },
    bodyLimit: maxBodyBytes,
    schema: { body: Type.Unknown() },
    onRequest: async (request, reply) => {
      reply.header('cache-control', 'no-store')
      request.log = request.log.child({ ipAddress: request.ip })
      assertAllowedOrigin(request, deps.publicOrigin)
      const { context } = await authorize(request, route, deps)
      const { key } = context as { key: ApiKeyRecord }
      request.log = request.log.child({ actor: key.id })
      keys.set(request, key)
    },
    handler: async (request, reply) => {
      const key = keys.get(request)
      if (!key) throw new Error('a request reached its handler without an access check')
      rateLimit.consume(key.id)
      await slots.acquire(key.projectId).catch(toProblem)
      const disconnected = new AbortController()
      reply.raw.once('close', () => {
        slots.release(key.projectId)
        disconnected.abort() // after a complete response, nothing is left to abort
      })
      if (Array.isArray(request.body))
        throw new Problem('invalid_request', 'Send one JSON-RPC message per request, and not a batch.')
      const response = await respondToMcpRequest(
        toWebRequest(request, disconnected.signal),
        request.body,
        { client: createClientOf(server, request), key: { projectId: key.projectId, scopes: [...key.scopes] } },
        {
          version,
          stopping: stopping.signal,
          onError: (error) => request.log.info({ error: error.message }, 'MCP request rejected'),
        },
      )
      return sendWebResponse(reply, response)
    },
  })
}

function toProblem(error: unknown): never {
  if (!(error instanceof SemaphoreFullError)) throw error
  throw new Problem(
    'rate_limited',
    `The project has ${maxConcurrentPerProject} open requests, or the server is busy with those of others. Wait for one to end.`,
    { headers: { 'retry-after': '5' } },
  )
}

/**
 * A page of another site could otherwise call an instance that only its visitor can reach (DNS rebinding). Programs send no
 * origin. The specification requires this check, although a page does not have a key.
 */
function assertAllowedOrigin({ headers }: FastifyRequest, publicOrigin: string): void {
  if (headers.origin !== undefined && headers.origin !== publicOrigin)
    throw new Problem(
      'cross_origin',
      'Pages of other sites cannot call this URL. Call it from a program, without an Origin header.',
    )
}

/** Without retries: the assistant learns what is wrong, for example after how many seconds it may try again. */
const createClientOf = (server: HttpServer, request: FastifyRequest) =>
  createClient({
    baseUrl: 'http://in-process',
    retry: false,
    fetch: createInProcessFetch(server, {
      authorization: request.headers.authorization ?? '',
      ipAddress: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
    }),
  })

function toWebRequest({ headers }: FastifyRequest, signal: AbortSignal): Request {
  const passed = passedRequestHeaders.flatMap((name): [string, string][] => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return new Request('http://in-process/mcp', { method: 'POST', headers: passed, signal })
}

function sendWebResponse(reply: FastifyReply, { status, headers, body }: Response): FastifyReply {
  for (const name of passedResponseHeaders) {
    const value = headers.get(name)
    if (value !== null) reply.header(name, value)
  }
  return reply.code(status).send(body === null ? undefined : Readable.fromWeb(body as ReadableStream<Uint8Array>))
}
