/**
 * The repository of a turn, for git in the sandbox: to read, over the two calls that reading takes, and nothing else. The host's
 * address and token are added here. Bodies are inflated here too, so that no small one becomes a large one at the host.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GitRemote } from '../code-hosts/code-host.ts'
import { CodeHostError, failureOfCall } from '../code-hosts/code-host-error.ts'
import { callGitHost, type readCalls } from '../code-hosts/git/call-git-host.ts'
import type { AttemptStore, LiveAttempt } from '../jobs/attempt-store.ts'
import type { CallLimits, Egress } from '../platform/egress/egress.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { CallsUnderWay } from './calls-under-way.ts'
import { liveAttempt } from './live-attempt.ts'

export interface GitReadDeps {
  attempts: AttemptStore
  /** Undefined: the project has no repository. */
  openRemote: (projectId: Id<'prj'>) => Promise<GitRemote | undefined>
  egress: Egress
}

type ReadCall = (typeof readCalls)[number]

const maxRequestBytes = 8 * 1024 * 1024 // what is wanted and what is there already, as 50 bytes each
const limits: CallLimits = { silenceSeconds: 60, deadlineSeconds: 600, maxResponseBytes: 1024 * 1024 * 1024 }
const service = 'git-upload-pack'
const requestType = `application/x-${service}-request`

export function addGitRead(server: HttpServer, { attempts, openRemote, egress }: GitReadDeps): void {
  const underWay = new CallsUnderWay()

  server.register(async (scope) => {
    // The handler reads bodies itself: no parser takes what may be compressed.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    const asked = new WeakMap<FastifyRequest, { attempt: LiveAttempt; encoding: string | undefined }>()
    // Before anything else: headers of bodies that no schema asks for may be gone afterwards.
    scope.addHook('onRequest', async (request) => {
      const attempt = await liveAttempt(request, attempts)
      if (attempt.stop) throw readOnly('The turn is to stop.')
      asked.set(request, { attempt, encoding: request.headers['content-encoding'] })
    })

    scope.get('/git/info/refs', { exposeHeadRoute: false }, async (request, reply) => {
      if (request.url.split('?')[1] !== `service=${service}`) throw readOnly('The repository can be read, and no more.')
      return answer(request, reply, `GET /info/refs?service=${service}`, 'advertisement')
    })
    scope.post('/git/git-upload-pack', async (request, reply) =>
      answer(request, reply, 'POST /git-upload-pack', 'result'),
    )

    async function answer(
      request: FastifyRequest,
      reply: FastifyReply,
      call: ReadCall,
      kind: 'advertisement' | 'result',
    ): Promise<FastifyReply> {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      if (reply.raw.destroyed) gone.abort()
      const { attempt, encoding } = asked.get(request) ?? {}
      if (!attempt) throw readOnly('This token is not known here.')
      if (!underWay.enter(attempt.turnId, gone.signal))
        throw new Problem('rate_limited', 'Too many calls at once.', { headers: { 'retry-after': '1' } })
      const body = kind === 'result' ? await readBody(request.raw, encoding) : null
      const refuse = (error: unknown) => {
        const failure = failureOfCall(error)
        request.log.warn({ turnId: attempt.turnId, error: String(failure) }, 'could not read a repository')
        throw asProblem(failure)
      }
      const remote = await openRemote(attempt.projectId).catch(refuse)
      if (!remote) throw new Problem('not_found', 'The project has no repository.')
      const response = await callGitHost(remote, egress, call, {
        headers: [...versionOf(request), ...(body ? [['content-type', requestType] as [string, string]] : [])],
        body,
        signal: gone.signal,
        limits,
      }).catch(refuse)
      const contentType = `application/x-${service}-${kind}`
      if (!response.body || response.headers.get('content-type') !== contentType) {
        await response.body?.cancel()
        throw new Problem('unavailable', 'The code host did not answer as git does.')
      }
      return reply
        .header('content-type', contentType)
        .header('cache-control', 'no-store')
        .send(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]))
    }
  })
}

/** Which version of its protocol git speaks: the one thing of the client's headers that the host has to know. */
function versionOf({ headers }: FastifyRequest): [string, string][] {
  const version = headers['git-protocol']
  return typeof version === 'string' && /^version=[0-2]$/.test(version) ? [['git-protocol', version]] : []
}

async function readBody(request: IncomingMessage, encoding = 'identity'): Promise<Uint8Array> {
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new Problem('unsupported_media_type', 'Send the body as it is, or compressed by gzip.')
  const body = await allOf(request)
  if (encoding === 'identity') return body
  return promisify(gunzip)(body, { maxOutputLength: maxRequestBytes }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : new Problem('invalid_request', 'The body is not gzip.')
  })
}

async function allOf(request: IncomingMessage): Promise<Buffer> {
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
    request.resume() // what is left of it is read and forgotten: who still sends would not see the answer
  }
}

/** The host's own words are in the log: they may name what the sandbox need not know. */
function asProblem(failure: unknown): unknown {
  if (!(failure instanceof CodeHostError)) return failure
  if (failure.failure.kind === 'final') return readOnly('The code host does not let us read the repository.')
  return new Problem('unavailable', 'The code host cannot be reached.', {
    headers: { 'retry-after': String(failure.failure.retryAfterSeconds ?? 5) },
  })
}

const readOnly = (detail: string) => new Problem('insufficient_scope', detail)
const tooLarge = () => new Problem('too_large', 'The body is larger than git has any use for.')
