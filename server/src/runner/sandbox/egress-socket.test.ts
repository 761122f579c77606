import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EgressSocket, openEgressSocket } from './egress-socket.ts'

let received: IncomingMessage[] = []
let closed: Promise<void>
const gateway = createServer((incoming, response) => {
  received.push(incoming)
  closed = new Promise((resolve) => response.once('close', resolve))
  if (incoming.url === '/model/silent') return
  response.writeHead(incoming.url === '/model/cut' ? 200 : 429, { 'retry-after': '7' })
  response.write('one ')
  if (incoming.url === '/model/cut') setTimeout(() => response.destroy(), 50)
  else incoming.pipe(response)
})
let gatewayUrl: string
beforeAll(async () => {
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
})
afterAll(() => gateway.close())

let egress: EgressSocket
beforeEach(async () => {
  received = []
  egress = await openEgressSocket({ gatewayUrl, token: 'attempt-token', allowedPaths: ['/git/', '/model/'] })
})
afterEach(() => egress[Symbol.asyncDispose]())

function send(
  path: string,
  { headers = {}, body = '', signal }: { headers?: object; body?: string; signal?: AbortSignal } = {},
) {
  return new Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }>(
    (resolve, reject) => {
      const outgoing = request(
        {
          socketPath: join(egress.directory, 'gateway.sock'),
          path,
          method: 'POST',
          headers: { ...headers },
          ...(signal ? { signal } : {}),
        },
        async (response) => {
          try {
            const body = (await response.toArray()).join('')
            resolve({ status: response.statusCode, headers: response.headers, body })
          } catch (error) {
            reject(error)
          }
        },
      )
      outgoing.once('error', reject)
      outgoing.end(body)
    },
  )
}

describe('egress socket', () => {
  it("forwards requests with the attempt's token, and streams the responses", async () => {
    const response = await send('/model/v1/messages?beta=true', { body: 'two' })
    expect(response).toMatchObject({ status: 429, body: 'one two', headers: { 'retry-after': '7' } })
    expect(received[0]?.headers.authorization).toBe('Bearer attempt-token')
    expect(received[0]?.url).toBe('/model/v1/messages?beta=true')
  })

  it('forwards headers that describe the body, and no others', async () => {
    const headers = {
      'content-type': 'application/json',
      'git-protocol': 'version=2',
      authorization: 'Bearer from-the-sandbox',
      'x-api-key': 'from-the-sandbox',
      'x-forwarded-for': '10.0.0.1',
      cookie: 'a=b',
      host: 'elsewhere.example',
    }
    await send('/git/one', { headers })
    expect(Object.keys(received[0]?.headers ?? {}).toSorted()).toEqual([
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'git-protocol',
      'host',
    ])
    expect(JSON.stringify(received[0]?.headers)).not.toContain('from-the-sandbox')
  })

  it.each([
    '/runner/result',
    '/',
    '/model',
    '/model/../runner/result',
    '/model/%2e%2e/runner/result',
    '/model/..%2frunner/result',
    '/model/.git',
    '/model//runner/result',
    '/model/\\..\\runner',
    '/model/a b',
    'http://elsewhere.example/model/',
    '//elsewhere.example/model/',
  ])('does not forward %s', async (path) => {
    const response = await send(path).catch(() => ({ status: 'not sent' }))
    expect([404, 400, 'not sent']).toContain(response.status)
    expect(received).toEqual([])
  })

  it('responds with 502 when the gateway cannot be reached', async () => {
    await egress[Symbol.asyncDispose]()
    egress = await openEgressSocket({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', allowedPaths: ['/model/'] })
    await expect(send('/model/x')).resolves.toMatchObject({ status: 502 })
  })

  it('breaks off when the response of the gateway breaks off', async () => {
    await expect(send('/model/cut')).rejects.toThrow()
  })

  it('aborts the request when the client disconnects', async () => {
    await expect(send('/model/silent', { signal: AbortSignal.timeout(200) })).rejects.toThrow()
    await closed
  })

  it.each([
    'GET /git/info/refs HTTP/1.1\r\nhost: sandbox\r\ntransfer-encoding: chunked\r\n\r\n24\r\nPOST /runner/result HTTP/1.1\r\nhost: x\r\n\r\n0\r\n\r\n',
    'GET /git/info/refs HTTP/1.1\r\nhost: sandbox\r\ncontent-length: 5\r\n\r\nabcde',
    'DELETE /git/info/refs HTTP/1.1\r\nhost: sandbox\r\n\r\n',
    'OPTIONS /git/info/refs HTTP/1.1\r\nhost: sandbox\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
  ])('rejects request smuggling: %s', async (text) => {
    const socket = connect(join(egress.directory, 'gateway.sock'))
    socket.end(text)
    const response = (await socket.setEncoding('utf8').toArray()).join('')
    expect(response).toMatch(/^HTTP\/1.1 400 /)
    expect(received).toEqual([])
  })
})
