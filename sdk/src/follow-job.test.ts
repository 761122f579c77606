import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createClient } from './client.ts'

let close: (() => void) | undefined
afterEach(() => close?.())

/** Creates a client of a server that handles each connection with the next handler. */
async function createTestClient(...handlers: ((request: IncomingMessage, response: ServerResponse) => void)[]) {
  const server = createServer((request, response) => handlers.shift()?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => server.close()
  return createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'key' })
}

const eventText = (index: number) =>
  `id: 1.1.${index}\nevent: text\ndata: ${JSON.stringify({ id: `1.1.${index}`, type: 'text', text: 'ä' })}\n\n`

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

test('resumes after the last complete event when the stream is cut in the middle of an event', async () => {
  const lastEventIds: (string | undefined)[] = []
  const client = await createTestClient(
    (request, response) => {
      lastEventIds.push(request.headers['last-event-id'] as string | undefined)
      stream(response).write(`retry: 2000\n\n${eventText(0)}${eventText(1).slice(0, 20)}`, () => response.destroy())
    },
    (_request, response) => response.writeHead(503).end('sent by a proxy'),
    (request, response) => {
      lastEventIds.push(request.headers['last-event-id'] as string | undefined)
      stream(response).end(`: keep-alive\n\n${eventText(1)}${eventText(2)}event: end\ndata: {}\n\n`)
    },
  )
  const received: string[] = []
  for await (const event of client.jobs.follow('prj_1', 'job_1')) received.push(event.id)
  expect(received).toEqual(['1.1.0', '1.1.1', '1.1.2'])
  expect(lastEventIds).toEqual([undefined, '1.1.0'])
})

test('throws the error response and the reason of an aborted signal', async () => {
  const problem = { code: 'not_found', detail: 'There is no such job.', requestId: 'req' }
  const rejecting = await createTestClient((_request, response) =>
    response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem)),
  )
  await expect(rejecting.jobs.follow('prj_1', 'job_1').next()).rejects.toMatchObject({ code: 'not_found' })

  const stop = new AbortController()
  const silent = await createTestClient((_request, response) => {
    stream(response).write('retry: 2000\n\n')
    stop.abort(new Error('enough'))
  })
  await expect(silent.jobs.follow('prj_1', 'job_1', { signal: stop.signal }).next()).rejects.toThrow('enough')
})

test('reconnects when an error response is cut off', async () => {
  const client = await createTestClient(
    (_request, response) => {
      response.writeHead(503, { 'content-type': 'application/problem+json', 'content-length': '100' })
      response.write('{"code":', () => response.destroy())
    },
    (_request, response) => stream(response).end(`${eventText(0)}event: end\ndata: {}\n\n`),
  )
  const received: string[] = []
  for await (const event of client.jobs.follow('prj_1', 'job_1')) received.push(event.id)
  expect(received).toEqual(['1.1.0'])
})
