import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { ColophonError } from './colophon-error.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A client of a server on loopback that answers as told. */
async function clientOf(response: RequestListener, options: Omit<ClientOptions, 'baseUrl'> = {}, path = '') {
  const listening = createServer(response)
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  return { origin, client: createClient({ baseUrl: `${origin}${path}`, ...options }) }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const problem = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  json(status, body, { 'content-type': 'application/problem+json; charset=utf-8', ...headers })

async function errorOf(call: Promise<unknown>): Promise<ColophonError> {
  const error = await call.catch((error: unknown) => error)
  if (!(error instanceof ColophonError)) throw new Error('expected a ColophonError', { cause: error })
  return error
}

const notReady = {
  status: 'not_ready',
  version: '1.2.3',
  components: { postgres: { status: 'failing', reason: 'disk_full' }, temporal: { status: 'ok', latencyMs: 4 } },
}

test('a live server says which version it is', async () => {
  const { client } = await clientOf(json(200, { status: 'alive', version: '1.2.3' }))
  expect(await client.health()).toEqual({ status: 'alive', version: '1.2.3' })
})

test('a server that is not ready is an answer, not an error', async () => {
  const { client } = await clientOf(json(503, notReady))
  expect(await client.readiness()).toEqual(notReady)
})

test('the path of the base URL is kept and the key is sent', async () => {
  const seen: unknown[] = []
  const { client } = await clientOf(
    (request, response) => {
      seen.push(request.method, request.url, request.headers.authorization, request.headers.accept)
      json(200, { status: 'alive', version: '1' })(request, response)
    },
    { apiKey: 'colophon_abc' },
    '/docs/colophon',
  )
  await client.health()
  expect(seen).toEqual(['GET', '/docs/colophon/healthz', 'Bearer colophon_abc', 'application/json'])
})

test('a problem becomes an error with all that the server said', async () => {
  const errors = [{ path: 'query/limit', message: 'must be at most 250' }]
  const body = { code: 'invalid_request', detail: 'The limit is too high.', requestId: 'req_1', errors }
  const { client } = await clientOf(problem(400, body))
  expect(await errorOf(client.health())).toMatchObject({
    name: 'ColophonError',
    message: 'invalid_request: The limit is too high. query/limit: must be at most 250. (req_1)',
    code: 'invalid_request',
    detail: 'The limit is too high.',
    status: 400,
    requestId: 'req_1',
    errors,
    retryAfterSeconds: undefined,
  })
})

test('a problem is an error even with a status that may carry an answer', async () => {
  const body = { code: 'unavailable', detail: 'Try later.', requestId: 'req_2' }
  const { client } = await clientOf(problem(503, body, { 'retry-after': '7' }))
  expect(await errorOf(client.readiness())).toMatchObject({ code: 'unavailable', errors: [], retryAfterSeconds: 7 })
})

test.each([
  ['12', 12],
  [new Date(Date.now() + 60_000).toUTCString(), expect.toSatisfy((seconds: number) => seconds > 50 && seconds <= 60)],
  [new Date(Date.now() - 60_000).toUTCString(), 0],
  ['soon', undefined],
])('Retry-After: %s', async (header, seconds) => {
  const { client } = await clientOf(json(429, {}, { 'retry-after': header }))
  expect((await errorOf(client.health())).retryAfterSeconds).toEqual(seconds)
})

test.each<[string, RequestListener]>([
  [
    'a proxy’s error page',
    (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad</h1>'),
  ],
  [
    'somebody else’s page',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'),
  ],
  ['somebody else’s health', json(200, { status: 'ok' })],
  ['a part in no known state', json(200, { ...notReady, components: { postgres: { status: 'maybe' } } })],
  ['nothing at all', (_, response) => response.writeHead(204).end()],
  ['a problem that is none', problem(500, { code: 'x', detail: 'y', requestId: 'z', errors: [null] })],
])('%s is an unexpected answer', async (_name, response) => {
  const { client, origin } = await clientOf(response)
  const error = await errorOf(client.readiness())
  expect(error.code).toBe('unexpected_response')
  expect(error.detail).toContain(`${origin}/readyz answered ${error.status}, but not as Colophon does`)
})

test('a redirect is not followed: the error says where to', async () => {
  const { client } = await clientOf((_, response) => response.writeHead(301, { location: 'https://elsewhere/' }).end())
  const error = await errorOf(client.health())
  expect(error).toMatchObject({ code: 'unexpected_response', status: 301 })
  expect(error.detail).toContain('redirects to https://elsewhere/: use that address.')
})

test('nobody listening', async () => {
  const { client, origin } = await clientOf(json(200, {}))
  await new Promise((resolve) => server?.close(resolve))
  const error = await errorOf(client.health())
  expect(error).toMatchObject({ code: 'no_response', status: undefined })
  expect(error.detail).toMatch(new RegExp(`^No whole answer from ${origin}/healthz: .*ECONNREFUSED`))
})

test('an answer that is cut off', async () => {
  const { client } = await clientOf((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('{"status":', () => response.destroy())
  })
  expect(await errorOf(client.health())).toMatchObject({ code: 'no_response' })
})

test.each<[string, RequestListener]>([
  ['no answer', () => {}],
  ['half an answer', (_, response) => void response.writeHead(200).write('{')],
])('%s within the time given', async (_name, response) => {
  const { client } = await clientOf(response, { timeoutSeconds: 0.1 })
  const error = await errorOf(client.health({ signal: new AbortController().signal }))
  expect(error).toMatchObject({ code: 'timeout', detail: expect.stringContaining('within 0.1 seconds') })
})

test('a call that its caller gives up throws the caller’s reason', async () => {
  const { client } = await clientOf(() => {})
  const reason = new Error('changed my mind')
  const controller = new AbortController()
  const call = client.health({ signal: controller.signal })
  controller.abort(reason)
  await expect(call).rejects.toBe(reason)
})

test('another fetch can be given', async () => {
  const client = createClient({
    baseUrl: 'http://colophon.test',
    fetch: async (url) => Response.json({ status: 'alive', version: String(url) }),
  })
  expect((await client.health()).version).toBe('http://colophon.test/healthz')
})

test.each(['', 'localhost:8080', 'ftp://host', '/relative', 'https://user:secret@host'])(
  '%j is no base URL',
  (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow(/must start with http:\/\/ or https:\/\//)
  },
)
