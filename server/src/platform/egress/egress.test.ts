import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EgressConfig } from '../config.ts'
import type { Log } from '../log.ts'
import { egressOptionsFor } from './create-egress-for.ts'
import { createEgress, type Egress, type EgressOptions, withSharedLimits } from './egress.ts'
import { selfSignedCertificate } from './testing/certificate.ts'
import { startConnectProxy } from './testing/connect-proxy.ts'
import { type DnsZoneLookup, startDnsServer } from './testing/dns-server.ts'

const allowLoopback = { allowedNetworks: ['127.0.0.0/8'] }
const egressError = (code: string) => expect.objectContaining({ name: 'EgressError', code })

function open(options: EgressOptions): Egress {
  const egress = createEgress(options)
  onTestFinished(() => egress.close())
  return egress
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`
}

/** For responses that no HTTP server would send. */
async function serveBytes(bytes: string, end = true): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.once('data', () => (end ? socket.end(bytes, 'latin1') : socket.write(bytes, 'latin1')))
  })
  return `http://127.0.0.1:${await listen(server)}`
}

async function createDns(zone: DnsZoneLookup) {
  const { dns, stop } = await startDnsServer(zone)
  onTestFinished(stop)
  return dns
}

const dnsResolvingTo = (address: string) => createDns((_, family) => (family === 4 ? [address] : []))

describe('destinations that an operator allowed', () => {
  const config = (allowed: Partial<EgressConfig['allowedFor']>): EgressConfig => ({
    allowedFor: { codeHosts: [], models: [], webhooks: [], issuers: [], auditWebhook: [], ...allowed },
    allowedHosts: [],
    allowedNetworks: [],
    proxyUrl: undefined,
    caBundlePem: undefined,
  })

  it('are reachable only for their use, and only on their port', async () => {
    const url = await serve((_, response) => response.end('inside'))
    const onlyModels = config({ models: [new URL(url).host] })
    await expect((await open(egressOptionsFor('models', onlyModels)).fetch(url)).text()).resolves.toBe('inside')
    for (const use of ['codeHosts', 'webhooks', 'issuers'] as const)
      await expect(open(egressOptionsFor(use, onlyModels)).fetch(url)).rejects.toThrow(
        egressError('address_not_allowed'),
      )
    const otherPort = config({ codeHosts: ['127.0.0.1:1'] })
    await expect(open(egressOptionsFor('codeHosts', otherPort)).fetch(url)).rejects.toThrow(
      /COLOPHON_EGRESS_ALLOWED_CODE_HOSTS \(127\.0\.0\.1:\d+\)/,
    )
  })

  it('are still reachable for every use with the deprecated settings', async () => {
    const url = await serve((_, response) => response.end('inside'))
    const deprecated = { ...config({}), allowedHosts: [new URL(url).host] }
    for (const use of ['codeHosts', 'models', 'webhooks', 'issuers'] as const)
      await expect((await open(egressOptionsFor(use, deprecated)).fetch(url)).text()).resolves.toBe('inside')
  })

  it('do not show projects what listens there: only the log has the cause', async () => {
    const plain = await serve((_, response) => response.end('inside'))
    const urls = [
      'http://127.0.0.1:1/', // nothing listens
      plain.replace('http:', 'https:'), // no TLS
      await serveBytes('SSH-2.0-OpenSSH\r\n'), // no HTTP
      await serveBytes(''), // closes the connection
    ]
    const hosts = urls.map((url) => new URL(url).host)
    const logged: unknown[] = []
    const log = { warn: (entry: { error: string }) => logged.push(entry.error) } as unknown as Log
    const egress = open(egressOptionsFor('codeHosts', config({ codeHosts: hosts }), log))
    for (const [index, url] of urls.entries())
      await expect(egress.fetch(url)).rejects.toThrow(
        `${hosts[index]} cannot be used. An administrator finds the reason in the log of Colophon.`,
      )
    expect(logged).toEqual([
      expect.stringContaining('Cannot connect'),
      expect.stringContaining('TLS'),
      expect.stringContaining('valid HTTP'),
      expect.stringContaining('connection'),
    ])
  })
})

