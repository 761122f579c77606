/** A TCP relay between a process and a service, which injects faults for this process only. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface Relay {
  /** The URL of the service through the relay, with the credentials and the path of the service's own URL. */
  url: string
  /** Bytes from the process to the service: 0 prove that it sent nothing. */
  sentBytes(): number
  /** Closes all connections and refuses new ones. */
  cut(): Promise<void>
  /** Keeps connections open and accepts new ones, but drops all data. */
  silence(): void
  restore(): Promise<void>
  stop(): Promise<void>
}

/** Sees the data of one connection, before the relay forwards it. */
export interface ConnectionInspector {
  fromClient(chunk: Buffer): void
  fromService(chunk: Buffer): 'forward' | 'drop' | 'close'
  onClose(): void
}

export async function startRelay(serviceUrl: string, inspect?: () => ConnectionInspector): Promise<Relay> {
  const service = new URL(serviceUrl)
  const sockets = new Set<Socket>()
  let sentBytes = 0
  let isSilent = false

  const relay = (client: Socket) => {
    const upstream = connect(Number(service.port), service.hostname)
    const inspector = inspect?.()
    const close = () => {
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (chunk) => {
      sentBytes += chunk.length
      inspector?.fromClient(chunk)
      if (!isSilent) upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      const action = inspector?.fromService(chunk) ?? 'forward'
      if (action === 'close') close()
      else if (action === 'forward' && !isSilent) client.write(chunk)
    })
    client.on('close', () => inspector?.onClose())
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}) // `close` follows
      socket.on('close', () => {
        sockets.delete(socket)
        close()
      })
    }
  }
  const listen = (port: number) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer(relay)
      server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server))
    })
  const closeConnections = () => {
    for (const socket of sockets) socket.destroy()
  }

  let server: Server | undefined = await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async () => {
    const closing = server
    server = undefined
    if (!closing) return
    const closed = new Promise((resolve) => closing.close(resolve))
    closeConnections()
    await closed
  }
  return {
    url: relayedUrl(serviceUrl, port),
    sentBytes: () => sentBytes,
    cut,
    silence() {
      isSilent = true
    },
    async restore() {
      if (isSilent) closeConnections() // data was dropped on these
      isSilent = false
      server ??= await listen(port)
    },
    stop: cut,
  }
}

/** The same URL with the address of a relay. */
export function relayedUrl(serviceUrl: string, port: number): string {
  const url = new URL(serviceUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href.replace(/\/$/, '')
}
