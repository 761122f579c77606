import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { Problem } from '../../platform/http/problem.ts'
import { ClickhouseReads } from './clickhouse-reads.ts'

const limits = { atOnce: 2, waiting: 2, waitMs: 5_000, responseTimeoutMs: 5_000 }
const away = { code: 'unavailable', status: 503, headers: { 'retry-after': '5' } }

function readsFrom(url: string, changed: Partial<typeof limits> = {}) {
  const clickhouse = createClickhouse({ url })
  onTestFinished(() => clickhouse.close())
  const reads = new ClickhouseReads(clickhouse, { ...limits, ...changed })
  return () =>
    reads.read(async ({ query }) => (await query({ query: 'SELECT 1', format: 'JSONEachRow' })).json<unknown>())
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

test('a ClickHouse that is away, silent, cut off or out of memory is unavailable', async () => {
  await expect(readsFrom('http://127.0.0.1:1')()).rejects.toMatchObject(away)
  await expect(readsFrom(await serve(() => {}), { responseTimeoutMs: 200 })()).rejects.toMatchObject(away)
  const beginning = await serve((_, response) => void response.writeHead(200).write('{"n":1}\n'))
  await expect(readsFrom(beginning, { responseTimeoutMs: 200 })()).rejects.toMatchObject(away)
  const cut = await serve((_, response) => response.writeHead(200).write('{"n":1}\n', () => response.destroy()))
  await expect(readsFrom(cut)()).rejects.toMatchObject(away)
  const full = await serve(
    (_, response) => void response.writeHead(500).end('Code: 241. DB::Exception: (MEMORY_LIMIT)'),
  )
  await expect(readsFrom(full)()).rejects.toMatchObject(away)
})

test('what a query refuses stays what it is', async () => {
  const reads = new ClickhouseReads(createClickhouse({ url: 'http://127.0.0.1:1' }), limits)
  const refusal = new Problem('invalid_request', 'Too many steps.')
  await expect(reads.read(() => Promise.reject(refusal))).rejects.toBe(refusal)
})

test('so many read at once, some wait their turn, the rest is told to come back', async () => {
  const reads = new ClickhouseReads(createClickhouse({ url: 'http://127.0.0.1:1' }), limits)
  const finish: (() => void)[] = []
  const begun: number[] = []
  const read = (which: number) =>
    reads.read(async () => {
      begun.push(which)
      await new Promise<void>((resolve) => finish.push(resolve))
      return which
    })
  const accepted = [1, 2, 3, 4].map(read)
  await expect(read(5)).rejects.toMatchObject(away)
  expect(begun).toEqual([1, 2])
  for (let next = 0; next < 4; next++) {
    await expect.poll(() => finish.length).toBeGreaterThan(next)
    finish[next]?.()
  }
  expect(await Promise.all(accepted)).toEqual([1, 2, 3, 4])
  expect(begun).toEqual([1, 2, 3, 4])
})

test('who has waited too long is told so, and takes no place later', async () => {
  const reads = new ClickhouseReads(createClickhouse({ url: 'http://127.0.0.1:1' }), {
    ...limits,
    atOnce: 1,
    waitMs: 50,
  })
  let finish = () => {}
  const first = reads.read(() => new Promise<void>((resolve) => (finish = resolve)))
  await expect(reads.read(async () => 'never')).rejects.toMatchObject(away)
  finish()
  await first
  expect(await reads.read(async () => 'again')).toBe('again')
})
