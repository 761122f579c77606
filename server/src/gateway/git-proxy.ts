/**
 * A read-only git proxy to the repository of a turn, for git in the sandbox. It supports only the two calls that a fetch needs.
 * It adds the URL and the token of the code host. It also decompresses request bodies, so that a small body cannot become a large
 * one at the code host.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GitRemote } from '../code-hosts/code-host.ts'
import { CodeHostError, toCodeHostError } from '../code-hosts/code-host-error.ts'
import { callGitHost, type fetchEndpoints } from '../code-hosts/git/call-git-host.ts'
import type { AttemptStore, LiveAttempt } from '../jobs/attempt-store.ts'
import type { Egress, EgressLimits } from '../platform/egress/egress.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { requireLiveAttempt } from './authenticate-attempt.ts'
import { ConcurrentCallsPerTurnLimit } from './concurrent-calls-per-turn-limit.ts'
import type { GatewayAccess } from './gateway-route.ts'

export interface GitProxyDeps {
  attempts: AttemptStore
  /** Undefined: the project has no repository. */
  openRemote: (projectId: Id<'prj'>) => Promise<GitRemote | undefined>
  egress: Egress
}

type ReadCall = (typeof fetchEndpoints)[number]

const maxRequestBytes = 8 * 1024 * 1024 // a fetch lists wanted and existing commits, about 50 bytes each
const limits: EgressLimits = { idleTimeoutSeconds: 60, deadlineSeconds: 600, maxResponseBytes: 1024 * 1024 * 1024 }
const service = 'git-upload-pack'
const requestType = `application/x-${service}-request`

export function addGitProxy(server: HttpServer, { attempts, openRemote, egress }: GitProxyDeps): void {
  const config = { access: 'attempt' satisfies GatewayAccess }
  const concurrency = new ConcurrentCallsPerTurnLimit()

  server.register(async (scope) => {
    // The handler reads the body itself, because no parser accepts a compressed body.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    const calls = new WeakMap<FastifyRequest, { attempt: LiveAttempt; encoding: string | undefined }>()
    // Reads `content-encoding` here: headers that describe a body may be removed later if no schema expects a body.
    scope.addHook('onRequest', async (request) => {
      const attempt = await requireLiveAttempt(request, attempts)
      if (attempt.stop) throw denied('The turn is being stopped.')
      calls.set(request, { attempt, encoding: request.headers['content-encoding'] })
    })

    scope.get('/git/info/refs', { config, exposeHeadRoute: false }, async (request, reply) => {
      if (request.url.split('?')[1] !== `service=${service}`) throw denied('The repository is read-only.')
      return forward(request, reply, `GET /info/refs?service=${service}`, 'advertisement')
    })
    scope.post('/git/git-upload-pack', { config }, async (request, reply) =>
      forward(request, reply, 'POST /git-upload-pack', 'result'),
    )

    async function forward(
      request: FastifyRequest,
      reply: FastifyReply,
      call: ReadCall,
      kind: 'advertisement' | 'result',
    ): Promise<FastifyReply> {
      const closed = new AbortController()
      reply.raw.once('close', () => closed.abort())
      if (reply.raw.destroyed) closed.abort()
      const { attempt, encoding } = calls.get(request) ?? {}
      if (!attempt) throw denied('The token is not valid.')
      if (!concurrency.acquire(attempt.turnId, closed.signal))
        throw new Problem('rate_limited', 'Too many concurrent git calls for this turn. Retry in a second.', {
          headers: { 'retry-after': '1' },
        })
      const body = kind === 'result' ? await readBody(request.raw, encoding) : null
      const fail = (error: unknown) => {
        const failure = toCodeHostError(error)
        request.log.warn({ turnId: attempt.turnId, error: String(failure) }, 'could not read repository')
        throw toProblem(failure)
      }
      const remote = await openRemote(attempt.projectId).catch(fail)
      if (!remote) throw new Problem('not_found', 'The project has no repository.')
      const response = await callGitHost(remote, egress, call, {
        headers: [...protocolVersion(request), ...(body ? [['content-type', requestType] as [string, string]] : [])],
        body,
        signal: closed.signal,
        limits,
      }).catch(fail)
      const contentType = `application/x-${service}-${kind}`
      if (!response.body || response.headers.get('content-type') !== contentType) {
        await response.body?.cancel()
        throw new Problem('unavailable', 'The response of the code host is not a git response.')
      }
      return reply
        .header('content-type', contentType)
        .header('cache-control', 'no-store')
        .send(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]))
    }
  })
}

/** The git protocol version: the only request header of the client that the code host needs. */
function protocolVersion({ headers }: FastifyRequest): [string, string][] {
  const version = headers['git-protocol']
  return typeof version === 'string' && /^version=[0-2]$/.test(version) ? [['git-protocol', version]] : []
}

async function readBody(request: IncomingMessage, encoding = 'identity'): Promise<Uint8Array> {
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new Problem('unsupported_media_type', 'The body must be uncompressed or compressed with gzip.')
  const body = await readAll(request)
  if (encoding === 'identity') return body
  return promisify(gunzip)(body, { maxOutputLength: maxRequestBytes }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge()
      : new Problem('invalid_request', 'The body is not valid gzip.')
  })
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      sizeBytes += chunk.length
      if (sizeBytes > maxRequestBytes) throw tooLarge()
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    request.resume() // drain the rest: a client that is still sending would not read the response
  }
}

/** Does not include the message of the code host, which may contain details that the sandbox must not see. It is in the log. */
function toProblem(failure: unknown): unknown {
  if (!(failure instanceof CodeHostError)) return failure
  if (failure.failure.kind === 'final') return denied('The code host denies access to the repository.')
  return new Problem('unavailable', 'The code host cannot be reached.', {
    headers: { 'retry-after': String(failure.failure.retryAfterSeconds ?? 5) },
  })
}

const denied = (detail: string) => new Problem('insufficient_scope', detail)
const tooLarge = () => new Problem('too_large', `The body is larger than ${maxRequestBytes} bytes.`)
