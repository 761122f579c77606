import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { Problem } from '../../platform/http/problem.ts'
import { newId } from '../../platform/ids.ts'
import { ClickhouseQueryLimit } from './clickhouse-query-limit.ts'

const limits = {
  maxConcurrent: 2,
  maxConcurrentPerProject: 2,
  maxQueued: 2,
  queueTimeoutMs: 5_000,
  responseTimeoutMs: 5_000,
}
const projectId = newId('prj')
const unavailable = { code: 'unavailable', status: 503, headers: { 'retry-after': '5' } }

function readerFor(url: string, overrides: Partial<typeof limits> = {}) {
  const clickhouse = createClickhouse({ url })
  onTestFinished(() => clickhouse.close())
  const queryLimit = new ClickhouseQueryLimit(clickhouse, { ...limits, ...overrides })
  return () =>
    queryLimit.run(projectId, async ({ query }) =>
      (await query({ query: 'SELECT 1', format: 'JSONEachRow' })).json<unknown>(),
    )
}

async function serve(response: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(response).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('reports ClickHouse as unavailable when it is down, silent, disconnected or out of memory', async () => {
  await expect(readerFor('http://127.0.0.1:1')()).rejects.toMatchObject(unavailable)
  await expect(readerFor(await serve(() => {}), { responseTimeoutMs: 200 })()).rejects.toMatchObject(unavailable)
  const incomplete = await serve((_, response) => void response.writeHead(200).write('{"n":1}\n'))
  await expect(readerFor(incomplete, { responseTimeoutMs: 200 })()).rejects.toMatchObject(unavailable)
  const disconnecting = await serve((_, response) =>
    response.writeHead(200).write('{"n":1}\n', () => response.destroy()),
  )
  await expect(readerFor(disconnecting)()).rejects.toMatchObject(unavailable)
  const outOfMemory = await serve(
    (_, response) => void response.writeHead(500).end('Code: 241. DB::Exception: (MEMORY_LIMIT)'),
  )
  await expect(readerFor(outOfMemory)()).rejects.toMatchObject(unavailable)
})

test('passes on the problem that a query throws', async () => {
  const queryLimit = new ClickhouseQueryLimit(createClickhouse({ url: 'http://127.0.0.1:1' }), limits)
  const problem = new Problem('invalid_request', 'Too many steps.')
  await expect(queryLimit.run(projectId, () => Promise.reject(problem))).rejects.toBe(problem)
})

test('runs a limited number of queries concurrently, queues some, and rejects the rest', async () => {
  const queryLimit = new ClickhouseQueryLimit(createClickhouse({ url: 'http://127.0.0.1:1' }), limits)
  const finish: (() => void)[] = []
  const started: number[] = []
  const read = (id: number) =>
    queryLimit.run(projectId, async () => {
      started.push(id)
      await new Promise<void>((resolve) => finish.push(resolve))
      return id
    })
  const accepted = [1, 2, 3, 4].map(read)
  await expect(read(5)).rejects.toMatchObject(unavailable)
  expect(started).toEqual([1, 2])
  for (let next = 0; next < 4; next++) {
    await expect.poll(() => finish.length).toBeGreaterThan(next)
    finish[next]?.()
  }
  expect(await Promise.all(accepted)).toEqual([1, 2, 3, 4])
  expect(started).toEqual([1, 2, 3, 4])
})

test('rejects a query that was queued for too long, and does not run it later', async () => {
  const queryLimit = new ClickhouseQueryLimit(createClickhouse({ url: 'http://127.0.0.1:1' }), {
    ...limits,
    maxConcurrent: 1,
    queueTimeoutMs: 50,
  })
  let finish = () => {}
  const first = queryLimit.run(projectId, () => new Promise<void>((resolve) => (finish = resolve)))
  await expect(queryLimit.run(projectId, async () => 'never')).rejects.toMatchObject(unavailable)
  finish()
  await first
  expect(await queryLimit.run(projectId, async () => 'next')).toBe('next')
})

test('leaves slots for other projects while one has slow queries', async () => {
  const queryLimit = new ClickhouseQueryLimit(createClickhouse({ url: 'http://127.0.0.1:1' }), {
    ...limits,
    maxConcurrentPerProject: 1,
  })
  const finish: (() => void)[] = []
  const slow = () => queryLimit.run(projectId, () => new Promise<void>((resolve) => finish.push(resolve)))
  const reads = [slow(), slow(), slow()]
  await expect(slow()).rejects.toMatchObject(unavailable)
  expect(await queryLimit.run(newId('prj'), async () => 'read')).toBe('read')
  for (let next = 0; next < 3; next++) {
    await expect.poll(() => finish.length).toBe(next + 1)
    finish[next]?.()
  }
  await Promise.all(reads)
})

test('the queries of a project that has used much time recently come after those of others', async () => {
  const priorities: (string | null)[] = []
  const url = await serve((request, response) => {
    priorities.push(new URL(request.url ?? '', 'http://clickhouse').searchParams.get('priority'))
    setTimeout(() => response.end('{}\n'), priorities.length === 1 ? 2_100 : 0)
  })
  const clickhouse = createClickhouse({ url })
  onTestFinished(() => clickhouse.close())
  const queryLimit = new ClickhouseQueryLimit(clickhouse, limits)
  const read = (project: typeof projectId) =>
    queryLimit.run(project, async ({ query }) => (await query({ query: 'SELECT 1', format: 'JSONEachRow' })).json())
  await read(projectId)
  await read(projectId)
  await read(newId('prj'))
  expect(priorities).toEqual(['1', '2', '1'])
})
