/** An egress socket and gateway without protection: URLs are concatenated, and everything is forwarded. */
import { createServer, request } from 'node:http'
import { pipeline } from 'node:stream'
import { type EgressSocket, listenOnEgressSocket } from '../../server/src/runner/sandbox/egress-socket.ts'

interface OpenRoute {
  prefix: string
  to: string
  authorization?: string
}

/** Uses the first matching route. */
export async function startOpenGateway(routes: readonly OpenRoute[]): Promise<EgressSocket> {
  const server = createServer((incoming, reply) => {
    const url = incoming.url ?? ''
    const route = routes.find(({ prefix }) => url.startsWith(prefix))
    if (!route) return reply.destroy()
    const { prefix, to, authorization } = route
    const { host: _host, connection: _connection, ...headers } = incoming.headers
    const outgoing = request(
      new URL(url.slice(prefix.length), to),
      { method: incoming.method ?? 'GET', headers: { ...headers, ...(authorization && { authorization }) } },
      (response) => {
        reply.writeHead(response.statusCode ?? 502, response.headers)
        pipeline(response, reply, () => {})
      },
    )
    outgoing.once('error', () => reply.destroy())
    pipeline(incoming, outgoing, () => {})
  })
  return listenOnEgressSocket(server)
}
