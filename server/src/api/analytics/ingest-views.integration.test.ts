import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import type { ProblemBody } from '../../platform/http/problem.ts'

const api = await startTestApi(inject('services'), 'ingest')
afterAll(() => api.drop())

const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const assistant =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot'

/** A project whose servers count human traffic too, so that every view is counted. */
async function createSite() {
  const project = await api.createProject()
  await api.stores.analyticsSettings.change(project.projectId, { humanSource: 'servers' }, { kind: 'operator' })
  return project
}

const { projectId, secret } = await createSite()

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

async function countBuffered(projectId: string): Promise<number> {
  const { rows } = await api.pool.query<{ body: Buffer }>('SELECT body FROM view_batch')
  const lines = rows.flatMap(({ body }) => gunzipSync(body).toString().trim().split('\n'))
  return lines.filter((line) => line.includes(projectId)).length
}

describe('accepts', () => {
  test('all requests, counts the views and drops the others with a reason', async () => {
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

  test('but does not count human traffic in a project with a site key, where by default the script counts it', async () => {
    const other = await api.createProject()
    await other.client.views.createSiteKey(other.projectId)
    const response = await send(json(event(), event({ userAgent: assistant })), {}, other)
    expect(response.body).toEqual({ counted: 1, dropped: { counted_elsewhere: 1 }, isDuplicate: false })
  })

  test('JSON and NDJSON, compressed or not', async () => {
    const site = await createSite()
    const ndjson = { 'content-type': 'application/x-ndjson; charset=utf-8' }
    const gzip = { 'content-encoding': 'gzip' }
    const lines = `${JSON.stringify(event())}\r\n\n${JSON.stringify(event())}`
    expect((await send(lines, ndjson, site)).body).toMatchObject({ counted: 2 })
    expect((await send(gzipSync(lines), { ...ndjson, ...gzip }, site)).body).toMatchObject({ counted: 2 })
    expect((await send(gzipSync(json(event())), gzip, site)).body).toMatchObject({ counted: 1 })
    expect((await send(json(), {}, site)).body).toMatchObject({ counted: 0 })
    expect(await countBuffered(site.projectId)).toBe(5)
  })

  test('10,000 requests at once', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => event({ path: `/page/${index}` }))
    expect((await send(json(...many))).body).toMatchObject({ counted: 10_000 })
  })

  test('a batch that is sent again with the same idempotency key, and counts it once', async () => {
    const site = await createSite()
    const headers = { 'idempotency-key': 'the first hour' }
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(json(event()), headers, site)))
    expect(responses.map(({ body }) => body.isDuplicate).toSorted()).toEqual([false, true, true, true, true])
    expect(await countBuffered(site.projectId)).toBe(1)
  })
})

describe('rejects', () => {
  test.each([
    ['body/views/1/userAgent is missing.', json(event(), { path: '/a' })],
    ['body/views/0/path is missing.', json({ userAgent: person })],
    ['body/views/0/path must be a string.', json(event({ path: 1 }))],
    ['body/views/0/at must be an ISO 8601 date-time.', json(event({ at: 'yesterday' }))],
    ['body/views/0/at must be an ISO 8601 date-time.', json(event({ at: '2026-13-01T00:00:00Z' }))],
    ['body/views/0/at must be an ISO 8601 date-time.', json(event({ at: '2026-02-30T12:00:00+01:00' }))],
    ['body/views/0/status must be an HTTP status.', json(event({ status: '200' }))],
    ['body/views/0/prefetch must be a boolean.', json(event({ prefetch: null }))],
    ['body/views/0/address is not a known field.', json(event({ address: '192.0.2.1' }))],
    ['body/views/0/__proto__ is not a known field.', '{"views":[{"path":"/a","userAgent":"","__proto__":{}}]}'],
    ['body/views/0/path must be well-formed Unicode without NUL.', '{"views":[{"path":"\\ud800","userAgent":""}]}'],
    ['body/views/0 must be an object.', '{"views":[[]]}'],
    ['body/views must be an array.', '{"views":{}}'],
    ['body/project is not a known field.', '{"project":1,"views":[]}'],
    ['body must be an object.', '[]'],
    ['body is not valid JSON.', '{'],
  ])('%s', async (detail, body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'invalid_request', detail } })
  })

  test('an invalid line, by its number', async () => {
    const body = `${JSON.stringify(event())}\n{"path":"/a"}\n`
    const response = await send(body, { 'content-type': 'application/x-ndjson' })
    expect(response.body.detail).toBe('body/line 2/userAgent is missing.')
  })

  test('other media types and encodings', async () => {
    expect((await send(json(event()), { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send(json(event()), { 'content-encoding': 'br' })).status).toBe(415)
    expect((await send('not gzip', { 'content-encoding': 'gzip' })).status).toBe(400)
    expect((await send(gzipSync(json(event())).subarray(0, 30), { 'content-encoding': 'gzip' })).status).toBe(400)
  })

  test('too many requests, a body that is too large, and a gzip bomb', async () => {
    expect((await send(json(...Array(10_001).fill(event())))).status).toBe(400)
    expect((await send(' '.repeat(9 * 1024 * 1024))).status).toBe(413)
    expect((await send(`{"views":[${'[],'.repeat(2_000_000)}[]]}`)).status).toBe(400)
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, ' '))
    const before = process.memoryUsage().rss
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(bomb, { 'content-encoding': 'gzip' })))
    for (const { status } of responses) expect([413, 503]).toContain(status)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  test('callers without access', async () => {
    for (const { code, client } of await api.deniedCallers(projectId, 'analytics:write')) {
      await expect(client.views.ingest(projectId, { views: [] })).rejects.toMatchObject({ code })
    }
  })
})
