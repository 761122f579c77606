import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClient } from './client.ts'
import type { JobProgress } from './wait-for-job.ts'

let close: (() => void) | undefined
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => {
  close?.()
  vi.restoreAllMocks()
})

const eventText = (index: number) =>
  `id: 1.1.${index}\nevent: text\ndata: ${JSON.stringify({ id: `1.1.${index}`, type: 'text', text: 'a' })}\n\n`
const end = 'event: end\ndata: {}\n\n'

/** Each kind of request is handled by the next handler of its list, and a list ends with its last one. */
async function createTestClient(
  handlers: Record<'create' | 'get' | 'events', ((response: ServerResponse, request: IncomingMessage) => void)[]>,
) {
  const received: { kind: string; lastEventId: unknown; idempotencyKey: unknown; body: string }[] = []
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    const kind = method === 'POST' ? 'create' : url.endsWith('/events') ? 'events' : 'get'
    received.push({
      kind,
      lastEventId: headers['last-event-id'],
      idempotencyKey: headers['idempotency-key'],
      body: await text(request),
    })
    const list = handlers[kind]
    const handler = list.length > 1 ? list.shift() : list[0]
    handler?.(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { received, client: createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }) }
}

const job = (status: string) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'job_1', status }))
const stream =
  (content: string, { isCut = false } = {}) =>
  (response: ServerResponse) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(content, () => (isCut ? response.destroy() : response.end()))
const cut = (response: ServerResponse) => response.destroy()

test('createAndWait creates one job, reports each event once, and returns the final job', async () => {
  const { client, received } = await createTestClient({
    create: [cut, job('active')],
    events: [stream(eventText(0), { isCut: true }), cut, stream(eventText(1) + end)],
    get: [cut, job('completed')],
  })
  const progress: JobProgress[] = []
  const final = await client.jobs.createAndWait(
    'prj_1',
    { prompt: 'Fix the links.' },
    { onProgress: (step) => progress.push(step) },
  )
  expect(final).toEqual({ id: 'job_1', status: 'completed' })
  expect(progress.map(({ jobId, event }) => [jobId, event?.id])).toEqual([
    ['job_1', undefined],
    ['job_1', '1.1.0'],
    ['job_1', '1.1.1'],
  ])
  const creates = received.filter(({ kind }) => kind === 'create')
  expect(new Set(creates.map(({ idempotencyKey, body }) => `${idempotencyKey} ${body}`)).size).toBe(1)
  expect(received.filter(({ kind }) => kind === 'events').map(({ lastEventId }) => lastEventId)).toEqual([
    undefined,
    '1.1.0',
    '1.1.0',
  ])
})

test('wait continues with later events if another message made the job active again', async () => {
  const { client, received } = await createTestClient({
    create: [],
    events: [stream(eventText(0) + end), stream(eventText(1) + end)],
    get: [job('active'), job('failed')],
  })
  const ids: (string | undefined)[] = []
  const final = await client.jobs.wait('prj_1', 'job_1', { onProgress: ({ event }) => ids.push(event?.id) })
  expect(final.status).toBe('failed')
  expect(ids).toEqual(['1.1.0', '1.1.1'])
  expect(received.map(({ kind }) => kind)).toEqual(['events', 'get', 'events', 'get'])
})

test('gives up when the server has been silent for too long, and when the caller aborts', async () => {
  const { client } = await createTestClient({ create: [], events: [cut], get: [cut] })
  await expect(client.jobs.wait('prj_1', 'job_1', { reconnectSeconds: 0 })).rejects.toMatchObject({
    code: 'no_response',
  })
  vi.mocked(Math.random).mockReturnValue(1)
  const abort = new AbortController()
  const waiting = client.jobs.wait('prj_1', 'job_1', { signal: abort.signal })
  setTimeout(() => abort.abort(new Error('enough')), 100)
  await expect(waiting).rejects.toThrow('enough')
})

test('ends with the error of onProgress', async () => {
  const { client } = await createTestClient({
    create: [],
    events: [stream(eventText(0) + end)],
    get: [job('completed')],
  })
  const onProgress = () => {
    throw new Error('disk full')
  }
  await expect(client.jobs.wait('prj_1', 'job_1', { onProgress })).rejects.toThrow('disk full')
})