describe('a request with isPublicOnly', () => {
  it('does not reach an allowed internal address, even if a connection to it is open', async () => {
    const url = await serve((_, response) => response.end('inside'))
    const { host } = new URL(url)
    for (const options of [allowLoopback, { allowedHosts: [host] }]) {
      const egress = open(options)
      await expect((await egress.fetch(url)).text()).resolves.toBe('inside')
      await expect(egress.fetch(url, { publicOnly: true })).rejects.toEqual(egressError('address_not_allowed'))
    }
  })
})

describe('a request', () => {
  it('sends method, headers and body, and returns status, headers and body', async () => {
    const url = await serve(async (request, response) => {
      response.writeHead(201, { 'x-request-line': `${request.method} ${request.url}`, 'set-cookie': ['a=1', 'b=2'] })
      response.end(JSON.stringify({ headers: request.headers, body: await textOf(request) }))
    })
    const response = await open(allowLoopback).fetch(`${url}/a?b=c#d`, {
      method: 'POST',
      headers: { authorization: 'Bearer x', host: 'elsewhere.example' },
      body: 'hello',
    })
    expect(response.status).toBe(201)
    expect(response.url).toBe(`${url}/a?b=c#d`)
    expect(response.headers.get('x-request-line')).toBe('POST /a?b=c')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    const { headers, body } = (await response.json()) as { headers: Record<string, string>; body: string }
    expect(body).toBe('hello')
    expect(headers).toMatchObject({
      host: new URL(url).host,
      authorization: 'Bearer x',
      'content-length': '5',
      'accept-encoding': 'identity',
      'user-agent': 'colophon',
    })
  })

  it('streams in both directions at the same time', async () => {
    const url = await serve((request, response) => void request.pipe(response))
    const parts = ['one', 'two', 'three']
    const echoed: string[] = []
    let next: (() => void) | undefined
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const part = parts.shift()
        if (!part) return controller.close()
        controller.enqueue(new TextEncoder().encode(part))
        await new Promise<void>((resolve) => {
          next = resolve // the next part is sent only when this one has been echoed
        })
      },
    })
    const response = await open(allowLoopback).fetch(url, { method: 'POST', body })
    for await (const chunk of response.body ?? []) {
      echoed.push(new TextDecoder().decode(chunk))
      next?.()
    }
    expect(echoed).toEqual(['one', 'two', 'three'])
  })

  it.each([301, 302, 303, 307, 308])('returns a %i without following it', async (status) => {
    const requested: string[] = []
    const url = await serve((request, response) => {
      requested.push(request.url ?? '')
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
    const response = await open(allowLoopback).fetch(`${url}/here`)
    expect([response.status, response.headers.get('location')]).toEqual([status, '/elsewhere'])
    expect(requested).toEqual(['/here'])
  })

  it.each([204, 205, 304])('accepts a %i, which has no body', async (status) => {
    const url = await serve((_, response) => void response.writeHead(status).end())
    const egress = open(allowLoopback)
    for (let call = 0; call < 3; call += 1) {
      const response = await egress.fetch(url)
      expect([response.status, response.body]).toEqual([status, null])
    }
  })

  it('does not decompress', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000)))
    })
    const response = await open(allowLoopback).fetch(url)
    expect((await response.arrayBuffer()).byteLength).toBeLessThan(20_000)
  })

  it('reuses an open connection', async () => {
    let connections = 0
    const server = createServer((_, response) => void response.end('ok')).on('connection', () => {
      connections += 1
    })
    const url = `http://127.0.0.1:${await listen(server)}`
    const egress = open(allowLoopback)
    for (let call = 0; call < 5; call += 1) await (await egress.fetch(url)).text()
    expect(connections).toBeLessThan(5)
  })

  it('returns errors of the caller unchanged', async () => {
    const url = await serve((request, response) => void textOf(request).then((text) => response.end(text)))
    const egress = open(allowLoopback)
    await expect(egress.fetch(url, { headers: { 'bad name': 'x' } })).rejects.toThrow(TypeError)
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('my own')) })
    await expect(egress.fetch(url, { method: 'POST', body: broken })).rejects.toThrow('my own')
  })
})

