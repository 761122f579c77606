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

/** Starts a server on the loopback interface with the given handler, and creates a client of it. */
async function createTestClient(handler: RequestListener, options: Omit<ClientOptions, 'baseUrl'> = {}, path = '') {
  const listening = createServer(handler)
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

async function catchError(call: Promise<unknown>): Promise<ColophonError> {
  const error = await call.catch((error: unknown) => error)
  if (!(error instanceof ColophonError)) throw new Error('expected a ColophonError', { cause: error })
  return error
}

const notReady = {
  status: 'not_ready',
  version: '1.2.3',
  components: { postgres: { status: 'failing', reason: 'disk_full' }, temporal: { status: 'ok', latencyMs: 4 } },
}

test('health returns the version of a live server', async () => {
  const { client } = await createTestClient(json(200, { status: 'alive', version: '1.2.3' }))
  expect(await client.health()).toEqual({ status: 'alive', version: '1.2.3' })
})

test('readiness of a server that is not ready is a result, not an error', async () => {
  const { client } = await createTestClient(json(503, notReady))
  expect(await client.readiness()).toEqual(notReady)
})

test('keeps the path of the base URL and sends the API key', async () => {
  const received: unknown[] = []
  const { client } = await createTestClient(
    (request, response) => {
      received.push(request.method, request.url, request.headers.authorization, request.headers.accept)
      json(200, { status: 'alive', version: '1' })(request, response)
    },
    { apiKey: 'colophon_abc' },
    '/docs/colophon',
  )
  await client.health()
  expect(received).toEqual(['GET', '/docs/colophon/healthz', 'Bearer colophon_abc', 'application/json'])
})

test('turns a problem into an error with all of its fields', async () => {
  const errors = [{ path: 'query/limit', message: 'must be at most 250' }]
  const body = { code: 'invalid_request', detail: 'The limit is too high.', requestId: 'req_1', errors }
  const { client } = await createTestClient(problem(400, body))
  expect(await catchError(client.health())).toMatchObject({
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

test('throws on a problem even with a status that may carry the expected body', async () => {
  const body = { code: 'unavailable', detail: 'Try later.', requestId: 'req_2' }
  const { client } = await createTestClient(problem(503, body, { 'retry-after': '7' }))
  expect(await catchError(client.readiness())).toMatchObject({ code: 'unavailable', errors: [], retryAfterSeconds: 7 })
})

test.each([
  ['12', 12],
  [new Date(Date.now() + 60_000).toUTCString(), expect.toSatisfy((seconds: number) => seconds > 50 && seconds <= 60)],
  [new Date(Date.now() - 60_000).toUTCString(), 0],
  ['soon', undefined],
])('Retry-After: %s', async (header, seconds) => {
  const { client } = await createTestClient(json(429, {}, { 'retry-after': header }))
  expect((await catchError(client.health())).retryAfterSeconds).toEqual(seconds)
})

test.each<[string, RequestListener]>([
  [
    'the error page of a proxy',
    (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad</h1>'),
  ],
  [
    'a page of another site',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'),
  ],
  ['the health response of another program', json(200, { status: 'ok' })],
  ['a component with an unknown status', json(200, { ...notReady, components: { postgres: { status: 'maybe' } } })],
  ['an empty response', (_, response) => response.writeHead(204).end()],
  ['an invalid problem', problem(500, { code: 'x', detail: 'y', requestId: 'z', errors: [null] })],
])('reports %s as unexpected_response', async (_name, handler) => {
  const { client, origin } = await createTestClient(handler)
  const error = await catchError(client.readiness())
  expect(error.code).toBe('unexpected_response')
  expect(error.detail).toContain(`${origin}/readyz sent status ${error.status} and a body that is not from Colophon`)
})

test('does not follow a redirect and names its target in the error', async () => {
  const { client } = await createTestClient((_, response) =>
    response.writeHead(301, { location: 'https://elsewhere/' }).end(),
  )
  const error = await catchError(client.health())
  expect(error).toMatchObject({ code: 'unexpected_response', status: 301 })
  expect(error.detail).toContain('redirects to https://elsewhere/. Use that URL instead.')
})

test('reports no_response when no server listens', async () => {
  const { client, origin } = await createTestClient(json(200, {}))
  await new Promise((resolve) => server?.close(resolve))
  const error = await catchError(client.health())
  expect(error).toMatchObject({ code: 'no_response', status: undefined })
  expect(error.detail).toMatch(new RegExp(`^No complete response from ${origin}/healthz: .*ECONNREFUSED`))
})

test('reports no_response when the response is cut off', async () => {
  const { client } = await createTestClient((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('{"status":', () => response.destroy())
  })
  expect(await catchError(client.health())).toMatchObject({ code: 'no_response' })
})

test.each<[string, RequestListener]>([
  ['no response', () => {}],
  ['an incomplete response', (_, response) => void response.writeHead(200).write('{')],
])('reports a timeout for %s', async (_name, handler) => {
  const { client } = await createTestClient(handler, { timeoutSeconds: 0.1 })
  const error = await catchError(client.health({ signal: new AbortController().signal }))
  expect(error).toMatchObject({ code: 'timeout', detail: expect.stringContaining('within 0.1 seconds') })
})

test('throws the reason of a signal that the caller aborts', async () => {
  const { client } = await createTestClient(() => {})
  const reason = new Error('changed my mind')
  const controller = new AbortController()
  const call = client.health({ signal: controller.signal })
  controller.abort(reason)
  await expect(call).rejects.toBe(reason)
})

test('uses the given fetch', async () => {
  const client = createClient({
    baseUrl: 'http://colophon.test',
    fetch: async (url) => Response.json({ status: 'alive', version: String(url) }),
  })
  expect((await client.health()).version).toBe('http://colophon.test/healthz')
})

test.each(['', 'localhost:8080', 'ftp://host', '/relative', 'https://user:secret@host'])(
  'rejects %j as base URL',
  (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow(/must start with http:\/\/ or https:\/\//)
  },
)
