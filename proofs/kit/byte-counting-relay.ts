/** A TCP relay between a process and a service that counts the bytes sent by the process: 0 bytes prove that it sent no query. */
import { connect, createServer, type Socket } from 'node:net'

export interface ByteCountingRelay {
  /** The URL of the service through the relay. */
  url: string
  sentBytes(): number
  stop(): Promise<void>
}

export async function startByteCountingRelay(serviceUrl: string): Promise<ByteCountingRelay> {
  const { hostname, port } = new URL(serviceUrl)
  const sockets = new Set<Socket>()
  let sent = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    client.on('data', (chunk) => {
      sent += chunk.length
    })
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => [client, upstream].forEach((end) => void end.destroy()))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay does not listen on a TCP port')
  const url = new URL(serviceUrl)
  url.port = String(address.port)
  return {
    url: url.href,
    sentBytes: () => sent,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
