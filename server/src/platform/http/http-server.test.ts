import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, type SecureVersion } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import type { HttpConfig } from '../config.ts'
import { selfSignedCertificate } from '../egress/testing/certificate.ts'
import { createLog } from '../log.ts'
import { createHttpServer, type HttpServerOptions } from './http-server.ts'
import { Problem } from './problem.ts'

const config: HttpConfig = {
  listen: { host: '127.0.0.1', port: 0 },
  tls: undefined,
  trustedProxies: [],
  shutdownDelaySeconds: 0,
}
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))))

function serve(options: HttpServerOptions = {}) {
  const lines: Record<string, unknown>[] = []
  const log = createLog('test', { level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const server = createHttpServer(config, log, options)
  closing.push(() => server.close())
  server.get('/fine', async () => ({ fine: true }))
  server.get('/broken', async () => {
    throw new Error('SELECT secret_column FROM somewhere failed')
  })
  server.get('/limited', async () => {
    throw new Problem('rate_limited', 'Wait a minute.', { headers: { 'retry-after': '60' } })
  })
  server.get('/slow', async () => {
    await sleep(500)
    return { slow: true }
  })
  server.post('/body', async () => ({ accepted: true }))
  return { server, lines }
}

test('sends the request id that is in the log with every response', async () => {
  const { server, lines } = serve()
  const response = await server.inject('/fine')
  expect(response.headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/)
  expect(lines).toEqual([
    expect.objectContaining({ requestId: response.headers['x-request-id'], status: 200, path: '/fine' }),
  ])
})

test('turns an unexpected error into one log line and a 500 that reveals nothing', async () => {
  const { server, lines } = serve()
  const response = await server.inject('/broken')
  expect(response.statusCode).toBe(500)
  expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(response.json()).toMatchObject({
    status: 500,
    code: 'internal_error',
    requestId: response.headers['x-request-id'],
  })
  expect(response.body).not.toContain('secret_column')
  const errors = lines.filter(({ level }) => level === 'error')
  expect(errors).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ message: expect.stringContaining('secret_column') }) }),
  ])
})

test('responds to a problem with its status, headers and detail', async () => {
  const response = await serve().server.inject('/limited')
  expect(response.statusCode).toBe(429)
  expect(response.headers['retry-after']).toBe('60')
  expect(response.json()).toMatchObject({ code: 'rate_limited', detail: 'Wait a minute.', error: 'Wait a minute.' })
})

test('links a problem to the page of the instance that documents it, where there is one', async () => {
  const typeOf = async (options: HttpServerOptions) => (await serve(options).server.inject('/limited')).json().type
  expect(await typeOf({ publicUrl: 'https://colophon.example' })).toBe('https://colophon.example/errors/rate_limited')
  expect(await typeOf({})).toBe('about:blank')
})

test('responds 404 for an unknown URL and 405 for a known one with another method', async () => {
  const { server } = serve()
  expect((await server.inject('/nowhere')).json()).toMatchObject({ code: 'not_found' })
  const wrongMethod = await server.inject({ method: 'DELETE', url: '/fine' })
  expect(wrongMethod.statusCode).toBe(405)
  expect(wrongMethod.headers.allow).toBe('GET, HEAD')
})

test('rejects bodies that it cannot parse, with a specific code', async () => {
  const { server } = serve()
  const post = (payload: string, type: string) =>
    server.inject({ method: 'POST', url: '/body', payload, headers: { 'content-type': type } })
  expect((await post('{', 'application/json')).json()).toMatchObject({ code: 'invalid_request' })
  expect((await post('<a/>', 'text/xml')).json()).toMatchObject({ code: 'unsupported_media_type' })
  expect((await post(`"${'x'.repeat(1024 * 1024)}"`, 'application/json')).json()).toMatchObject({ code: 'too_large' })
})

const exchange = (address: string, text: string) =>
  new Promise<string>((resolve) => {
    let response = ''
    const socket = connect(Number(new URL(address).port), '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      response += chunk.toString()
    })
    socket.on('close', () => resolve(response))
  })

