import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export type ConnectProxy = {
  port: number
  /** Every first line and every authorisation it was sent. */
  asked: { method: string; target: string; authorization: string | undefined }[]
  stop: () => Promise<void>
}

/** An HTTP proxy on loopback that writes down where it is asked to go, and goes to `leadsToPort` on 127.0.0.1. */
export async function startConnectProxy(leadsToPort: number, refuseWithStatus?: number): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    asked.push({ method: request.method ?? '', target: request.url ?? '', authorization: undefined })
    response.writeHead(400).end()
  })
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (request, socket: Socket) => {
    const authorization = request.headers['proxy-authorization']
    asked.push({ method: 'CONNECT', target: request.url ?? '', authorization })
    if (refuseWithStatus) return socket.end(`HTTP/1.1 ${refuseWithStatus} Refused\r\n\r\n`)
    const onward = connect(leadsToPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    sockets.add(onward)
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
