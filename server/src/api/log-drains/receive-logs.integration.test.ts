import { createHash, createHmac } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { TokenBuckets } from '../../analytics/collect/token-buckets.ts'
import { PostgresViewBuffer } from '../../analytics/collect/view-buffer.ts'

const api = await startTestApi(inject('services'), 'log-drains')
afterAll(() => api.drop())

const project = await api.createProject()
await api.stores.analyticsSettings.change(project.projectId, { humanSource: 'servers' }, { kind: 'operator' })

interface Answer {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

async function call(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${api.url}${path}`, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} }
}

const manage = (method: string, path = '', body?: object, key = project.secret) =>
  call(`/v1/analytics/${project.projectId}/log-drains${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

async function createDrain(format: string, more: object = {}) {
  const { status, body } = await manage('POST', '', { name: `From ${format}`, format, ...more })
  expect(status).toBe(201)
  const { id } = body.logDrain as { id: string }
  return { id, path: `/v1/log-drains/${id}`, secret: String(body.secret) }
}

type Drain = Awaited<ReturnType<typeof createDrain>>

const deliver = (drain: Drain, body: string | Buffer, headers: Record<string, string> = {}, query = '') =>
  call(drain.path + query, { method: 'POST', headers: { 'content-type': 'application/x-ndjson', ...headers }, body })
const bearer = ({ secret }: Drain) => ({ authorization: `Bearer ${secret}` })

async function countedPaths(prefix: string): Promise<string[]> {
  const { rows } = await api.pool.query<{ body: Buffer }>('SELECT body FROM view_batch')
  return rows
    .flatMap(({ body }) => gunzipSync(body).toString().trim().split('\n'))
    .map((line) => (JSON.parse(line) as string[])[2] ?? '')
    .filter((path) => path.startsWith(prefix))
    .sort()
}

const startedAt = new Date().toISOString() // a line that is delivered again has the same time
const cloudflare = (id: string, path: string, more: object = {}) =>
  JSON.stringify({
    ClientRequestMethod: 'GET',
    ClientRequestURI: path,
    ClientRequestHost: 'docs.example.com',
    ClientRequestUserAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    EdgeResponseStatus: 200,
    EdgeStartTimestamp: startedAt,
    RayID: id,
    ...more,
  })

const vercel = (requestId: string, path: string) => ({
  deploymentId: 'dpl_1',
  projectId: 'prj_1',
  requestId,
  proxy: {
    timestamp: Date.now(),
    method: 'GET',
    host: 'docs.example.com',
    path,
    userAgent: ['curl/8'],
    statusCode: 200,
  },
})

const shortly = { timeout: 20_000, interval: 200 } // written every 3 s

test('a line counts once, whatever batch it is delivered in', async () => {
  const drain = await createDrain('cloudflare', { host: 'Docs.Example.com' })
  const first = [
    cloudflare('r1', '/cf/1'),
    cloudflare('r2', '/cf/2'),
    cloudflare('r3', '/cf/3.png'),
    cloudflare('r4', '/cf/4', { ClientRequestHost: 'www.example.com' }),
    'not JSON',
  ].join('\n')
  expect(await deliver(drain, first, bearer(drain))).toMatchObject({
    status: 200,
    body: { counted: 2, repeated: 0, dropped: { not_a_page: 1 }, ignored: 1, unreadable: 1 },
  })
  const second = gzipSync([cloudflare('r2', '/cf/2'), cloudflare('r5', '/cf/5'), cloudflare('r5', '/cf/5')].join('\n'))
  const gzipped = { ...bearer(drain), 'content-encoding': 'gzip' }
  expect((await deliver(drain, second, gzipped)).body).toMatchObject({ counted: 1, repeated: 2 })
  expect((await deliver(drain, second, gzipped)).body).toMatchObject({ counted: 0, repeated: 3 })
  // Another drain of the project receives the same requests, for example one that replaces it.
  const replacement = await createDrain('cloudflare')
  expect((await deliver(replacement, first, bearer(replacement))).body).toMatchObject({ counted: 1, repeated: 2 })
  expect(await countedPaths('/cf/')).toEqual(['/cf/1', '/cf/2', '/cf/4', '/cf/5'])
})

test('lines without an ID count once if the same batch is delivered again', async () => {
  const drain = await createDrain('nginx')
  const time = new Date().toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1/$2/$3:$4 +0000')
  const line = `192.0.2.1 - - [${time}] "GET /nginx/1 HTTP/1.1" 200 5 "-" "curl/8"`
  const body = `${line}\n${line}\n`
  expect((await deliver(drain, body, bearer(drain))).body).toMatchObject({ counted: 2, repeated: 0 })
  expect((await deliver(drain, body, bearer(drain))).body).toMatchObject({ counted: 0, repeated: 2 })
  expect((await deliver(drain, `${body}${line}\n`, bearer(drain))).body).toMatchObject({ counted: 3 })
})

test('Vercel checks the URL, and signs each delivery', async () => {
  const drain = await createDrain('vercel')
  expect((await call(drain.path)).headers.has('x-vercel-verify')).toBe(false)
  expect((await manage('PATCH', `/${drain.id}`, { verification: 'f2a9c1' })).status).toBe(200)
  const check = await deliver(drain, '[]')
  expect([check.status, check.headers.get('x-vercel-verify')]).toEqual([200, 'f2a9c1'])
  expect((await call(drain.path)).headers.get('x-vercel-verify')).toBe('f2a9c1')

  const body = JSON.stringify([vercel('q1', '/vercel/1'), vercel('q1', '/vercel/1'), vercel('q2', '/vercel/2')])
  const sign = (text: string, secret = drain.secret) => ({
    'x-vercel-signature': createHmac('sha1', secret).update(text).digest('hex'),
  })
  expect((await deliver(drain, body, sign(body))).body).toMatchObject({ counted: 2, repeated: 1 })
  const changed = body.replace('/vercel/2', '/vercel/3')
  for (const forged of [sign(body), sign(changed, 'another secret'), { 'x-vercel-signature': '' }, {}])
    expect((await deliver(drain, changed, forged)).status).toBe(401)
  expect(await countedPaths('/vercel/')).toEqual(['/vercel/1', '/vercel/2'])
})

test('the secret can be in the URL, or in the header of Amazon Data Firehose', async () => {
  const pubsub = await createDrain('google-cloud')
  const entry = {
    insertId: '1',
    timestamp: new Date().toISOString(),
    httpRequest: {
      requestMethod: 'GET',
      requestUrl: 'https://docs.example.com/gcp/1',
      status: 200,
      userAgent: 'curl/8',
    },
  }
  const message = { data: Buffer.from(JSON.stringify(entry)).toString('base64') }
  const push = JSON.stringify({ message, subscription: 's' })
  expect((await deliver(pubsub, push, {}, `?token=${pubsub.secret}`)).body).toMatchObject({ counted: 1 })
  expect((await deliver(pubsub, push, {}, `?token=${pubsub.secret}`)).body).toMatchObject({ repeated: 1 })

  const firehose = await createDrain('cloudfront')
  const [date, time] = new Date().toISOString().split(/[T.]/)
  const line = [
    date,
    time,
    'LAX1',
    1,
    '192.0.2.1',
    'GET',
    'd1.cloudfront.net',
    '/cloudfront/1',
    200,
    '-',
    'curl/8',
    '-',
  ]
  const records = [{ data: Buffer.from(line.join('\t')).toString('base64') }]
  const send = (requestId: string, key: string, body?: string) =>
    deliver(firehose, body ?? JSON.stringify({ requestId, timestamp: Date.now(), records }), {
      'x-amz-firehose-access-key': key,
      'x-amz-firehose-request-id': requestId,
    })
  // A repetition of lines without an ID can have another request ID and timestamp.
  for (const requestId of ['r-1', 'r-2'])
    expect(await send(requestId, firehose.secret)).toMatchObject({
      status: 200,
      body: { requestId, timestamp: expect.any(Number) },
    })
  expect(await countedPaths('/cloudfront/')).toEqual(['/cloudfront/1'])
  // What is answered with 413 is discarded by Firehose, everything else is kept.
  const tooLarge = await send('r-3', firehose.secret, 'x'.repeat(8 * 1024 * 1024 + 1))
  expect(tooLarge).toMatchObject({
    status: 503,
    body: { requestId: 'r-3', errorMessage: expect.stringContaining('8388608') },
  })
  expect(await send('r-4', 'wrong')).toMatchObject({ status: 401, body: { requestId: 'r-4' } })
  const unknown = { ...firehose, path: '/v1/log-drains/drn_01k5p7q8r9s0t1v2w3x4y5z6a7' }
  expect(await deliver(unknown, 'x', { 'x-amz-firehose-request-id': 'r-5' })).toMatchObject({
    status: 401,
    body: { requestId: 'r-5', errorMessage: expect.any(String) },
  })
})

test('the secret can be the password of Basic authentication, and deliveries can be sent with PUT', async () => {
  const drain = await createDrain('akamai')
  const entry = (reqId: string) =>
    JSON.stringify({
      reqTimeSec: Date.now() / 1000,
      reqId,
      reqMethod: 'GET',
      reqPath: `akamai/${reqId}`,
      statusCode: 200,
    })
  const basic = (password: string) => ({
    authorization: `Basic ${Buffer.from(`colophon:${password}`).toString('base64')}`,
  })
  const put = (id: string, headers: Record<string, string>) =>
    call(drain.path, { method: 'PUT', headers, body: entry(id) })
  expect(await put('1', basic(drain.secret))).toMatchObject({ status: 200, body: { counted: 1 } })
  expect((await put('2', basic(project.secret))).status).toBe(401)
  expect((await put('3', { authorization: 'Basic !' })).status).toBe(401)
  expect(await countedPaths('/akamai/')).toEqual(['/akamai/1'])
  const deletion = await call(drain.path, { method: 'DELETE', headers: bearer(drain) })
  expect([deletion.status, deletion.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, PUT'])
})

test('nothing is counted without the secret of the drain', async () => {
  const drain = await createDrain('cloudflare')
  const other = await createDrain('cloudflare')
  const line = cloudflare('forged', '/forged/1')
  for (const [headers, query] of [
    [{}, ''],
    [bearer(other), ''],
    [{ authorization: `Bearer ${project.secret}` }, ''],
    [{ authorization: `Bearer ${drain.secret}x` }, ''],
    [{}, `?token=${other.secret}`],
    [{}, `?token=${drain.secret}&token=${drain.secret}`],
    [{ 'x-vercel-signature': createHmac('sha1', drain.secret).update(line).digest('hex') }, ''],
  ] as const)
    expect((await deliver(drain, line, headers, query)).status).toBe(401)
  expect((await deliver({ ...drain, path: '/v1/log-drains/drn_1' }, line, bearer(drain))).status).toBe(401)
  expect((await manage('DELETE', `/${drain.id}`)).status).toBe(200)
  expect((await deliver(drain, line, bearer(drain))).status).toBe(401)
  expect(await countedPaths('/forged/')).toEqual([])
})

test('a delivery that is cut off is refused, and counts when it is sent again', async () => {
  const drain = await createDrain('vercel')
  const body = JSON.stringify([vercel('c1', '/cut/1')])
  expect((await deliver(drain, body.slice(0, -10), bearer(drain))).status).toBe(400)
  expect(
    (await deliver(drain, gzipSync(body).subarray(0, 40), { ...bearer(drain), 'content-encoding': 'gzip' })).status,
  ).toBe(400)
  expect((await deliver(drain, body, bearer(drain))).body).toMatchObject({ counted: 1 })
})

test('a check with an empty body tells whether the secret is right', async () => {
  const drain = await createDrain('akamai')
  expect((await call(drain.path, { method: 'POST', headers: bearer(drain) })).status).toBe(200)
  expect((await call(drain.path, { method: 'POST' })).status).toBe(401)
})

test('only the Fastly services that owners have entered may send logs', async () => {
  const challenge = () => fetch(`${api.url}/.well-known/fastly/logging/challenge`)
  expect((await challenge()).status).toBe(404)
  for (const service of ['SU1Z0isxPaozGVKXdv0eY', '7i6HN3TK9wS159v2gPAZ8A']) {
    const drain = await createDrain('fastly')
    await manage('PATCH', `/${drain.id}`, { verification: service })
  }
  const hashes = ['SU1Z0isxPaozGVKXdv0eY', '7i6HN3TK9wS159v2gPAZ8A'].map((id) =>
    createHash('sha256').update(id).digest('hex'),
  )
  const response = await challenge()
  expect(response.status).toBe(200)
  expect((await response.text()).trim().split('\n').sort()).toEqual(hashes.sort())
})

test('two requests with the same ID of a host that does not promise unique ones are two views', async () => {
  const drain = await createDrain('cloudflare')
  const at = Date.now() - 60_000
  const line = (path: string, offsetMs: number) =>
    cloudflare('3a6050bcbe121a87', path, { EdgeStartTimestamp: new Date(at + offsetMs).toISOString() })
  const body = [line('/same/1', 0), line('/same/2', 0), line('/same/1', 1_000)].join('\n')
  expect((await deliver(drain, body, bearer(drain))).body).toMatchObject({ counted: 3, repeated: 0 })
  expect((await deliver(drain, body, bearer(drain))).body).toMatchObject({ counted: 0, repeated: 3 })
})

test('with a host, lines that have none are reported as unreadable', async () => {
  const drain = await createDrain('nginx', { host: 'docs.example.com' })
  const line = '192.0.2.1 - - [28/Sep/2026:03:00:00 +0000] "GET /nohost/1 HTTP/1.1" 200 5 "-" "curl/8"'
  expect((await deliver(drain, line, bearer(drain))).body).toMatchObject({ counted: 0, ignored: 0, unreadable: 1 })
})

test('a delivery of which a part is stored counts once, and completely when it is sent again', async () => {
  const drain = await createDrain('cloudflare')
  const lines = Array.from({ length: 30 }, (_, index) => cloudflare(`partly-${index}`, `/partly/${index}`))
  lines.push(cloudflare('partly-css', '/partly.css'))
  let appended = 0
  const append = PostgresViewBuffer.prototype.append
  const failing = vi.spyOn(PostgresViewBuffer.prototype, 'append').mockImplementation(function (
    this: PostgresViewBuffer,
    delivery,
  ) {
    return ++appended % 3 === 0 ? Promise.reject(new Error('the connection is lost')) : append.call(this, delivery)
  })
  expect((await deliver(drain, lines.join('\n'), bearer(drain))).status).toBe(500)
  failing.mockRestore()
  expect((await deliver(drain, lines.join('\n'), bearer(drain))).body).toMatchObject({ counted: 10, repeated: 20 })
  const readDays = async () => {
    const { body } = await manage('GET')
    return (body.logDrains as { id: string; days: unknown }[]).find(({ id }) => id === drain.id)?.days
  }
  await expect.poll(readDays, shortly).toMatchObject([{ counted: 30, repeated: 20, dropped: 1 }])
})

test('the bytes of a project are limited, uncompressed', async () => {
  const drain = await createDrain('cloudflare')
  const body = cloudflare('bytes', '/bytes/1')
  const gzipped = { ...bearer(drain), 'content-encoding': 'gzip' }
  const consume = vi.spyOn(TokenBuckets.prototype, 'tryConsume').mockReturnValue(false)
  onTestFinished(() => consume.mockRestore())
  const refused = await deliver(drain, gzipSync(body), gzipped)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  expect(consume).toHaveBeenCalledExactlyOnceWith(project.projectId, expect.any(Number), body.length)
  consume.mockRestore()
  expect((await deliver(drain, gzipSync(body), gzipped)).body).toMatchObject({ counted: 1 })
})

test('a delivery with too many lines is refused', async () => {
  const drain = await createDrain('cloudflare')
  expect((await deliver(drain, '\n'.repeat(200_000), bearer(drain))).status).toBe(200)
  expect((await deliver(drain, '\n'.repeat(200_001), bearer(drain))).status).toBe(413)
})

test('a compressed body that does not say so is refused instead of lost', async () => {
  const drain = await createDrain('cloudflare')
  const body = gzipSync(cloudflare('gzip', '/gzip/1'))
  expect((await deliver(drain, body, bearer(drain))).status).toBe(400)
  expect((await deliver(drain, body, { ...bearer(drain), 'content-encoding': 'gzip' })).body).toMatchObject({
    counted: 1,
  })
})

test('only Vercel and Fastly verify the URL, and Fastly with the ID of a service', async () => {
  const verify = async (format: string, verification: string) =>
    (await manage('PATCH', `/${(await createDrain(format)).id}`, { verification })).status
  expect(await verify('cloudflare', 'f2a9c1')).toBe(400)
  expect(await verify('fastly', '*')).toBe(400)
  expect(await verify('fastly', '7i6HN3TK9wS159v2gPAZ8A')).toBe(200)
})

test('a body of the maximum size is counted while others are served', async () => {
  const drain = await createDrain('cloudflare')
  const lines: string[] = []
  for (let size = 0; size < 8_000_000; size += (lines.at(-1)?.length ?? 0) + 1)
    lines.push(cloudflare(`big-${lines.length}`, lines.length % 4 === 0 ? `/big/${lines.length % 50}` : '/big.css'))
  let longestMs = 0
  let isDone = false
  const pinging = (async () => {
    while (!isDone) {
      const sentAt = performance.now()
      await call('/healthz')
      longestMs = Math.max(longestMs, performance.now() - sentAt)
    }
  })()
  const { status, body } = await deliver(drain, lines.join('\n'), bearer(drain))
  isDone = true
  await pinging
  const views = Math.ceil(lines.length / 4)
  expect([status, body]).toMatchObject([200, { counted: views, dropped: { not_a_page: lines.length - views } }])
  expect(longestMs).toBeLessThan(2_000)
  expect((await deliver(drain, `${lines.join('\n')}${'x'.repeat(400_000)}`, bearer(drain))).status).toBe(413)
})

test('at most the daily number of views of a project is counted', async () => {
  const limited = await startTestApi(inject('services'), 'log drain quota', {
    COLOPHON_LOG_DRAINS_MAX_PER_DAY_PER_PROJECT: '3',
  })
  try {
    const { projectId, secret } = await limited.createProject()
    const send = (url: string, key: string, body: string) =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      })
    const created = await send(
      `${limited.url}/v1/analytics/${projectId}/log-drains`,
      secret,
      JSON.stringify({ name: 'Docs', format: 'cloudflare' }),
    )
    const { logDrain, secret: drainSecret } = (await created.json()) as { logDrain: { id: string }; secret: string }
    const deliveries = ['a', 'b'].map((name) => [1, 2, 3].map((id) => cloudflare(`${name}${id}`, '/limit')).join('\n'))
    const counts: unknown[] = []
    for (const body of deliveries)
      counts.push(await (await send(`${limited.url}/v1/log-drains/${logDrain.id}`, drainSecret, body)).json())
    expect(counts).toMatchObject([
      { counted: 3, dropped: {} },
      { counted: 0, dropped: { daily_limit: 3 } },
    ])
  } finally {
    await limited.drop()
  }
})

test('shows when the first logs arrived that can be read, and never the secret', async () => {
  const drain = await createDrain('cloudflare', { host: 'docs.example.com' })
  const find = async () => {
    const { body } = await manage('GET')
    expect(JSON.stringify(body)).not.toContain(drain.secret)
    return (body.logDrains as { id: string }[]).find(({ id }) => id === drain.id)
  }
  const nothing = { firstEventAt: null, lastEventAt: null }
  expect(await find()).toMatchObject({
    name: 'From cloudflare',
    host: 'docs.example.com',
    url: expect.stringContaining(drain.path),
    createdBy: expect.stringMatching(/^key_/),
    days: [],
    ...nothing,
  })
  await deliver(drain, '', bearer(drain)) // a check of the URL
  await deliver(drain, 'not JSON', bearer(drain))
  await deliver(drain, cloudflare('other', '/first/1', { ClientRequestHost: 'other.example' }), bearer(drain))
  const day = new Date().toISOString().slice(0, 10)
  const unread = { day, counted: 0, repeated: 0, dropped: 0, ignored: 1, unreadable: 1 }
  await expect.poll(find, shortly).toMatchObject({ ...nothing, days: [unread] })
  const lines = [cloudflare('first', '/first/1'), cloudflare('first', '/first/1'), cloudflare('css', '/first.css')]
  await deliver(drain, lines.join('\n'), bearer(drain))
  await expect.poll(find, shortly).toMatchObject({
    firstEventAt: expect.any(String),
    lastEventAt: expect.any(String),
    days: [{ ...unread, counted: 1, repeated: 1, dropped: 1 }],
  })
})

test('only secrets that a host signs with are stored', async () => {
  const cloudflareDrain = await createDrain('cloudflare')
  const vercelDrain = await createDrain('vercel')
  const { rows } = await api.pool.query<{ id: string; row: string }>('SELECT id, log_drain::text AS row FROM log_drain')
  const rowOf = ({ id }: Drain) => rows.find((row) => row.id === id)?.row ?? ''
  expect(rowOf(cloudflareDrain)).not.toContain(cloudflareDrain.secret)
  expect(rowOf(vercelDrain)).toContain(vercelDrain.secret)
})

test('strangers can try a limited number of secrets', async () => {
  const drain = await createDrain('cloudflare')
  const attempts = Array.from({ length: 80 }, () => deliver(drain, 'x', { authorization: 'Bearer x' }))
  expect((await Promise.all(attempts)).some(({ status }) => status === 429)).toBe(true)
})
