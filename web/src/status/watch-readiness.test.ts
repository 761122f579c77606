import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@colophon/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type ReadinessPollState, watchReadiness } from './watch-readiness.ts'

const ready = { status: 'ready', version: '1.2.3', components: {} }

test('follows a server that goes down and comes back, until it is stopped', async () => {
  let up = true
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    if (!up) return request.socket.destroy()
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ready))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })

  const states: ReadinessPollState[] = []
  const stop = watchReadiness(client, 0.01, (latest) => states.push(latest))
  await vi.waitFor(() => expect(states.at(-1)).toMatchObject({ state: 'loaded', readiness: ready }), 30_000)
  up = false
  const unreachable = { state: 'unreachable', detail: expect.stringContaining('No complete response') }
  await vi.waitFor(() => expect(states.at(-1)).toMatchObject(unreachable), 30_000)
  up = true
  await vi.waitFor(() => expect(states.at(-1)).toMatchObject({ state: 'loaded' }), 30_000)

  stop()
  const statesBefore = states.length
  const requestsBefore = requests
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(states.length).toBe(statesBefore)
  expect(requests - requestsBefore).toBeLessThanOrEqual(1) // one may have been in flight
})

test('reports nothing if it is stopped before the first response', async () => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const states: ReadinessPollState[] = []
  const stop = watchReadiness(client, 0.01, (latest) => states.push(latest))
  stop()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(states).toEqual([])
})
