import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { expressSnippet, importLogsInCheckout, importLogsInContainer } from './sending-snippets.ts'

type Request = IncomingMessage & { originalUrl?: string }
type Middleware = (request: Request, response: ServerResponse, next: () => void) => void

/** Simulates how Express, which is not a dependency, mounts middleware: `url` loses the prefix, `originalUrl` keeps it. */
class MountingApp {
  readonly #mounts: { prefix: string; middleware: Middleware }[] = []

  use(...args: [Middleware] | [string, Middleware]): this {
    const [prefix, middleware] = args.length === 1 ? ['', args[0]] : args
    this.#mounts.push({ prefix, middleware })
    return this
  }

  readonly handle = (request: Request, response: ServerResponse, next: () => void = () => response.end()): void => {
    const { url = '/' } = request
    request.originalUrl ??= url
    const run = (index: number): void => {
      request.url = url
      const mount = this.#mounts[index]
      if (!mount) {
        next()
      } else if (url.startsWith(mount.prefix)) {
        request.url = url.slice(mount.prefix.length) || '/'
        mount.middleware(request, response, () => run(index + 1))
      } else {
        run(index + 1)
      }
    }
    run(0)
  }
}

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('the Express snippet reports the full path of a request to a mounted router', async () => {
  const received: { url: string | undefined; authorization: string | undefined; body: unknown }[] = []
  const origin = await listen(async (request, response) => {
    const { url, headers } = request
    received.push({ url, authorization: headers.authorization, body: await json(request) })
    response.end('{}')
  })
  vi.stubEnv('COLOPHON_API_KEY', 'colophon_key')
  onTestFinished(() => void vi.unstubAllEnvs())

  const router = new MountingApp().use('/guide', ({ url }, response) => {
    response.statusCode = 404
    response.end(`router: ${url}`)
  })
  const app = new MountingApp()
  new Function('app', expressSnippet({ origin, projectId: 'prj_1' }))(app)
  app.use('/docs', router.handle)
  const site = await listen(app.handle)

  const headers = { 'user-agent': 'ChatGPT-User/1.0', accept: 'text/markdown', 'sec-purpose': 'prefetch' }
  expect(await (await fetch(`${site}/docs/guide/start?v=2`, { headers })).text()).toBe('router: /start?v=2')
  await vi.waitFor(() => expect(received).toHaveLength(1))
  expect(received[0]).toEqual({
    url: '/v1/ingest/prj_1/views',
    authorization: 'Bearer colophon_key',
    body: {
      views: [
        {
          path: '/docs/guide/start?v=2',
          method: 'GET',
          status: 404,
          userAgent: 'ChatGPT-User/1.0',
          accept: 'text/markdown',
          prefetch: true,
        },
      ],
    },
  })
})

test('the commands that import logs name the project', () => {
  expect(importLogsInContainer('prj_1')).toContain('import-logs --project prj_1 /var/log/nginx/docs.access.log*')
  expect(importLogsInCheckout('prj_1')).toContain('import-logs --project prj_1 /var/log/nginx/docs.access.log*')
})
