import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEgress, type Egress, type EgressOptions } from './egress.ts'
import { selfSignedCertificate } from './testing/certificate.ts'
import { startConnectProxy } from './testing/connect-proxy.ts'
import { startDnsServer, type Zone } from './testing/dns-server.ts'

const onLoopback = { allowedNetworks: ['127.0.0.0/8'] }
const refused = (code: string) => expect.objectContaining({ name: 'EgressError', code })

function open(options: EgressOptions): Egress {
  const egress = createEgress(options)
  onTestFinished(() => egress.close())
  return egress
}

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
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

async function serve(response: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer(response))}`
}

/** For answers that no HTTP server would give. */
async function serveBytes(bytes: string, end = true): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.once('data', () => (end ? socket.end(bytes, 'latin1') : socket.write(bytes, 'latin1')))
  })
  return `http://127.0.0.1:${await listening(server)}`
}

async function namesOf(zone: Zone) {
  const { dns, stop } = await startDnsServer(zone)
  onTestFinished(stop)
  return dns
}

const leadsTo = (address: string) => namesOf((_, family) => (family === 4 ? [address] : []))

describe('a call to public addresses only', () => {
  it('does not reach what is listed, though a connection to it is open', async () => {
    const url = await serve((_, response) => response.end('inside'))
    const { host } = new URL(url)
    for (const options of [onLoopback, { allowedHosts: [host] }]) {
      const egress = open(options)
      await expect((await egress.fetch(url)).text()).resolves.toBe('inside')
      await expect(egress.fetch(url, { isPublicOnly: true })).rejects.toEqual(refused('address_not_allowed'))
    }
  })
})

describe('a call', () => {
  it('sends method, headers and body, and gives status, headers and body', async () => {
    const url = await serve(async (request, response) => {
      response.writeHead(201, { 'x-seen': `${request.method} ${request.url}`, 'set-cookie': ['a=1', 'b=2'] })
      response.end(JSON.stringify({ headers: request.headers, body: await textOf(request) }))
    })
    const response = await open(onLoopback).fetch(`${url}/a?b=c#d`, {
      method: 'POST',
      headers: { authorization: 'Bearer x', host: 'elsewhere.example' },
      body: 'hello',
    })
    expect(response.status).toBe(201)
    expect(response.url).toBe(`${url}/a?b=c#d`)
    expect(response.headers.get('x-seen')).toBe('POST /a?b=c')
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

  it('streams both ways at once', async () => {
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
          next = resolve // the next part is sent only once this one has come back
        })
      },
    })
    const response = await open(onLoopback).fetch(url, { method: 'POST', body })
    for await (const chunk of response.body ?? []) {
      echoed.push(new TextDecoder().decode(chunk))
      next?.()
    }
    expect(echoed).toEqual(['one', 'two', 'three'])
  })

  it.each([301, 302, 303, 307, 308])('gives a %i as it is and does not follow it', async (status) => {
    const asked: string[] = []
    const url = await serve((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
    const response = await open(onLoopback).fetch(`${url}/here`)
    expect([response.status, response.headers.get('location')]).toEqual([status, '/elsewhere'])
    expect(asked).toEqual(['/here'])
  })

  it.each([204, 205, 304])('takes a %i, which has no body', async (status) => {
    const url = await serve((_, response) => void response.writeHead(status).end())
    const egress = open(onLoopback)
    for (let call = 0; call < 3; call += 1) {
      const response = await egress.fetch(url)
      expect([response.status, response.body]).toEqual([status, null])
    }
  })

  it('does not decompress', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000)))
    })
    const response = await open(onLoopback).fetch(url)
    expect((await response.arrayBuffer()).byteLength).toBeLessThan(20_000)
  })

  it('uses a kept connection again', async () => {
    let connections = 0
    const server = createServer((_, response) => void response.end('ok')).on('connection', () => {
      connections += 1
    })
    const url = `http://127.0.0.1:${await listening(server)}`
    const egress = open(onLoopback)
    for (let call = 0; call < 5; call += 1) await (await egress.fetch(url)).text()
    expect(connections).toBeLessThan(5)
  })

  it('leaves the mistakes of the caller as they are', async () => {
    const url = await serve((request, response) => void textOf(request).then((text) => response.end(text)))
    const egress = open(onLoopback)
    await expect(egress.fetch(url, { headers: { 'bad name': 'x' } })).rejects.toThrow(TypeError)
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('my own')) })
    await expect(egress.fetch(url, { method: 'POST', body: broken })).rejects.toThrow('my own')
  })
})

