import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'
import type { ProblemBody } from '../../platform/http/problem.ts'

const api = await startRunningApi(inject('services'), 'ingest')
afterAll(() => api.drop())

const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const assistant =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot'

/** A project whose servers count people too, so that every view counts. */
async function makeSite() {
  const project = await api.makeProject()
  await api.stores.analyticsSettings.change(project.projectId, { humanSource: 'servers' }, { kind: 'operator' })
  return project
}

const { projectId, secret } = await makeSite()

async function send(
  body: string | Buffer,
  headers: Record<string, string> = {},
  site = { projectId, secret },
): Promise<{ status: number; body: ProblemBody & Record<string, unknown> }> {
  const response = await fetch(`${api.url}/v1/ingest/${site.projectId}/views`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.secret}`, 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: response.status, body: (await response.json()) as ProblemBody & Record<string, unknown> }
}

const json = (...views: object[]) => JSON.stringify({ views })
const event = (more: object = {}) => ({ path: '/a', userAgent: person, ...more })

async function buffered(ofProject: string): Promise<number> {
  const { rows } = await api.pool.query<{ body: Buffer }>('SELECT body FROM view_batch')
  const lines = rows.flatMap(({ body }) => gunzipSync(body).toString().trim().split('\n'))
  return lines.filter((line) => line.includes(ofProject)).length
}

describe('what is taken', () => {
  test('views are counted, everything else is dropped with a reason', async () => {
    const response = await send(
      json(
        event({ path: '/a?x=1', at: new Date().toISOString(), method: 'GET', status: 304, accept: 'text/html' }),
        event({ userAgent: assistant }),
        event({ method: 'POST' }),
        event({ status: 404 }),
        event({ prefetch: true }),
        event({ path: 'a' }),
        event({ path: '/a.png' }),
        event({ path: '/b.png' }),
        event({ path: `/${'x'.repeat(20_000)}` }),
        event({ at: '1999-01-01T00:00:00Z' }),
        event({ at: '9999-12-31T23:59:60.999+23:59' }),
        event({ at: '2000-02-29T00:00:00+01:00' }),
        event({ userAgent: 'x'.repeat(1_000_000) }),
      ),
    )
    expect(response).toEqual({
      status: 200,
      body: {
        counted: 4,
        dropped: {
          not_get: 1,
          not_successful: 1,
          prefetch: 1,
          invalid_path: 1,
          not_a_page: 2,
          path_too_long: 1,
          too_old: 2,
        },
        isDuplicate: false,
      },
    })
  })

  test('people are left to the script where a project says nothing', async () => {
    const other = await api.makeProject()
    const response = await send(json(event(), event({ userAgent: assistant })), {}, other)
    expect(response.body).toEqual({ counted: 1, dropped: { counted_elsewhere: 1 }, isDuplicate: false })
  })

  test('JSON and lines of JSON, packed and not', async () => {
    const site = await makeSite()
    const ndjson = { 'content-type': 'application/x-ndjson; charset=utf-8' }
    const packed = { 'content-encoding': 'gzip' }
    const lines = `${JSON.stringify(event())}\r\n\n${JSON.stringify(event())}`
    expect((await send(lines, ndjson, site)).body).toMatchObject({ counted: 2 })
    expect((await send(gzipSync(lines), { ...ndjson, ...packed }, site)).body).toMatchObject({ counted: 2 })
    expect((await send(gzipSync(json(event())), packed, site)).body).toMatchObject({ counted: 1 })
    expect((await send(json(), {}, site)).body).toMatchObject({ counted: 0 })
    expect(await buffered(site.projectId)).toBe(5)
  })

  test('10,000 at once', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => event({ path: `/page/${index}` }))
    expect((await send(json(...many))).body).toMatchObject({ counted: 10_000 })
  })

  test('what comes again under its key is counted once', async () => {
    const site = await makeSite()
    const headers = { 'idempotency-key': 'the first hour' }
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(json(event()), headers, site)))
    expect(responses.map(({ body }) => body.isDuplicate).toSorted()).toEqual([false, true, true, true, true])
    expect(await buffered(site.projectId)).toBe(1)
  })
})

describe('what is refused', () => {
  test.each([
    ['body/views/1/userAgent is missing.', json(event(), { path: '/a' })],
    ['body/views/0/path is missing.', json({ userAgent: person })],
    ['body/views/0/path has to be a text.', json(event({ path: 1 }))],
    ['body/views/0/at has to be an ISO 8601 date-time.', json(event({ at: 'yesterday' }))],
    ['body/views/0/at has to be an ISO 8601 date-time.', json(event({ at: '2026-13-01T00:00:00Z' }))],
    ['body/views/0/at has to be an ISO 8601 date-time.', json(event({ at: '2026-02-30T12:00:00+01:00' }))],
    ['body/views/0/status has to be a status of HTTP.', json(event({ status: '200' }))],
    ['body/views/0/prefetch has to be true or false.', json(event({ prefetch: null }))],
    ['body/views/0/address is not known here.', json(event({ address: '192.0.2.1' }))],
    ['body/views/0/__proto__ is not known here.', '{"views":[{"path":"/a","userAgent":"","__proto__":{}}]}'],
    ['body/views/0/path has to be well-formed Unicode without NUL.', '{"views":[{"path":"\\ud800","userAgent":""}]}'],
    ['body/views/0 has to be an object.', '{"views":[[]]}'],
    ['body/views has to be a list.', '{"views":{}}'],
    ['body/project is not known here.', '{"project":1,"views":[]}'],
    ['body has to be an object.', '[]'],
    ['body is not valid JSON.', '{'],
  ])('%s', async (detail, body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'invalid_request', detail } })
  })

  test('a line that is none, by its number', async () => {
    const body = `${JSON.stringify(event())}\n{"path":"/a"}\n`
    const response = await send(body, { 'content-type': 'application/x-ndjson' })
    expect(response.body.detail).toBe('body/line 2/userAgent is missing.')
  })

  test('other types and encodings', async () => {
    expect((await send(json(event()), { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send(json(event()), { 'content-encoding': 'br' })).status).toBe(415)
    expect((await send('not gzip', { 'content-encoding': 'gzip' })).status).toBe(400)
    expect((await send(gzipSync(json(event())).subarray(0, 30), { 'content-encoding': 'gzip' })).status).toBe(400)
  })

  test('too many, too large, and what becomes too large', async () => {
    expect((await send(json(...Array(10_001).fill(event())))).status).toBe(400)
    expect((await send(' '.repeat(9 * 1024 * 1024))).status).toBe(413)
    expect((await send(`{"views":[${'[],'.repeat(2_000_000)}[]]}`)).status).toBe(400)
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, ' '))
    const before = process.memoryUsage().rss
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(bomb, { 'content-encoding': 'gzip' })))
    for (const { status } of responses) expect([413, 503]).toContain(status)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  test('strangers', async () => {
    for (const { code, client } of await api.strangersTo(projectId, 'analytics:write')) {
      await expect(client.views.ingest(projectId, { views: [] })).rejects.toMatchObject({ code })
    }
  })
})
