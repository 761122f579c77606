import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@colophon/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Seen, watchReadiness } from './watch-readiness.ts'

const ready = { status: 'ready', version: '1.2.3', components: {} }

test('follows a server that comes and goes, until stopped', async () => {
  let up = true
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    if (!up) return request.socket.destroy()
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ready))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })

  const seen: Seen[] = []
  const stop = watchReadiness(client, 0.01, (latest) => seen.push(latest))
  await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ state: 'answered', readiness: ready }))
  up = false
  await vi.waitFor(() =>
    expect(seen.at(-1)).toMatchObject({ state: 'no_response', detail: expect.stringContaining('No whole answer') }),
  )
  up = true
  await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ state: 'answered' }))

  stop()
  const seenBefore = seen.length
  const askedBefore = asked
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(seen.length).toBe(seenBefore)
  expect(asked - askedBefore).toBeLessThanOrEqual(1) // one may have been on its way
})

test('stopped before the first answer, tells nothing', async () => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const seen: Seen[] = []
  const stop = watchReadiness(client, 0.01, (latest) => seen.push(latest))
  stop()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(seen).toEqual([])
})