describe('limits', () => {
  it('cuts an answer that is too large', async () => {
    let stopped = false
    const url = await serve(async (_, response) => {
      response.on('close', () => {
        stopped = true
      })
      while (!stopped && response.write(Buffer.alloc(1000))) await sleep(1)
    })
    const response = await open(onLoopback).fetch(url, { limits: { maxResponseBytes: 5000 } })
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow(refused('too_large'))
    await expect.poll(() => stopped).toBe(true)
  })

  it('ends a silent call, before and within the answer', async () => {
    const egress = open({ ...onLoopback, limits: { silenceSeconds: 1 } })
    await expect(egress.fetch(await serveBytes('', false))).rejects.toThrow(refused('timeout'))
    const response = await egress.fetch(await serveBytes('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc', false))
    await expect(response.text()).rejects.toThrow(refused('timeout'))
  })

  it('ends a call at its deadline, however busy it is', async () => {
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
    const response = await open(onLoopback).fetch(url, { limits: { deadlineSeconds: 0.3 } })
    await expect(response.text()).rejects.toThrow(refused('timeout'))
    await expect.poll(() => stopped).toBe(true)
  })

  it('frees the connection of an answer that nobody reads, at the deadline or when it is cancelled', async () => {
    let openResponses = 0
    const url = await serve((_, response) => {
      openResponses += 1
      response.on('close', () => {
        openResponses -= 1
      })
      response.write('.')
    })
    const egress = open(onLoopback)
    await egress.fetch(url, { limits: { deadlineSeconds: 0.2 } })
    const cancelled = await egress.fetch(url)
    expect(openResponses).toBe(2)
    await cancelled.body?.cancel()
    await expect.poll(() => openResponses).toBe(0)
  })

  it('ends a call at its deadline or when aborted, though it is still connecting', async () => {
    const egress = open({ dns: await namesOf(() => undefined), connectTimeoutSeconds: 5 })
    const startedAt = Date.now()
    const call = egress.fetch('https://slow.example/', { limits: { deadlineSeconds: 0.1 } })
    await expect(call).rejects.toThrow(refused('timeout'))
    const aborted = egress.fetch('https://slow.example/', { signal: AbortSignal.timeout(50) })
    await expect(aborted).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
    expect(Date.now() - startedAt).toBeLessThan(1400) // the resolver itself would wait 1500 ms
  })

  it('gives up connecting in time', async () => {
    const silent = await listening(createTcpServer(() => {}))
    const slowNames = open({ dns: await namesOf(() => undefined), connectTimeoutSeconds: 0.2 })
    await expect(slowNames.fetch('https://slow.example/')).rejects.toThrow(refused('unresolvable'))
    const slowTls = open({ ...onLoopback, connectTimeoutSeconds: 0.2 })
    await expect(slowTls.fetch(`https://127.0.0.1:${silent}/`)).rejects.toThrow(refused('tls_failed'))
    const slowProxy = open({ proxyUrl: `http://127.0.0.1:${silent}`, connectTimeoutSeconds: 0.2 })
    await expect(slowProxy.fetch('https://93.184.216.34/')).rejects.toThrow(refused('proxy_failed'))
  })

  it("rejects with the caller's own reason when aborted", async () => {
    const egress = open(onLoopback)
    const reason = new Error('changed my mind')
    const url = await serveBytes('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc', false)
    await expect(egress.fetch(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const response = await egress.fetch(url, { signal: controller.signal })
    controller.abort(reason)
    await expect(response.text()).rejects.toBe(reason)
  })
})

describe('a server that', () => {
  it.each([
    ['closes without an answer', '', 'connection_lost'],
    ['breaks off in the middle', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc', 'connection_lost'],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'bad_response'],
    ['has a status of its own', 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n', 'bad_response'],
    ['sends endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 'too_large'],
  ])('%s', async (_, bytes, code) => {
    const url = await serveBytes(bytes)
    const call = open(onLoopback)
      .fetch(url)
      .then((response) => response.text())
    await expect(call).rejects.toThrow(refused(code))
  })

  it('is not there', async () => {
    const server = createTcpServer()
    const port = await listening(server)
    server.close()
    const call = open(onLoopback).fetch(`http://127.0.0.1:${port}/`)
    await expect(call).rejects.toThrow(refused('connect_failed'))
    await expect(call).rejects.toThrow(`No connection to 127.0.0.1:${port} (ECONNREFUSED).`)
  })

  it('has other letters in its headers', async () => {
    const url = await serveBytes('HTTP/1.1 200 OK\r\nx-name: \xe9\xff\u0080\r\ncontent-length: 0\r\n\r\n')
    expect((await open(onLoopback).fetch(url)).headers.get('x-name')).toBe('\xe9\xff\u0080')
  })
})

describe('TLS', () => {
  async function serveTls(certificate: { key: string; cert: string }) {
    const seen: (string | false | null | undefined)[] = []
    const server = createTlsServer(certificate, (_: IncomingMessage, response: ServerResponse) => {
      response.end('ok')
    })
    server.on('secureConnection', (socket) => seen.push(socket.servername))
    return { port: await listening(server), seen }
  }

  it("trusts the operator's authorities and asks for the name, not the address", async () => {
    const [other, certificate] = await Promise.all([
      selfSignedCertificate(['other.example']),
      selfSignedCertificate(['git.example']),
    ])
    const { port, seen } = await serveTls(certificate)
    const caBundlePem = other.cert + certificate.cert
    const egress = open({ ...onLoopback, caBundlePem, dns: await leadsTo('127.0.0.1') })
    expect(await (await egress.fetch(`https://git.example.:${port}/`)).text()).toBe('ok')
    expect(seen).toEqual(['git.example'])
    await expect(egress.fetch(`https://other.example:${port}/`)).rejects.toThrow('(ERR_TLS_CERT_ALTNAME_INVALID)')
    await expect(egress.fetch(`https://127.0.0.1:${port}/`)).rejects.toThrow('(ERR_TLS_CERT_ALTNAME_INVALID)')
  })

  it('refuses a certificate of an unknown authority, and a server without one', async () => {
    const { port } = await serveTls(await selfSignedCertificate(['git.example']))
    const egress = open({ ...onLoopback, dns: await leadsTo('127.0.0.1') })
    const call = egress.fetch(`https://git.example:${port}/`)
    await expect(call).rejects.toThrow(refused('tls_failed'))
    await expect(call).rejects.toThrow('COLOPHON_EGRESS_CA_BUNDLE')
    const plain = new URL(await serve((_, response) => void response.end()))
    await expect(egress.fetch(`https://127.0.0.1:${plain.port}/`)).rejects.toThrow(refused('tls_failed'))
  })

  it('takes no bundle that is broken', () => {
    const broken = '-----BEGIN CERTIFICATE-----\nxyz\n-----END CERTIFICATE-----\n'
    for (const caBundlePem of ['', '/etc/ssl/ca.pem', broken]) expect(() => createEgress({ caBundlePem })).toThrow()
  })

  it('is asked for by the proxy by address, with the name inside', async () => {
    const certificate = await selfSignedCertificate(['git.example', 'six.example'])
    const { port, seen } = await serveTls(certificate)
    const proxy = await startConnectProxy(port)
    onTestFinished(proxy.stop)
    const egress = open({
      proxyUrl: `http://user:p%40ss@127.0.0.1:${proxy.port}`,
      caBundlePem: certificate.cert,
      dns: await namesOf((name, family) => {
        if (name === 'six.example') return family === 6 ? ['2606:4700::1111'] : []
        return family === 6 ? ['2606:4700::2222'] : ['93.184.216.34']
      }),
    })
    expect(await (await egress.fetch('https://git.example/')).text()).toBe('ok')
    expect(await (await egress.fetch('https://six.example:8443/')).text()).toBe('ok')
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`
    expect(proxy.asked).toEqual([
      { method: 'CONNECT', target: '93.184.216.34:443', authorization },
      { method: 'CONNECT', target: '[2606:4700::1111]:8443', authorization },
    ])
    expect(seen).toEqual(['git.example', 'six.example'])
  })
})

describe('the proxy', () => {
  it('is not used for what the operator listed', async () => {
    const proxy = await startConnectProxy(1)
    onTestFinished(proxy.stop)
    const url = await serve((_, response) => void response.end('ok'))
    const egress = open({ ...onLoopback, proxyUrl: `http://127.0.0.1:${proxy.port}` })
    expect(await (await egress.fetch(url)).text()).toBe('ok')
    expect(proxy.asked).toEqual([])
  })

  it('may refuse, or not be there', async () => {
    const refusing = await startConnectProxy(1, 403)
    onTestFinished(refusing.stop)
    const call = open({ proxyUrl: `http://127.0.0.1:${refusing.port}` }).fetch('https://93.184.216.34/')
    await expect(call).rejects.toThrow(refused('proxy_failed'))
    await expect(call).rejects.toThrow('93.184.216.34:443 (status 403)')
    const missing = open({ proxyUrl: 'http://127.0.0.1:1' }).fetch('https://93.184.216.34/')
    await expect(missing).rejects.toThrow(refused('proxy_failed'))
  })

  it('is given as an http URL', () => {
    for (const proxyUrl of ['https://proxy:3128', 'proxy:3128', 'socks5://proxy', '']) {
      expect(() => createEgress({ proxyUrl })).toThrow('The proxy must be given as http://host:port.')
    }
    expect(() => createEgress({ proxyUrl: 'http://user:100%@proxy:3128' })).toThrow(URIError)
  })
})

describe('a name', () => {
  it('is looked up once for a connection, and that answer is called', async () => {
    const url = new URL(await serve((_, response) => void response.end('ok')))
    let questions = 0
    const dns = await namesOf((_, family) => {
      if (family === 6) return []
      questions += 1
      return questions === 1 ? ['127.0.0.1'] : ['10.0.0.5']
    })
    const egress = open({ ...onLoopback, dns })
    expect(await (await egress.fetch(`http://changing.example:${url.port}/`)).text()).toBe('ok')
    expect(questions).toBe(1)
  })

  it('may have many addresses, which are tried in turn', async () => {
    const url = new URL(await serve((_, response) => void response.end('ok')))
    const dns = await namesOf((_, family) => (family === 4 ? ['127.0.0.9', '127.0.0.1'] : []))
    const egress = open({ ...onLoopback, dns })
    expect(await (await egress.fetch(`http://two.example:${url.port}/`)).text()).toBe('ok')
  })
})
