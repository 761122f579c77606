/** On a ClickHouse that is played by a socket, because the real one does not break off when it is told to. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { testAdmission } from '../../../../dev-services/test-admission.ts'
import { createTestInstance } from '../../../../dev-services/test-instance.ts'
import { ViewReports } from '../../analytics/query/view-reports.ts'
import { KnownSites } from '../../analytics/settings/known-sites.ts'
import type { AnalyticsTables } from '../../analytics/tables.ts'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import { compileValidator } from '../../platform/http/validation.ts'
import { createLog } from '../../platform/log.ts'
import { createDatabase } from '../../platform/postgres.ts'
import { addRoutes } from '../add-routes.ts'
import { exportViewsRoute } from './export-views.ts'

let play: (response: ServerResponse) => void
const played = createServer((_, response) => play(response)).listen(0, '127.0.0.1')
await once(played, 'listening')

const instance = await createTestInstance(inject('services'), 'api export views')
const clickhouse = createClickhouse({ url: `http://127.0.0.1:${(played.address() as AddressInfo).port}` })
const { stores, pool } = instance
const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], stopDelaySeconds: 0 }
const server = createHttpServer(http, createLog('test', { level: 'error' }))
server.setValidatorCompiler(compileValidator)
const viewReports = new ViewReports(
  clickhouse,
  createDatabase<AnalyticsTables>(pool),
  new KnownSites(stores.analyticsSettings),
)
addRoutes(server, [exportViewsRoute({ viewReports })], testAdmission({ stores, pool }))
const url = await server.listen({ host: '127.0.0.1', port: 0 })

afterAll(async () => {
  await server.close()
  await clickhouse.close()
  played.closeAllConnections()
  played.close()
  await instance.drop()
})

const operator = { kind: 'operator' } as const
const { id: projectId } = await stores.projects.create('Docs', operator)
const wanted = { name: 'reader', scopes: ['analytics:read'], allowedNetworks: [], expiresAt: null } as const
const { secret } = await stores.keys.create(projectId, { ...wanted, allowedNetworks: [] }, operator)

const download = (signal?: AbortSignal) =>
  fetch(`${url}/v1/analytics/${projectId}/views.csv`, {
    headers: { authorization: `Bearer ${secret}` },
    ...(signal && { signal }),
  })

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => `{"path":"/page-${index}","human":1,"ai":0,"total":1}\n`).join('')

let left: Promise<unknown>
beforeEach(() => {
  play = () => {}
})

test('a query that fails before its first row is unavailable', async () => {
  play = (response) => void response.writeHead(500).end('Code: 241. DB::Exception: Memory limit. (MEMORY_LIMIT)')
  expect((await download()).status).toBe(503)
  play = (response) => void response.destroy()
  const answer = await download()
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(await answer.json()).toMatchObject({ code: 'unavailable' })
})

test('a query that fails in the middle breaks the answer off', async () => {
  play = (response) => response.writeHead(200).write(rows(1_000), () => setTimeout(() => response.destroy(), 50))
  const answer = await download()
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow()
})

test('whoever leaves stops the query, and gives their place to others', async () => {
  for (let times = 0; times < 6; times++) {
    play = (response) => {
      left = once(response, 'close')
      response.writeHead(200).write(rows(10))
    }
    const leaving = new AbortController()
    const answer = await download(leaving.signal)
    await answer.body?.getReader().read()
    leaving.abort()
    await left
  }
})

test('a slow reader holds ClickHouse back, not our memory', async () => {
  let sentBytes = 0
  play = (response) => {
    response.writeHead(200)
    const block = rows(10_000)
    const send = () => {
      if (response.destroyed || sentBytes > 200e6) return response.end()
      sentBytes += block.length
      if (response.write(block)) setImmediate(send)
      else response.once('drain', send)
    }
    left = once(response, 'close')
    send()
  }
  const leaving = new AbortController()
  const answer = await download(leaving.signal)
  expect(answer.status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(sentBytes).toBeLessThan(50e6)
  leaving.abort()
  await left
})
