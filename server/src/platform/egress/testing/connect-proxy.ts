import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export type ConnectProxy = {
  port: number
  /** The request lines and credentials that it received. */
  requests: { method: string; target: string; authorization: string | undefined }[]
  stop: () => Promise<void>
}

/** An HTTP proxy on loopback that records its requests and connects all of them to `targetPort` on 127.0.0.1. */
export async function startConnectProxy(targetPort: number, rejectWithStatus?: number): Promise<ConnectProxy> {
  const asked: ConnectProxy['requests'] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    asked.push({ method: request.method ?? '', target: request.url ?? '', authorization: undefined })
    response.writeHead(400).end()
  })
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (request, socket: Socket) => {
    const authorization = request.headers['proxy-authorization']
    asked.push({ method: 'CONNECT', target: request.url ?? '', authorization })
    if (rejectWithStatus) return socket.end(`HTTP/1.1 ${rejectWithStatus} Rejected\r\n\r\n`)
    const upstream = connect(targetPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(upstream).pipe(socket)
    })
    sockets.add(upstream)
    upstream.on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests: asked,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
