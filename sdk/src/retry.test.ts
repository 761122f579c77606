import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { ColophonError, isColophonError } from './colophon-error.ts'
import { retryDelayMs } from './retry.ts'

let close: (() => void) | undefined
afterEach(() => {
  close?.()
  vi.restoreAllMocks()
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Creates a client of a server that handles each request with the next handler, and all further ones with the last. */
async function createTestClient(handlers: Handler[], options: Omit<ClientOptions, 'baseUrl'> = {}) {
  const received: IncomingMessage[] = []
  const server = createServer((request, response) => {
    received.push(request)
    handlers[Math.min(received.length, handlers.length) - 1]?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { received, client: createClient({ baseUrl, apiKey: 'colophon_x', ...options }) }
}

const ok: Handler = (_request, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"job_1","status":"active"}')
const cut: Handler = (request) => request.socket.destroy()
const problem =
  (status: number, retryAfter?: string): Handler =>
  (_request, response) =>
    response
      .writeHead(status, {
        'content-type': 'application/problem+json',
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      })
      .end(JSON.stringify({ code: 'some_code', detail: 'No.', requestId: 'req_1' }))
const proxyPage =
  (status: number): Handler =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')

const withoutDelays = () => vi.spyOn(Math, 'random').mockReturnValue(0)

test('a write is retried with the same idempotency key and body after a lost response', async () => {
  withoutDelays()
  const { client, received } = await createTestClient([cut, proxyPage(502), ok])
  await client.jobs.create('prj_1', { prompt: 'Fix the links.' })
  const keys = received.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^sdk-[0-9a-f]{32}$/)
  await client.jobs.create('prj_1', { prompt: 'Fix the links.' })
  expect(received.at(-1)?.headers['idempotency-key']).not.toBe(keys[0])
  await client.jobs.create('prj_1', { prompt: 'Fix the links.' }, { idempotencyKey: 'mine' })
  expect(received.at(-1)?.headers['idempotency-key']).toBe('mine')
})

test.each([408, 425, 429, 500, 502, 503, 504])('a read is retried after status %i', async (status) => {
  withoutDelays()
  const { client, received } = await createTestClient([problem(status), ok])
  await client.jobs.get('prj_1', 'job_1')
  expect(received).toHaveLength(2)
})

test.each([400, 401, 403, 404, 409, 422])('nothing is retried after status %i', async (status) => {
  const { client, received } = await createTestClient([problem(status), ok])
  await expect(client.jobs.create('prj_1', { prompt: 'a' })).rejects.toMatchObject({ status })
  expect(received).toHaveLength(1)
})

test('a page of another site is not retried', async () => {
  const { client, received } = await createTestClient([proxyPage(200), ok])
  await expect(client.me()).rejects.toMatchObject({ code: 'unexpected_response' })
  expect(received).toHaveLength(1)
})

test('an attempt that times out is retried', async () => {
  withoutDelays()
  const { client, received } = await createTestClient([() => {}, ok])
  await client.jobs.get('prj_1', 'job_1', { timeoutSeconds: 0.1 })
  expect(received).toHaveLength(2)
})

test('the number of retries is limited, and the last error is thrown', async () => {
  withoutDelays()
  const { client, received } = await createTestClient([cut, proxyPage(500), problem(503)], { retry: { maxRetries: 2 } })
  await expect(client.me()).rejects.toMatchObject({ code: 'some_code', status: 503 })
  expect(received).toHaveLength(3)
  await expect(client.me({ retry: false })).rejects.toMatchObject({ status: 503 })
  expect(received).toHaveLength(4)
})

test.each([
  ['1', 'seconds'],
  [new Date(Date.now() + 3_600_000).toUTCString(), 'a date'],
])('Retry-After (%s) is honored, within the limit', async (retryAfter) => {
  withoutDelays()
  const isLong = retryAfter !== '1'
  const { client, received } = await createTestClient([problem(429, retryAfter), ok])
  const startedAt = performance.now()
  const outcome = await client.me().then(
    () => 'ok',
    ({ retryAfterSeconds }: ColophonError) => retryAfterSeconds,
  )
  const elapsedMs = performance.now() - startedAt
  if (isLong) {
    expect(outcome, 'the error says how long to wait').toBeGreaterThan(3_000)
    expect(received).toHaveLength(1)
  } else {
    expect(outcome).toBe('ok')
    expect(elapsedMs).toBeGreaterThan(990)
  }
})

test('backoff grows exponentially to a maximum, with full jitter', () => {
  const error = new ColophonError('no_response', '')
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  expect([0, 1, 2, 3, 4, 5, 50].map((failures) => retryDelayMs(failures, error))).toEqual([
    250, 500, 1_000, 2_000, 4_000, 5_000, 5_000,
  ])
  random.mockReturnValue(0)
  expect(retryDelayMs(3, error)).toBe(0)
  expect(retryDelayMs(3, new ColophonError('rate_limited', '', { retryAfterSeconds: 7 }))).toBe(7_000)
})

test('aborting ends the wait before a retry at once', async () => {
  const { client, received } = await createTestClient([problem(503, '30')])
  const abort = new AbortController()
  const reason = new Error('changed my mind')
  const call = client.me({ signal: abort.signal })
  call.catch(() => {})
  await vi.waitFor(() => expect(received).toHaveLength(1))
  const abortedAt = performance.now()
  abort.abort(reason)
  await expect(call).rejects.toBe(reason)
  expect(performance.now() - abortedAt).toBeLessThan(1_000)
  await expect(client.me({ signal: abort.signal }), 'nothing is sent after that').rejects.toBe(reason)
  expect(received).toHaveLength(1)
})

test('errors can be told apart by code', async () => {
  const { client } = await createTestClient([problem(404)])
  const error = await client.me().catch((error: unknown) => error)
  expect(isColophonError(error)).toBe(true)
  expect(isColophonError(error, 'not_found', 'rate_limited')).toBe(false)
  const timedOut: unknown = new ColophonError('timeout', 'No response.')
  if (!isColophonError(timedOut, 'timeout', 'no_response')) throw new Error('has one of the codes')
  timedOut.code satisfies 'timeout' | 'no_response'
  const ofAnotherCopy = Object.assign(new Error(''), { name: 'ColophonError', code: 'not_found' })
  expect(isColophonError(ofAnotherCopy, 'not_found')).toBe(true)
  expect(isColophonError(new Error('not_found'), 'not_found')).toBe(false)
  // @ts-expect-error: not a code of the API
  expect(isColophonError(error, 'job_missing')).toBe(false)
})

test('no error contains the API key', async () => {
  expect(() => createClient({ baseUrl: 'http://a.test', apiKey: 'colophon_se\ncret' })).toThrow(/^(?!.*colophon_)/)
  const { client } = await createTestClient([cut], { apiKey: 'colophon_secret\n', retry: false })
  const error = await client.me().catch((error: unknown) => error)
  const { inspect } = await import('node:util')
  expect(inspect(error, { depth: 10 })).toContain('no_response')
  expect(inspect(error, { depth: 10 })).not.toContain('colophon_secret')
})
