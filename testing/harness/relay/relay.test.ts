/** Every fault of the relay, with a server that sends back what it receives. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type RelayOptions, startRelay } from './relay.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

/** A socket, and what happened to it. */
class Peer {
  readonly socket: Socket
  /** `close` with an error. */
  wasReset = false
  hasEnded = false
  #received: Buffer[] = []

  constructor(socket: Socket) {
    this.socket = socket
    cleanups.push(() => socket.destroy())
    socket.on('data', (chunk) => this.#received.push(chunk))
    socket.on('end', () => {
      this.hasEnded = true
    })
    socket.on('error', () => {
      this.wasReset = true
    })
  }

  get received(): Buffer {
    return Buffer.concat(this.#received)
  }

  get text(): string {
    return this.received.toString()
  }
}

async function startEchoServer(
  respond: (socket: Socket, chunk: Buffer) => void = (socket, chunk) => socket.write(chunk),
) {
  const peers: Peer[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    peers.push(new Peer(socket))
    socket.on('data', (chunk) => respond(socket, chunk))
    socket.on('end', () => socket.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  return { url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, peers }
}

async function startRelayedServer(options: RelayOptions & { respond?: (socket: Socket, chunk: Buffer) => void } = {}) {
  const { respond, ...relayOptions } = options
  const server = await startEchoServer(respond)
  const relay = await startRelay(server.url, relayOptions)
  cleanups.push(relay.stop)
  const open = async () => {
    const { hostname, port } = new URL(relay.url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const peer = new Peer(socket)
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return peer
  }
  /** A connection on which data has passed in both directions. */
  const openInUse = async () => {
    const client = await open()
    const count = server.peers.length
    client.socket.write('hello ')
    await until(() => client.text === 'hello ')
    const service = server.peers[count] ?? server.peers.at(-1)
    if (!service) throw new Error('The server has no connection.')
    return { client, service }
  }
  return { relay, server, open, openInUse }
}

async function until(condition: () => boolean, withinMs = 10_000): Promise<void> {
  for (const deadlineMs = performance.now() + withinMs; !condition(); await sleep(2))
    if (performance.now() > deadlineMs) throw new Error(`Still not true after ${withinMs} ms: ${condition}`)
}

/** Long enough for data on loopback to arrive, if nothing stops it. */
const settle = () => sleep(60)

test('without a fault, data passes in both directions, and its size is counted', async () => {
  const { relay, openInUse } = await startRelayedServer()
  const { client } = await openInUse()
  const large = Buffer.alloc(5_000_000, 'x')
  client.socket.write(large)
  await until(() => client.received.length === large.length + 6)
  expect(relay.sentBytes()).toBe(large.length + 6)
})

test('without a fault, a FIN passes while the other direction still sends, and a RST passes as well', async () => {
  const { openInUse } = await startRelayedServer()
  const ending = await openInUse()
  ending.client.socket.end('bye')
  await until(() => ending.client.hasEnded)
  expect(ending.client.text).toBe('hello bye')

  const resetByService = await openInUse()
  resetByService.service.socket.resetAndDestroy()
  await until(() => resetByService.client.wasReset)
  const resetByClient = await openInUse()
  resetByClient.client.socket.resetAndDestroy()
  await until(() => resetByClient.service.wasReset)
})

test('a client of a service that is down is disconnected', async () => {
  const relay = await startRelay('tcp://127.0.0.1:1')
  cleanups.push(relay.stop)
  const client = new Peer(connect(Number(new URL(relay.url).port), '127.0.0.1'))
  await until(() => client.socket.destroyed)
})

test('a sender waits for a slow receiver', async () => {
  const { open, server } = await startRelayedServer({ respond: () => {} })
  const client = await open()
  await until(() => server.peers.length === 1)
  server.peers[0]?.socket.pause()
  const chunk = Buffer.alloc(1_000_000)
  let isBlocked = false
  for (let index = 0; index < 100 && !isBlocked; index++) {
    client.socket.write(chunk)
    await Promise.race([
      new Promise((resolve) => client.socket.once('drain', resolve)),
      sleep(100).then(() => {
        isBlocked = true
      }),
    ])
  }
  expect(isBlocked).toBe(true)
  server.peers[0]?.socket.resume()
  await until(() => client.socket.writableLength === 0)
})

test('silence: connections stay open, all data vanishes, and neither side learns of the end of the other', async () => {
  const { relay, open, openInUse, server } = await startRelayedServer()
  const ended = await openInUse()
  const reset = await openInUse()
  const quiet = await openInUse()
  await relay.setFault({ kind: 'silence' })

  ended.client.socket.end('lost')
  reset.service.socket.write('lost')
  reset.service.socket.resetAndDestroy()
  const accepted = await open()
  accepted.socket.write('lost')
  await settle()
  expect(ended.service).toMatchObject({ text: 'hello ', hasEnded: false, wasReset: false })
  expect(reset.client).toMatchObject({ text: 'hello ', hasEnded: false, wasReset: false })
  expect(server.peers).toHaveLength(3)

  await relay.setFault({ kind: 'none' })
  const broken = [ended.service, ended.client, reset.client, accepted]
  await until(() => broken.every(({ hasEnded, socket }) => hasEnded || socket.destroyed))
  expect(ended.service.text).toBe('hello ')
  quiet.client.socket.write('again')
  await until(() => quiet.client.text === 'hello again')
})

test('hold: when the fault ends, everything is delivered in order, also the end', async () => {
  const { relay, open, openInUse, server } = await startRelayedServer()
  const { client, service } = await openInUse()
  const ended = await openInUse()
  await relay.setFault({ kind: 'hold' })
  for (let index = 0; index < 10; index++) client.socket.write(`${index}`)
  service.socket.write('from the service ')
  ended.client.socket.end()
  const accepted = await open()
  accepted.socket.write('new')
  await settle()
  expect([service.text, client.text, ended.service.hasEnded]).toEqual(['hello ', 'hello ', false])
  expect(server.peers).toHaveLength(2)

  await relay.setFault({ kind: 'none' })
  await until(() => client.text === 'hello from the service 0123456789')
  await until(() => ended.service.hasEnded && ended.client.hasEnded)
  await until(() => accepted.text === 'new')
})

test('hold: at most 64 MB are held, then the sender waits', async () => {
  const { relay, open, server } = await startRelayedServer({ respond: () => {} })
  const client = await open()
  await relay.setFault({ kind: 'hold' })
  const sentBytes = 100_000_000
  client.socket.write(Buffer.alloc(sentBytes))
  await until(() => relay.sentBytes() >= 64 * 1024 * 1024)
  await settle()
  expect(relay.sentBytes()).toBeLessThan(65 * 1024 * 1024)
  await relay.setFault({ kind: 'none' })
  await until(() => server.peers[0]?.socket.bytesRead === sentBytes)
})

test('hold, then silence: what was held is lost', async () => {
  const { relay, openInUse } = await startRelayedServer()
  const { client, service } = await openInUse()
  await relay.setFault({ kind: 'hold' })
  client.socket.write('held')
  await settle()
  await relay.setFault({ kind: 'silence' })
  await relay.setFault({ kind: 'none' })
  await until(() => client.hasEnded || client.socket.destroyed)
  expect(service.text).toBe('hello ')
})

test('trickle: responses arrive at the rate, requests at once', async () => {
  const { relay, openInUse } = await startRelayedServer()
  const { client, service } = await openInUse()
  await relay.setFault({ kind: 'trickle', bytesPerSecond: 10_000 })
  const startedAtMs = performance.now()
  client.socket.write(Buffer.alloc(3_000, 'x'))
  await until(() => service.received.length === 3_006)
  expect(client.received.length).toBeLessThan(1_500 + (performance.now() - startedAtMs) * 10)
  await until(() => client.received.length === 3_006)
  expect(performance.now() - startedAtMs).toBeGreaterThan(200)

  client.socket.write(Buffer.alloc(1_000_000, 'x'))
  await settle()
  await relay.setFault({ kind: 'none' })
  await until(() => client.received.length === 1_003_006)
})

test('trickle: a rate below one slice per byte', async () => {
  const { relay, openInUse } = await startRelayedServer()
  const { client } = await openInUse()
  await relay.setFault({ kind: 'trickle', bytesPerSecond: 10 })
  const startedAtMs = performance.now()
  client.socket.write('abcdef')
  await until(() => client.text.startsWith('hello abc'))
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(198)
})

test('delay: every chunk arrives later, in order, in both directions', async () => {
  const { relay, openInUse } = await startRelayedServer()
  const { client, service } = await openInUse()
  await relay.setFault({ kind: 'delay', delayMs: 100 })
  const startedAtMs = performance.now()
  client.socket.write('a')
  await sleep(20)
  client.socket.end('b')
  await until(() => service.text.startsWith('hello a'))
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(99)
  await until(() => client.hasEnded)
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(218)
  expect(client.text).toBe('hello ab')
})

test('cut: connections are closed and new ones refused, until the fault ends', async () => {
  const { relay, open, openInUse } = await startRelayedServer()
  const { client, service } = await openInUse()
  await relay.setFault({ kind: 'cut' })
  await until(() => client.hasEnded && service.hasEnded)
  await expect(open()).rejects.toThrow('ECONNREFUSED')
  await Promise.all([
    relay.setFault({ kind: 'none' }),
    relay.setFault({ kind: 'cut' }),
    relay.setFault({ kind: 'none' }),
  ])
  await openInUse()
})

test('lose_responses: the service receives everything, and nothing that it sends arrives', async () => {
  const { relay, openInUse } = await startRelayedServer()
  const { client, service } = await openInUse()
  const ended = await openInUse()
  await relay.setFault({ kind: 'lose_responses' })
  client.socket.write('request')
  ended.client.socket.end()
  await until(() => service.text === 'hello request' && ended.service.hasEnded)
  await settle()
  expect([client.text, ended.client.hasEnded]).toEqual(['hello ', false])
  await relay.setFault({ kind: 'none' })
  await until(() => [client, service, ended.client].every(({ hasEnded, socket }) => hasEnded || socket.destroyed))
  expect(client.text).toBe('hello ')
})

test('a replaced service: connections that exist are silent, and new ones reach the new service', async () => {
  const { relay, openInUse, server } = await startRelayedServer()
  const abandoned = await openInUse()
  const newServer = await startEchoServer((socket) => socket.write('new'))
  relay.replaceService(newServer.url)
  abandoned.client.socket.write('lost')
  const { hostname, port } = new URL(relay.url)
  const client = new Peer(connect({ host: hostname, port: Number(port) }))
  client.socket.write('hello')
  await until(() => client.text === 'new')
  await relay.setFault({ kind: 'hold' })
  await relay.setFault({ kind: 'none' })
  await settle()
  expect([abandoned.client.text, abandoned.service.text]).toEqual(['hello ', 'hello '])
  expect(abandoned.client.socket.destroyed).toBe(false)
  expect(server.peers).toHaveLength(1)
})

// Other systems have only 127.0.0.1.
test.skipIf(process.platform !== 'linux')('a connection comes from the given address', async () => {
  const { openInUse } = await startRelayedServer({ localAddress: '127.0.7.1' })
  const { service } = await openInUse()
  expect(service.socket.remoteAddress).toBe('127.0.7.1')
})
