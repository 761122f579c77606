/** Runs the examples of docs/views.md unchanged. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import express from 'express'
import { fastify } from 'fastify'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'doc examples')
const { projectId, secret } = await api.createProject()
await api.stores.analyticsSettings.change(projectId, { humanSource: 'servers' }, { kind: 'operator' })
const environment = { COLOPHON_URL: api.url, COLOPHON_PROJECT_ID: projectId, COLOPHON_API_KEY: secret }
Object.assign(process.env, environment) // before the examples are loaded
const { countView, countViews, sendViews } = await import('../../../../docs/examples/node.mjs')
const { default: middleware } = await import('../../../../docs/examples/next-middleware.mjs')
const { default: worker } = await import('../../../../docs/examples/cloudflare-worker.mjs')

const site: Server = createServer((request, response) => {
  if (request.url?.startsWith('/node')) countViews(request, response, undefined)
  response.writeHead(request.url?.includes('missing') ? 404 : 200).end('A page.')
})
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
const siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
afterAll(async () => {
  site.close()
  await api.drop()
})

const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0' }

async function countedPaths(): Promise<unknown[]> {
  const { rows } = await api.pool.query<{ body: Buffer }>('SELECT body FROM view_batch ORDER BY id')
  const lines = rows.flatMap(({ body }) => gunzipSync(body).toString().trim().split('\n'))
  return lines.map((line) => (JSON.parse(line) as unknown[])[2])
}

test('count the views of Node, Next.js and Cloudflare Workers', async () => {
  for (const path of ['/node/a?x=1', '/node/missing', '/node/b.png', '/node/b/'])
    await (await fetch(siteUrl + path, { headers })).text()
  await sendViews()
  expect(await countedPaths()).toEqual(['/node/a', '/node/b'])

  const background: Promise<unknown>[] = []
  const event = { waitUntil: (work: Promise<unknown>) => background.push(work) }
  middleware(new Request(`${siteUrl}/docs/next?x=1`, { headers }), event)
  middleware(new Request(`${siteUrl}/docs/next`, { headers, method: 'HEAD' }), event)
  await Promise.all(background)
  expect((await countedPaths()).slice(2)).toEqual(['/docs/next'])

  for (const path of ['/worker', '/worker/missing'])
    expect(await (await worker.fetch(new Request(siteUrl + path, { headers }), environment, event)).text()).toBe(
      'A page.',
    )
  await Promise.all(background)
  expect((await countedPaths()).slice(3)).toEqual(['/worker'])
})

test('count the views of Express and Fastify', async () => {
  const counted = (await countedPaths()).length
  const handler = express().use(countViews)
  handler.get('/docs/express', (_request, response) => void response.send('A page.'))
  const expressServer = createServer(handler)
  await new Promise<void>((resolve) => expressServer.listen(0, '127.0.0.1', resolve))
  const app = fastify()
  app.addHook('onRequest', (request, reply, done) => countViews(request.raw, reply.raw, done))
  app.get('/docs/fastify', async () => 'A page.')
  const fastifyUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const expressUrl = `http://127.0.0.1:${(expressServer.address() as AddressInfo).port}`
  for (const url of [
    `${expressUrl}/docs/express?x=1`,
    `${expressUrl}/missing`,
    `${fastifyUrl}/docs/fastify`,
    `${fastifyUrl}/no`,
  ])
    await (await fetch(url, { headers })).text()
  await sendViews()
  expressServer.close()
  await app.close()
  expect((await countedPaths()).slice(counted)).toEqual(['/docs/express', '/docs/fastify'])
})

test('count the views of frameworks with Request and Response', async () => {
  const counted = (await countedPaths()).length
  const request = (path: string, init = {}) => new Request(siteUrl + path, { headers, ...init })
  countView(request('/docs/web?x=1'), new Response('A page.'))
  countView(request('/docs/missing'), new Response(null, { status: 404 }))
  countView(request('/docs/posted', { method: 'POST' }), new Response('A page.'))
  await sendViews()
  expect((await countedPaths()).slice(counted)).toEqual(['/docs/web'])
})
