import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import express from 'express'
import { expect, onTestFinished, test, vi } from 'vitest'
import { renderContainerImportCommand, renderExpressSnippet } from './sending-snippets.ts'

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

  const router = express.Router().use('/guide', ({ url }, response) => {
    response.status(404).end(`router: ${url}`)
  })
  const app = express()
  new Function('app', renderExpressSnippet({ origin, projectId: 'prj_1' }))(app)
  app.use('/docs', router)
  const site = await listen(app)

  const headers = { 'user-agent': 'ChatGPT-User/1.0', accept: 'text/markdown', 'sec-purpose': 'prefetch' }
  expect(await (await fetch(`${site}/docs/guide/start?v=2`, { headers })).text()).toBe('router: /start?v=2')
  await vi.waitFor(() => expect(received).toHaveLength(1), 30_000)
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

test('the container command mounts the folder of the logs', () => {
  expect(renderContainerImportCommand('prj_1')).toBe(
    `docker compose -f deploy/compose.yml run --rm -T -v /var/log/nginx:/var/log/nginx:ro api \\
  import-logs --project prj_1 /var/log/nginx/docs.access.log*
`,
  )
})
