/** Access logs as hosts and CDNs deliver them. Each host has its own body, proof of origin and check of the URL. */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { TokenBuckets } from '../../analytics/collect/token-buckets.ts'
import { type CountLogsDeps, countDeliveredLogs } from '../../analytics/log-drains/count-delivered-logs.ts'
import type { LogDrainStore, LogDrainWithSecret } from '../../analytics/log-drains/log-drain-store.ts'
import { readDeliveredLogs } from '../../analytics/log-drains/log-entries.ts'
import type { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { disableBodyParsing, type LargeBodyOptions, LargeBodyReader } from '../../platform/http/large-body-reader.ts'
import { Problem } from '../../platform/http/problem.ts'
import { isId } from '../../platform/ids.ts'
import { toClientNetwork } from '../client-network.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { hasSecret, hasVercelSignature } from './authenticate-sender.ts'

export interface ReceiveLogsDeps extends CountLogsDeps {
  logDrains: LogDrainStore
  siteCache: AnalyticsSiteCache
}

const mebibyte = 1024 * 1024
const bodyOptions: LargeBodyOptions = {
  maxBytes: 8 * mebibyte,
  allowGzip: true,
  allowEmpty: true, // a check of the URL
  parsers: { '*': (bytes) => bytes },
}

/** Deliveries with a signature are read before it can be checked, so strangers can use up the memory of those of one project only. */
const bodyMemory = { maxBytes: 32 * mebibyte, maxBytesPerOwner: 16 * mebibyte }
const signedBodyMemory = { maxBytes: 24 * mebibyte, maxBytesPerOwner: 8 * mebibyte }
/** Uncompressed, for each project: reading logs takes CPU time from the requests of all others. */
const bodyRate = { perSecond: 8 * mebibyte, burst: 64 * mebibyte }
const maxFailuresPerMinute = 60
const maxChallengesPerMinute = 60

export function addLogDrains(server: HttpServer, deps: ReceiveLogsDeps): void {
  const bodies = new LargeBodyReader(bodyMemory.maxBytes, bodyMemory)
  const signedBodies = new LargeBodyReader(signedBodyMemory.maxBytes, signedBodyMemory)
  const failures = new MinuteRateLimit('deliveries without a valid secret from your network', maxFailuresPerMinute)
  const challenges = new MinuteRateLimit('challenges from your network', maxChallengesPerMinute)
  const receivedBytes = new TokenBuckets(bodyRate)
  const refuse = (request: FastifyRequest): never => {
    failures.consume(toClientNetwork(request.ip))
    throw new Problem('unauthenticated', 'The log drain does not exist, or its secret or signature is wrong.')
  }
  const count = async (drain: LogDrainWithSecret, body: Buffer) => {
    if (!receivedBytes.tryConsume(drain.projectId, performance.now(), body.length)) throw rateExceeded()
    if (isGzip(body))
      throw new Problem('invalid_request', 'The body is compressed. Send `Content-Encoding: gzip` with it.')
    const site = await deps.siteCache.findByProject(drain.projectId)
    return countDeliveredLogs(body, { drain, site }, deps)
  }
  const receive = async (request: FastifyRequest, drain: LogDrainWithSecret) => {
    const options = { ...bodyOptions, owner: drain.projectId }
    if (hasSecret(request, drain)) return bodies.read(request.raw, options, (body) => count(drain, body as Buffer))
    if (drain.signingSecret === null) return refuse(request)
    return signedBodies.read(request.raw, options, async (body) => {
      if (hasVercelSignature(request, body as Buffer, drain)) return count(drain, body as Buffer)
      return isVercelCheck(request, body as Buffer, drain) ? {} : refuse(request)
    })
  }
  const options = { config: { access: 'signature', largeBody: true, quiet: true } } as const

  server.register(async (child) => {
    disableBodyParsing(child)
    child.addHook('onSend', async (request, reply, payload) =>
      isFirehose(request) ? toFirehoseBody(request, reply, String(payload)) : payload,
    )
    const respond = async (request: FastifyRequest, reply: FastifyReply) => {
      const { drainId } = request.params as { drainId: string }
      const drain = isId('drn', drainId) ? await deps.logDrains.find(drainId) : undefined
      if (!drain) return refuse(request)
      if (drain.signingSecret !== null && drain.verification !== null)
        reply.header('x-vercel-verify', drain.verification)
      return request.method === 'GET' || request.method === 'HEAD' ? {} : receive(request, drain)
    }
    // Fastly and Fluent Bit can be configured to use PUT.
    for (const method of ['GET', 'POST', 'PUT'] as const)
      child.route({ method, url: '/v1/log-drains/:drainId', ...options, handler: respond })

    /** Fastly asks the host of the URL which services may send logs there, by the SHA-256 of their IDs. */
    const url = '/.well-known/fastly/logging/challenge'
    child.get(url, { config: { access: 'public' } }, async (request, reply) => {
      challenges.consume(toClientNetwork(request.ip))
      const services = await deps.logDrains.listFastlyServices()
      if (services.length === 0) throw new Problem('not_found', 'No log drain has the ID of a Fastly service.')
      const hashes = services.map((id) => createHash('sha256').update(id).digest('hex'))
      return reply.type('text/plain').send(`${hashes.join('\n')}\n`)
    })
  })
}

/** Before it sends logs, Vercel checks the URL without a signature, and without entries. */
function isVercelCheck({ headers }: FastifyRequest, body: Buffer, { verification }: LogDrainWithSecret): boolean {
  if (verification === null || headers['x-vercel-signature'] !== undefined || body.length > maxCheckBytes) return false
  const entries = [...(readDeliveredLogs(body.toString())?.entries ?? [])].filter((text) => text !== '')
  const [entry, more] = entries
  return more === undefined && (entry === undefined || !entry.includes('"proxy"'))
}
const maxCheckBytes = 10_000

/** Without this, it would be acknowledged as unreadable lines. */
const isGzip = (body: Buffer) => body[0] === 0x1f && body[1] === 0x8b

const rateExceeded = () =>
  new Problem(
    'rate_limited',
    `Rate limit exceeded: ${bodyRate.perSecond / mebibyte} MiB of logs per second for each project. Retry in 10 s.`,
    { headers: { 'retry-after': '10' } },
  )

const requestIdHeader = 'x-amz-firehose-request-id'
const isFirehose = ({ headers }: FastifyRequest) => typeof headers[requestIdHeader] === 'string'

/**
 * Amazon Data Firehose expects its request ID in every response. It discards what is answered with 413, and keeps everything else that
 * was not accepted in the bucket of its stream after the last attempt.
 */
function toFirehoseBody(request: FastifyRequest, reply: FastifyReply, payload: string): string {
  const { detail: errorMessage } = JSON.parse(payload) as { detail?: string }
  if (reply.statusCode === 413) reply.code(503)
  reply.header('content-type', 'application/json; charset=utf-8').removeHeader('content-length')
  return JSON.stringify({ requestId: request.headers[requestIdHeader], timestamp: Date.now(), errorMessage })
}