describe('limits', () => {
  it('aborts a response that is too large', async () => {
    let stopped = false
    const url = await serve(async (_, response) => {
      response.on('close', () => {
        stopped = true
      })
      while (!stopped && response.write(Buffer.alloc(1000))) await sleep(1)
    })
    const response = await open(allowLoopback).fetch(url, { limits: { maxResponseBytes: 5000 } })
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow(egressError('too_large'))
    await expect.poll(() => stopped).toBe(true)
  })

  it('ends a series of calls whose responses together are too large, or whose signal is aborted', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(600)))
    const stop = new AbortController()
    const series = withSharedLimits(open(allowLoopback), { signal: stop.signal, maxTotalBytes: 1_000 })
    expect(await (await series.fetch(url)).text()).toHaveLength(600)
    const second = await series.fetch(url)
    await expect(second.text()).rejects.toThrow(egressError('too_large'))
    stop.abort(new Error('stopped'))
    await expect(series.fetch(url)).rejects.toThrow('stopped')
  })

  it('times out when the server is silent before or during the response', async () => {
    const egress = open({ ...allowLoopback, limits: { idleTimeoutSeconds: 1 } })
    await expect(egress.fetch(await serveBytes('', false))).rejects.toThrow(egressError('timeout'))
    const response = await egress.fetch(await serveBytes('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc', false))
    await expect(response.text()).rejects.toThrow(egressError('timeout'))
  })

  it('aborts a request at its deadline, even if data keeps arriving', async () => {
    let stopped = false
    const url = await serve(async (_, response) => {
      response.on('close', () => {
        stopped = true
      })
      while (!stopped) {
        response.write('.')
        await sleep(10)
      }
    })
    const response = await open(allowLoopback).fetch(url, { limits: { deadlineSeconds: 0.3 } })
    await expect(response.text()).rejects.toThrow(egressError('timeout'))
    await expect.poll(() => stopped).toBe(true)
  })

  it('frees the connection of an unread response at the deadline or on cancellation', async () => {
    let openResponses = 0
    const url = await serve((_, response) => {
      openResponses += 1
      response.on('close', () => {
        openResponses -= 1
      })
      response.write('.')
    })
    const egress = open(allowLoopback)
    await egress.fetch(url, { limits: { deadlineSeconds: 0.2 } })
    const cancelled = await egress.fetch(url)
    expect(openResponses).toBe(2)
    await cancelled.body?.cancel()
    await expect.poll(() => openResponses).toBe(0)
  })

  it('ends a request at its deadline or when aborted while it is still connecting', async () => {
    const egress = open({ dns: await createDns(() => undefined), connectTimeoutSeconds: 5 })
    // If only the resolver gave up, the error would be `unresolvable`.
    const call = egress.fetch('https://slow.example/', { limits: { deadlineSeconds: 0.1 } })
    await expect(call).rejects.toThrow(egressError('timeout'))
    const aborted = egress.fetch('https://slow.example/', { signal: AbortSignal.timeout(50) })
    await expect(aborted).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
  })

  it('limits the time to connect', async () => {
    const silent = await listen(createTcpServer(() => {}))
    const slowNames = open({ dns: await createDns(() => undefined), connectTimeoutSeconds: 0.2 })
    await expect(slowNames.fetch('https://slow.example/')).rejects.toThrow(egressError('unresolvable'))
    const slowTls = open({ ...allowLoopback, connectTimeoutSeconds: 0.2 })
    await expect(slowTls.fetch(`https://127.0.0.1:${silent}/`)).rejects.toThrow(egressError('tls_failed'))
    const slowProxy = open({ proxyUrl: `http://127.0.0.1:${silent}`, connectTimeoutSeconds: 0.2 })
    await expect(slowProxy.fetch('https://93.184.216.34/')).rejects.toThrow(egressError('proxy_failed'))
  })

  it("rejects with the caller's reason when aborted", async () => {
    const egress = open(allowLoopback)
    const reason = new Error('changed my mind')
    const url = await serveBytes('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc', false)
    await expect(egress.fetch(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const response = await egress.fetch(url, { signal: controller.signal })
    controller.abort(reason)
    await expect(response.text()).rejects.toBe(reason)
  })
})

