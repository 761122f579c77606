import { type AddressInfo, connect } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTraceCollector, type TraceCollector } from '../../../../testing/harness/trace-collector.ts'
import { newId } from '../ids.ts'
import { createLog } from '../log.ts'
import { currentTraceparent, withSpan } from '../tracing/spans.ts'
import { startTracing, type Tracing } from '../tracing/start-tracing.ts'
import { createHttpServer, type HttpServer } from './http-server.ts'
import { Problem } from './problem.ts'
import { setTraceParent } from './trace-requests.ts'

const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
const log = createLog('test', { level: 'error' }, { write: () => {} })
const strangersTraceparent = '00-11111111111111111111111111111111-2222222222222222-01'

let collector: TraceCollector
let tracing: Tracing
let server: HttpServer

beforeEach(async () => {
  collector = await startTraceCollector()
  tracing = startTracing({ endpoint: collector.url, headers: {}, samplePercent: 100 }, 'api', log)
  server = createHttpServer(http, log)
})
afterEach(async () => {
  await server.close()
  await tracing.stop()
  await collector.stop()
})

test('a request is a span, and what its handler does belongs to it', async () => {
  server.get('/projects/:projectId/pages/:name', async () => withSpan('work', {}, async () => 'done'))
  const projectId = newId('prj')
  const { headers } = await server.inject({
    url: `/projects/${projectId}/pages/a-secret-name?q=a-secret-query`,
    headers: { traceparent: strangersTraceparent },
  })
  await tracing.stop()
  const request = collector.spans.find(({ name }) => name === 'GET /projects/:projectId/pages/:name')
  expect(request).toMatchObject({ parentSpanId: null, isError: false })
  expect(request?.traceId).not.toBe('1'.repeat(32))
  expect(request?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/projects/:projectId/pages/:name',
    'http.response.status_code': 200,
    'colophon.request_id': headers['x-request-id'],
    'colophon.project_id': projectId,
  })
  expect(collector.spans.find(({ name }) => name === 'work')).toMatchObject({ parentSpanId: request?.spanId })
  expect(collector.readReceivedText()).not.toContain('a-secret')
})

test('a failure of the server is an error, a rejection is not', async () => {
  server.get('/rejected', async () => {
    throw new Problem('not_found', 'No such page.')
  })
  server.get('/failed', async () => {
    throw new TypeError('a-secret')
  })
  // Like the model gateway, which has errors and responses of its own.
  const errorHandler = (error: FastifyError, _: FastifyRequest, reply: FastifyReply) =>
    reply.code((error as unknown as { status: number }).status).send()
  server.get('/limited', { errorHandler }, async () => {
    throw Object.assign(new Error('a-secret'), { status: 422 })
  })
  await server.inject('/rejected')
  await server.inject('/limited')
  await server.inject('/failed')
  await tracing.stop()
  const outcomes = collector.spans.map(({ name, isError, attributes }) => [
    name,
    attributes['http.response.status_code'],
    isError,
    attributes['error.type'],
  ])
  expect(outcomes).toEqual([
    ['GET /rejected', 404, false, undefined],
    ['GET /limited', 422, false, undefined],
    ['GET /failed', 500, true, 'TypeError'],
  ])
})

test('what is rejected, public or called all the time is not traced', async () => {
  server.get('/healthz', async () => 'ok')
  server.get('/quiet', { config: { quiet: true } }, async () => 'ok')
  server.get('/untraced', { config: { untraced: true } }, async () => 'ok')
  const rejectAll = async () => {
    throw new Problem('unauthenticated', 'No.')
  }
  server.get('/locked', { onRequest: rejectAll }, async () => 'secret')
  server.get('/public', { config: { access: 'public' } }, async () => 'ok')
  server.get('/signed', { config: { access: 'signature' } }, async () => 'ok')
  for (const code of ['unauthenticated', 'insufficient_scope', 'rate_limited'] as const)
    server.get(`/${code}`, async () => {
      throw new Problem(code, 'No.')
    })
  const paths = ['healthz', 'quiet', 'untraced', 'locked', 'unknown', 'public', 'signed']
  for (const path of [...paths, 'unauthenticated', 'insufficient_scope', 'rate_limited'])
    await server.inject(`/${path}`)
  await tracing.stop()
  expect(collector.spans).toEqual([])
})

test('a request whose client leaves before the response is a span', async () => {
  const waiting = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  server.get('/slow', async (request) => {
    request.raw.once('close', left.resolve)
    waiting.resolve()
    await left.promise
    return 'too late'
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  client.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await waiting.promise
  client.destroy()
  await left.promise
  await new Promise((resolve) => setTimeout(resolve, 100))
  await tracing.stop()
  expect(collector.spans.map(({ name }) => name)).toEqual(['GET /slow'])
})

test('HEAD is one span', async () => {
  server.get('/page', async () => 'ok')
  await server.inject({ method: 'HEAD', url: '/page' })
  await tracing.stop()
  expect(collector.spans.map(({ name }) => name)).toEqual(['HEAD /page'])
})

test('a request can belong to a trace that the server began', async () => {
  let traceparent: string | undefined
  await withSpan('activity', {}, async () => {
    traceparent = currentTraceparent()
  })
  server.addHook('onRequest', async (request) => setTraceParent(request, traceparent ?? null))
  server.get('/result', async () => 'ok')
  await server.inject('/result')
  await tracing.stop()
  const activity = collector.spans.find(({ name }) => name === 'activity')
  expect(collector.spans.find(({ name }) => name === 'GET /result')).toMatchObject({
    traceId: activity?.traceId,
    parentSpanId: activity?.spanId,
  })
})
