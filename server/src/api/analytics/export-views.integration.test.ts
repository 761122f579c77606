/** With a simulated ClickHouse, because the real one cannot be made to break off a response. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { testAuthorizeDeps } from '../../../../testing/harness/test-authorize-deps.ts'
import { createTestInstance } from '../../../../testing/harness/test-instance.ts'
import { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import { compileValidator } from '../../platform/http/validation.ts'
import { createLog } from '../../platform/log.ts'
import { addRoutes } from '../add-routes.ts'
import { exportViewsRoute } from './export-views.ts'

let simulate: (response: ServerResponse) => void
const simulator = createServer((_, response) => simulate(response)).listen(0, '127.0.0.1')
await once(simulator, 'listening')

const instance = await createTestInstance(inject('services'), 'api export views', 'api')
const clickhouse = createClickhouse({ url: `http://127.0.0.1:${(simulator.address() as AddressInfo).port}` })
const { stores, database } = instance
const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
const server = createHttpServer(http, createLog('test', { level: 'error' }))
server.setValidatorCompiler(compileValidator)
const viewReports = new ViewReportReader(clickhouse, database, new AnalyticsSiteCache(stores.analyticsSettings))
addRoutes(server, [exportViewsRoute({ viewReports })], testAuthorizeDeps({ stores, database }))
const url = await server.listen({ host: '127.0.0.1', port: 0 })

afterAll(async () => {
  await server.close()
  await clickhouse.close()
  simulator.closeAllConnections()
  simulator.close()
  await instance.drop()
})

const operator = { kind: 'operator' } as const
const { id: projectId } = await stores.projects.create('Docs', operator)
const grant = { name: 'reader', scopes: ['analytics:read'], allowedNetworks: [], expiresAt: null } as const
const { secret } = await stores.keys.create(projectId, { ...grant, allowedNetworks: [] }, operator)

const download = (signal?: AbortSignal) =>
  fetch(`${url}/v1/analytics/${projectId}/views.csv`, {
    headers: { authorization: `Bearer ${secret}` },
    ...(signal && { signal }),
  })

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => `{"path":"/page-${index}","human":1,"ai":0,"total":1}\n`).join('')

let closed: Promise<unknown>
beforeEach(() => {
  simulate = () => {}
})

test('responds with 503 if the query fails before its first row', async () => {
  simulate = (response) => void response.writeHead(500).end('Code: 241. DB::Exception: Memory limit. (MEMORY_LIMIT)')
  expect((await download()).status).toBe(503)
  simulate = (response) => void response.destroy()
  const response = await download()
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(await response.json()).toMatchObject({ code: 'unavailable' })
})

test('breaks off the response if the query fails later', async () => {
  simulate = (response) => response.writeHead(200).write(rows(1_000), () => setTimeout(() => response.destroy(), 50))
  const response = await download()
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
})

test('stops the query and frees its slot if the client disconnects', async () => {
  for (let times = 0; times < 6; times++) {
    simulate = (response) => {
      closed = once(response, 'close')
      response.writeHead(200).write(rows(10))
    }
    const abort = new AbortController()
    const response = await download(abort.signal)
    await response.body?.getReader().read()
    abort.abort()
    await closed
  }
})

test('a slow client slows down ClickHouse instead of filling the memory', async () => {
  let sentBytes = 0
  simulate = (response) => {
    response.writeHead(200)
    const block = rows(10_000)
    const send = () => {
      if (response.destroyed || sentBytes > 200e6) return response.end()
      sentBytes += block.length
      if (response.write(block)) setImmediate(send)
      else response.once('drain', send)
    }
    closed = once(response, 'close')
    send()
  }
  const abort = new AbortController()
  const response = await download(abort.signal)
  expect(response.status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(sentBytes).toBeLessThan(50e6)
  abort.abort()
  await closed
})
