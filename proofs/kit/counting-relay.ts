/** Stands between a process and an engine and counts what the process sends: the surest way to see that it asked nothing. */
import { connect, createServer, type Socket } from 'node:net'

export interface CountingRelay {
  /** The engine's address, through the relay. */
  url: string
  sentBytes(): number
  stop(): Promise<void>
}

export async function startCountingRelay(serviceUrl: string): Promise<CountingRelay> {
  const { hostname, port } = new URL(serviceUrl)
  const sockets = new Set<Socket>()
  let sent = 0
  const server = createServer((client) => {
    const engine = connect(Number(port), hostname)
    client.on('data', (chunk) => {
      sent += chunk.length
    })
    client.pipe(engine).pipe(client)
    for (const socket of [client, engine]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => [client, engine].forEach((end) => void end.destroy()))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
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