test.each([
  ['a request that is not HTTP', 'nonsense\r\n\r\n', 400, 'invalid_request'],
  ['a request without a Host header', 'GET /fine HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid_request'],
  ['a URL that cannot be decoded', 'GET /%ff HTTP/1.0\r\n\r\n', 400, 'invalid_request'],
  ['a CONNECT request', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_request'],
  [
    'a request with headers that are too large',
    `GET /fine HTTP/1.0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    413,
    'too_large',
  ],
  [
    'an unknown URL with a body',
    'POST /nowhere HTTP/1.0\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\n{}',
    404,
    'not_found',
  ],
])('responds to %s with a problem and a request id', async (_name, request, status, code) => {
  const { server } = serve()
  const response = await exchange(await server.listen({ host: '127.0.0.1', port: 0 }), request)
  expect(response).toMatch(
    new RegExp(`^HTTP/1.1 ${status} .*application/problem\\+json.*"status":${status}.*"code":"${code}"`, 's'),
  )
  expect(response.match(/x-request-id: (\S+)/i)?.[1]).toBe(response.match(/"requestId":"(\w+)"/)?.[1])
})

test('responds 408 to a request that does not arrive in time, and closes the connection', async () => {
  const { server } = serve({ publicUrl: 'https://colophon.example' })
  Object.assign(server.server, { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 50 })
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  for (const request of [
    '',
    'GET /fine',
    'POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ]) {
    const response = await exchange(address, request)
    expect(response).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n.*\r\nConnection: close\r\n/s)
    expect(response).toContain('"type":"https://colophon.example/errors/request_timeout"')
    expect(response).toContain('"detail":"Request timed out after 30 s."')
  }
})

test('ignores an Expect header with an unknown value', async () => {
  const { server } = serve()
  const request = 'GET /fine HTTP/1.0\r\nExpect: a miracle\r\n\r\n'
  expect(await exchange(await server.listen({ host: '127.0.0.1', port: 0 }), request)).toMatch(/^HTTP\/1.1 200 /)
})

test('survives clients that send CONNECT and reset the connection', async () => {
  const { server } = serve()
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  for (let round = 0; round < 50; round++) {
    await new Promise((resolve) => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1', () =>
        socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.resetAndDestroy()),
      )
      socket.once('close', resolve)
    })
  }
  expect((await fetch(`${address}/fine`)).status).toBe(200)
})

test('responds 413 to a body that is too large without closing the connection while the client still sends', async () => {
  const headers = { 'content-type': 'application/json' }
  const payload = 'x'.repeat(2 * 1024 * 1024)
  const response = await serve().server.inject({ method: 'POST', url: '/body', headers, payload })
  expect([response.statusCode, response.headers.connection]).toEqual([413, undefined]) // not `close`
})

test('allows 30 seconds for a request, including its headers', () => {
  const { headersTimeout, requestTimeout } = serve().server.server as import('node:http').Server
  expect([headersTimeout, requestTimeout]).toEqual([30_000, 30_000])
})

test('finishes a request in flight when the server stops', async () => {
  const { server } = serve()
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  const slow = fetch(`${address}/slow`).then((response) => response.json())
  await sleep(100)
  await server.close()
  expect(await slow).toEqual({ slow: true })
})

test('closes unused connections when the server stops', async () => {
  const { server } = serve()
  await server.listen(config.listen)
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  await once(server.server, 'connection')
  await server.close()
  await once(socket, 'close')
})

test('reports a reverse proxy whose X-Forwarded-For is ignored, but not a client on the internet that sends it', async () => {
  const reported: string[] = []
  const { server } = serve({ onUntrustedProxy: (address) => void reported.push(address) })
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  await server.inject({ url: '/fine', remoteAddress: '172.18.0.1' })
  await server.inject({ url: '/fine', headers, remoteAddress: '198.41.0.4' })
  expect(reported).toEqual([])
  await server.inject({ url: '/fine', headers, remoteAddress: '172.18.0.1' })
  expect(reported).toEqual(['172.18.0.1'])
})

test('does not report a trusted proxy', async () => {
  const reported: string[] = []
  const trusting = { ...config, trustedProxies: ['172.18.0.0/16'] }
  const log = createLog('test', { level: 'error' })
  const server = createHttpServer(trusting, log, { onUntrustedProxy: (address) => void reported.push(address) })
  closing.push(() => server.close())
  server.get('/fine', async () => ({ fine: true }))
  await server.inject({ url: '/fine', headers: { 'x-forwarded-for': '10.0.0.7' }, remoteAddress: '172.18.0.1' })
  expect(reported).toEqual([])
})

test('requires HTTPS for a year if the instance has it, and forbids frames for every response', async () => {
  const withHttps = await serve({ publicUrl: 'https://docs.example.com' }).server.inject('/missing')
  expect(withHttps.headers['strict-transport-security']).toBe('max-age=31536000')
  expect(withHttps.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(withHttps.headers['content-security-policy']).toContain("base-uri 'none'")
  const withoutHttps = await serve({ publicUrl: 'http://localhost:8080' }).server.inject('/fine')
  expect(withoutHttps.headers['strict-transport-security']).toBeUndefined()
  const options = { publicUrl: 'https://docs.example.com', requiresHttpsOfSubdomains: true }
  const withSubdomains = await serve(options).server.inject('/fine')
  expect(withSubdomains.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
})

async function sendTo(options: HttpServerOptions, bytes: string): Promise<string> {
  const address = await serve(options).server.listen({ host: '127.0.0.1', port: 0 })
  return exchange(address, bytes)
}

test('a response to a request that is not HTTP has the same headers', async () => {
  const response = await sendTo({ publicUrl: 'https://docs.example.com' }, 'nonsense\r\n\r\n')
  expect(response).toMatch(/^HTTP\/1\.1 400 /)
  for (const line of [
    'x-content-type-options: nosniff',
    "content-security-policy: default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    'strict-transport-security: max-age=31536000',
  ])
    expect(response.toLowerCase()).toContain(line)
})

test.each([
  ['a length and an encoding', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}'],
  ['an unknown encoding', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
])('rejects a body with %s, whose end a proxy could see elsewhere', async (_name, rest) => {
  const request = `POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${rest}GET /fine HTTP/1.1\r\nHost: a\r\n\r\n`
  const response = await sendTo({}, request)
  expect(response).toMatch(/^HTTP\/1\.1 400 /)
  expect(response.match(/HTTP\/1\.1 /g), 'what follows is not taken for a second request').toHaveLength(1)
})

test('does not support TRACE', async () => {
  expect(await sendTo({}, 'TRACE /fine HTTP/1.0\r\nCookie: secret=1\r\n\r\n')).not.toContain('secret=1')
})

test('speaks TLS 1.2 and 1.3 only', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-tls-'))
  const tls = { certificateFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') }
  const { cert, key } = await selfSignedCertificate(['localhost'])
  writeFileSync(tls.certificateFile, cert)
  writeFileSync(tls.keyFile, key)
  const server = createHttpServer({ ...config, tls }, createLog('test', { level: 'error' }))
  closing.push(async () => {
    await server.close()
    rmSync(directory, { recursive: true })
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const negotiate = async (maxVersion: SecureVersion) => {
    // With the ciphers of TLS 1.1 too, so that it is the server that rejects the version.
    const ciphers = 'DEFAULT@SECLEVEL=0'
    const socket = connectTls({
      port,
      host: '127.0.0.1',
      ca: cert,
      servername: 'localhost',
      minVersion: 'TLSv1',
      maxVersion,
      ciphers,
    })
    try {
      await once(socket, 'secureConnect')
      return `${socket.getProtocol()} ${socket.getCipher().name}`
    } finally {
      socket.destroy()
    }
  }
  expect(await negotiate('TLSv1.3')).toBe('TLSv1.3 TLS_AES_256_GCM_SHA384')
  expect(await negotiate('TLSv1.2'), 'with forward secrecy').toMatch(/^TLSv1.2 ECDHE-.*-GCM-/)
  await expect(negotiate('TLSv1.1')).rejects.toThrow()
})