describe('responses', () => {
  it.each([
    ['closes without a response', '', 'connection_lost'],
    ['closes in the middle of a response', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc', 'connection_lost'],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'bad_response'],
    ['sends an invalid status', 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n', 'bad_response'],
    ['sends headers that are too large', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 'too_large'],
  ])('are rejected when the server %s', async (_, bytes, code) => {
    const url = await serveBytes(bytes)
    const call = open(allowLoopback)
      .fetch(url)
      .then((response) => response.text())
    await expect(call).rejects.toThrow(egressError(code))
  })

  it('are missing when the server refuses the connection', async () => {
    const server = createTcpServer()
    const port = await listen(server)
    server.close()
    const call = open(allowLoopback).fetch(`http://127.0.0.1:${port}/`)
    await expect(call).rejects.toThrow(egressError('connect_failed'))
    await expect(call).rejects.toThrow(`Cannot connect to 127.0.0.1:${port} (ECONNREFUSED).`)
  })

  it('may have Latin-1 characters in their headers', async () => {
    const url = await serveBytes('HTTP/1.1 200 OK\r\nx-name: \xe9\xff\u0080\r\ncontent-length: 0\r\n\r\n')
    expect((await open(allowLoopback).fetch(url)).headers.get('x-name')).toBe('\xe9\xff\u0080')
  })
})

describe('TLS', () => {
  async function serveTls(certificate: { key: string; cert: string }) {
    const serverNames: (string | false | null | undefined)[] = []
    const server = createTlsServer(certificate, (_: IncomingMessage, response: ServerResponse) => {
      response.end('ok')
    })
    server.on('secureConnection', (socket) => serverNames.push(socket.servername))
    return { port: await listen(server), serverNames }
  }

  it("trusts the operator's certificate authorities and verifies the name, not the address", async () => {
    const [other, certificate] = await Promise.all([
      selfSignedCertificate(['other.example']),
      selfSignedCertificate(['git.example']),
    ])
    const { port, serverNames } = await serveTls(certificate)
    const caBundlePem = other.cert + certificate.cert
    const egress = open({ ...allowLoopback, caBundlePem, dns: await dnsResolvingTo('127.0.0.1') })
    expect(await (await egress.fetch(`https://git.example.:${port}/`)).text()).toBe('ok')
    expect(serverNames).toEqual(['git.example'])
    await expect(egress.fetch(`https://other.example:${port}/`)).rejects.toThrow('(ERR_TLS_CERT_ALTNAME_INVALID)')
    await expect(egress.fetch(`https://127.0.0.1:${port}/`)).rejects.toThrow('(ERR_TLS_CERT_ALTNAME_INVALID)')
  })

  it('rejects a certificate of an unknown authority, and a server without TLS', async () => {
    const { port } = await serveTls(await selfSignedCertificate(['git.example']))
    const egress = open({ ...allowLoopback, dns: await dnsResolvingTo('127.0.0.1') })
    const call = egress.fetch(`https://git.example:${port}/`)
    await expect(call).rejects.toThrow(egressError('tls_failed'))
    await expect(call).rejects.toThrow('COLOPHON_EGRESS_CA_BUNDLE')
    const plain = new URL(await serve((_, response) => void response.end()))
    await expect(egress.fetch(`https://127.0.0.1:${plain.port}/`)).rejects.toThrow(egressError('tls_failed'))
  })

  it('rejects an invalid CA bundle', () => {
    const broken = '-----BEGIN CERTIFICATE-----\nxyz\n-----END CERTIFICATE-----\n'
    for (const caBundlePem of ['', '/etc/ssl/ca.pem', broken]) expect(() => createEgress({ caBundlePem })).toThrow()
  })

  it('goes through the proxy by IP address, with the name in the TLS handshake', async () => {
    const certificate = await selfSignedCertificate(['git.example', 'six.example'])
    const { port, serverNames } = await serveTls(certificate)
    const proxy = await startConnectProxy(port)
    onTestFinished(proxy.stop)
    const egress = open({
      proxyUrl: `http://user:p%40ss@127.0.0.1:${proxy.port}`,
      caBundlePem: certificate.cert,
      dns: await createDns((name, family) => {
        if (name === 'six.example') return family === 6 ? ['2606:4700::1111'] : []
        return family === 6 ? ['2606:4700::2222'] : ['93.184.216.34']
      }),
    })
    expect(await (await egress.fetch('https://git.example/')).text()).toBe('ok')
    expect(await (await egress.fetch('https://six.example:8443/')).text()).toBe('ok')
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`
    expect(proxy.requests).toEqual([
      { method: 'CONNECT', target: '93.184.216.34:443', authorization },
      { method: 'CONNECT', target: '[2606:4700::1111]:8443', authorization },
    ])
    expect(serverNames).toEqual(['git.example', 'six.example'])
  })
})

describe('the proxy', () => {
  it('is not used for destinations that the operator allowed', async () => {
    const proxy = await startConnectProxy(1)
    onTestFinished(proxy.stop)
    const url = await serve((_, response) => void response.end('ok'))
    const egress = open({ ...allowLoopback, proxyUrl: `http://127.0.0.1:${proxy.port}` })
    expect(await (await egress.fetch(url)).text()).toBe('ok')
    expect(proxy.requests).toEqual([])
  })

  it('may reject the connection or be unreachable', async () => {
    const rejectingProxy = await startConnectProxy(1, 403)
    onTestFinished(rejectingProxy.stop)
    const call = open({ proxyUrl: `http://127.0.0.1:${rejectingProxy.port}` }).fetch('https://93.184.216.34/')
    await expect(call).rejects.toThrow(egressError('proxy_failed'))
    await expect(call).rejects.toThrow('93.184.216.34:443 (status 403)')
    const missing = open({ proxyUrl: 'http://127.0.0.1:1' }).fetch('https://93.184.216.34/')
    await expect(missing).rejects.toThrow(egressError('proxy_failed'))
  })

  it('must have an http URL', () => {
    for (const proxyUrl of ['https://proxy:3128', 'proxy:3128', 'socks5://proxy', '']) {
      expect(() => createEgress({ proxyUrl })).toThrow('The proxy URL must have the form http://host:port.')
    }
    expect(() => createEgress({ proxyUrl: 'http://user:100%@proxy:3128' })).toThrow(URIError)
  })
})

describe('a host name', () => {
  it('is resolved once per connection, and that address is used', async () => {
    const url = new URL(await serve((_, response) => void response.end('ok')))
    let queries = 0
    const dns = await createDns((_, family) => {
      if (family === 6) return []
      queries += 1
      return queries === 1 ? ['127.0.0.1'] : ['10.0.0.5']
    })
    const egress = open({ ...allowLoopback, dns })
    expect(await (await egress.fetch(`http://changing.example:${url.port}/`)).text()).toBe('ok')
    expect(queries).toBe(1)
  })

  it('may have several addresses, which are tried one after another', async () => {
    const url = new URL(await serve((_, response) => void response.end('ok')))
    const dns = await createDns((_, family) => (family === 4 ? ['127.0.0.9', '127.0.0.1'] : []))
    const egress = open({ ...allowLoopback, dns })
    expect(await (await egress.fetch(`http://two.example:${url.port}/`)).text()).toBe('ok')
  })
})
