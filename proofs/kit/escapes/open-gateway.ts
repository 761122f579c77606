/** What a way out and a gateway would be without their walls: addresses are put together, and everything is sent on. */
import { createServer, request } from 'node:http'
import { pipeline } from 'node:stream'
import { listenForBox, type WayOut } from '../../../server/src/runner/sandbox/way-out.ts'

interface OpenRoute {
  prefix: string
  to: string
  authorization?: string
}

/** The first route that fits is taken. */
export async function openGateway(routes: readonly OpenRoute[]): Promise<WayOut> {
  const server = createServer((inner, answer) => {
    const url = inner.url ?? ''
    const route = routes.find(({ prefix }) => url.startsWith(prefix))
    if (!route) return answer.destroy()
    const { prefix, to, authorization } = route
    const { host: _host, connection: _connection, ...headers } = inner.headers
    const outer = request(
      new URL(url.slice(prefix.length), to),
      { method: inner.method ?? 'GET', headers: { ...headers, ...(authorization && { authorization }) } },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        pipeline(response, answer, () => {})
      },
    )
    outer.once('error', () => answer.destroy())
    pipeline(inner, outer, () => {})
  })
  return listenForBox(server)
}
