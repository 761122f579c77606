import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWayOut, type WayOut } from './way-out.ts'

let seen: IncomingMessage[] = []
let aborted: Promise<void>
const gateway = createServer((incoming, response) => {
  seen.push(incoming)
  aborted = new Promise((resolve) => response.once('close', resolve))
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

let wayOut: WayOut
beforeEach(async () => {
  seen = []
  wayOut = await openWayOut({ gatewayUrl, token: 'attempt-token', paths: ['/git/', '/model/'] })
})
afterEach(() => wayOut[Symbol.asyncDispose]())

function ask(
  path: string,
  { headers = {}, body = '', signal }: { headers?: object; body?: string; signal?: AbortSignal } = {},
) {
  return new Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }>(
    (resolve, reject) => {
      const outgoing = request(
        {
          socketPath: join(wayOut.directory, 'gateway.sock'),
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

describe('the way out', () => {
  it("sends requests on with the attempt's token, and answers as they come", async () => {
    const response = await ask('/model/v1/messages?beta=true', { body: 'two' })
    expect(response).toMatchObject({ status: 429, body: 'one two', headers: { 'retry-after': '7' } })
    expect(seen[0]?.headers.authorization).toBe('Bearer attempt-token')
    expect(seen[0]?.url).toBe('/model/v1/messages?beta=true')
  })

  it('passes on what describes the body, and nothing else that the box says of itself', async () => {
    const headers = {
      'content-type': 'application/json',
      'git-protocol': 'version=2',
      authorization: 'Bearer of-the-box',
      'x-api-key': 'of-the-box',
      'x-forwarded-for': '10.0.0.1',
      cookie: 'a=b',
      host: 'elsewhere.example',
    }
    await ask('/git/one', { headers })
    expect(Object.keys(seen[0]?.headers ?? {}).toSorted()).toEqual([
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'git-protocol',
      'host',
    ])
    expect(JSON.stringify(seen[0]?.headers)).not.toContain('of-the-box')
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
  ])('leads nowhere else: %s', async (path) => {
    const response = await ask(path).catch(() => ({ status: 'not sent' }))
    expect([404, 400, 'not sent']).toContain(response.status)
    expect(seen).toEqual([])
  })

  it('says that the gateway is away', async () => {
    await wayOut[Symbol.asyncDispose]()
    wayOut = await openWayOut({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', paths: ['/model/'] })
    await expect(ask('/model/x')).resolves.toMatchObject({ status: 502 })
  })

  it('lets a cut answer look cut', async () => {
    await expect(ask('/model/cut')).rejects.toThrow()
  })

  it('gives up on what nobody waits for', async () => {
    await expect(ask('/model/silent', { signal: AbortSignal.timeout(200) })).rejects.toThrow()
    await aborted
  })

  it.each([
    'GET /git/info/refs HTTP/1.1\r\nhost: box\r\ntransfer-encoding: chunked\r\n\r\n24\r\nPOST /runner/result HTTP/1.1\r\nhost: x\r\n\r\n0\r\n\r\n',
    'GET /git/info/refs HTTP/1.1\r\nhost: box\r\ncontent-length: 5\r\n\r\nabcde',
    'DELETE /git/info/refs HTTP/1.1\r\nhost: box\r\n\r\n',
    'OPTIONS /git/info/refs HTTP/1.1\r\nhost: box\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
  ])('lets no second request out in the body of a first: %s', async (words) => {
    const socket = connect(join(wayOut.directory, 'gateway.sock'))
    socket.end(words)
    const response = (await socket.setEncoding('utf8').toArray()).join('')
    expect(response).toMatch(/^HTTP\/1.1 400 /)
    expect(seen).toEqual([])
  })
})
