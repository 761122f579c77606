/** What a way out and a gateway would be without their walls: addresses are put together, and everything is sent on. */
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { boxUser } from '../../../server/src/runner/sandbox/enclosure.ts'
import type { WayOut } from '../../../server/src/runner/sandbox/way-out.ts'

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
  const directory = mkdtempSync(join(tmpdir(), 'colophon-open-gateway-'))
  const socket = join(directory, 'gateway.sock')
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  const user = boxUser()
  if (user) for (const path of [socket, directory]) chownSync(path, user.uid, user.gid)
  return {
    directory,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
