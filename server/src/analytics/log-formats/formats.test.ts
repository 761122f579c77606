/** One sample of each format as its vendor documents it, with documentation addresses instead of real ones. */
import { expect, test } from 'vitest'
import type { LogFormat } from './log-format.ts'
import { createLogLineParser } from './parse-log-line.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/78.0.3904.108 Safari/537.36'

const cloudfrontHeader =
  '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query ' +
  'cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken'

const cloudfrontId = 'SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ=='

const cloudfrontLine =
  '2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.100\tGET\td111111abcdef8.cloudfront.net\t/caf%25C3%25A9.html\t200\t-\t' +
  `${chrome.replaceAll(' ', '%20')}\ta=b&c=d\t-\tHit\t${cloudfrontId}\t` +
  'Docs.Example.com\thttps\t23\t0.001'

const samples: readonly { format: LogFormat; title: string; lines: readonly string[]; expected: object }[] = [
  {
    format: 'cloudfront',
    title: 'with a header, percent-encoded twice, with an alternate domain name',
    lines: ['#Version: 1.0', cloudfrontHeader, cloudfrontLine],
    expected: {
      method: 'GET',
      path: '/caf%C3%A9.html?a=b&c=d',
      status: 200,
      userAgent: chrome,
      at: new Date('2019-12-04T21:02:31Z'),
      host: 'docs.example.com',
    },
  },
  {
    format: 'cloudfront',
    title: 'with other fields in its header',
    lines: ['#Fields: date time cs-method cs-uri-stem sc-status', '2026-08-19\t18:06:38\tHEAD\t/\t304'],
    expected: { method: 'HEAD', path: '/', status: 304, userAgent: '', host: undefined },
  },
  {
    format: 'cloudfront',
    title: 'without a header',
    lines: [cloudfrontLine],
    expected: { path: '/caf%C3%A9.html?a=b&c=d', userAgent: chrome, host: 'docs.example.com', requestId: cloudfrontId },
  },
  {
    format: 'cloudfront',
    title: 'as JSON (version 2)',
    lines: [
      JSON.stringify({
        date: '2024-11-14',
        time: '22:21:14',
        'x-edge-location': 'SOF50-P2',
        'c-ip': '192.0.2.100',
        'cs-method': 'GET',
        'cs(Host)': 'd111111abcdef8.cloudfront.net',
        'cs-uri-stem': '/index.html',
        'sc-status': '200',
        'cs(User-Agent)': chrome.replaceAll(' ', '%20'),
        'cs-uri-query': '-',
      }),
    ],
    expected: {
      method: 'GET',
      path: '/index.html',
      status: 200,
      userAgent: chrome,
      at: new Date('2024-11-14T22:21:14Z'),
    },
  },
  {
    format: 'cloudfront',
    title: 'as JSON with the time in milliseconds only',
    lines: [
      JSON.stringify({
        'timestamp(ms)': '1731622874123',
        'cs-method': 'GET',
        'cs-uri-stem': '/a',
        'sc-status': '200',
        'x-host-header': 'docs.example.com',
      }),
    ],
    expected: { path: '/a', at: new Date(1_731_622_874_123), host: 'docs.example.com' },
  },
  {
    format: 'json',
    title: 'as nginx and Fastly are configured to write it',
    lines: [
      JSON.stringify({
        at: '1696000000.123',
        method: 'GET',
        host: 'docs.example.com',
        path: '/start?x=1',
        status: 200,
        userAgent: 'GPTBot/1.2',
        accept: 'text/markdown',
        secPurpose: 'prefetch',
        id: '4b52e2c4a9f5',
      }),
    ],
    expected: {
      method: 'GET',
      path: '/start?x=1',
      status: 200,
      userAgent: 'GPTBot/1.2',
      accept: 'text/markdown',
      prefetch: true,
      at: new Date(1_696_000_000_123),
      host: 'docs.example.com',
      requestId: '4b52e2c4a9f5',
    },
  },
  {
    format: 'cloudflare',
    title: 'with the time in RFC 3339 and logged headers',
    lines: [
      JSON.stringify({
        ClientIP: '192.0.2.100',
        ClientRequestHost: 'docs.example.com',
        ClientRequestMethod: 'GET',
        ClientRequestSource: 'eyeball',
        ClientRequestURI: '/start?x=1',
        ClientRequestUserAgent: 'GPTBot/1.2',
        EdgeResponseStatus: 200,
        EdgeStartTimestamp: '2023-03-03T05:29:05Z',
        RayID: '3a6050bcbe121a87',
        RequestHeaders: { accept: 'text/markdown', 'sec-purpose': 'prefetch' },
      }),
    ],
    expected: {
      path: '/start?x=1',
      userAgent: 'GPTBot/1.2',
      requestId: '3a6050bcbe121a87',
      accept: 'text/markdown',
      prefetch: true,
      at: new Date('2023-03-03T05:29:05Z'),
      host: 'docs.example.com',
    },
  },
  ...[1_677_821_345, 1_677_821_345_000_000_000].map((EdgeStartTimestamp) => ({
    format: 'cloudflare' as const,
    title: `with the time as ${EdgeStartTimestamp}`,
    lines: [
      JSON.stringify({
        ClientRequestMethod: 'GET',
        ClientRequestURI: '/',
        EdgeResponseStatus: 200,
        EdgeStartTimestamp,
      }),
    ],
    expected: { at: new Date('2023-03-03T05:29:05Z') },
  })),
  {
    format: 'fastly',
    title: 'the combined format in syslog',
    lines: [
      '<134>2016-07-04T22:37:26Z cache-sjc3128 LogTest[62959]: 192.0.2.100 "-" "-" [04/Jul/2016:22:37:26 +0000] "GET /a?b HTTP/1.1" 200 71 "-" "curl/8.0"',
    ],
    expected: { method: 'GET', path: '/a?b', status: 200, userAgent: 'curl/8.0', at: new Date('2016-07-04T22:37:26Z') },
  },
  {
    format: 'google-cloud',
    title: 'of a load balancer with Cloud CDN',
    lines: [
      JSON.stringify({
        insertId: '1oek5rg3l3fxj7',
        jsonPayload: { '@type': 'type.googleapis.com/google.cloud.loadbalancing.type.LoadBalancerLogEntry' },
        httpRequest: {
          requestMethod: 'GET',
          requestUrl: 'https://docs.example.com/caf%C3%A9?x=1',
          requestSize: '577',
          status: 304,
          userAgent: chrome,
          remoteIp: '192.0.2.100',
        },
        resource: { type: 'http_load_balancer' },
        timestamp: '2020-06-08T23:41:25.078651Z',
      }),
    ],
    expected: {
      path: '/caf%C3%A9?x=1',
      status: 304,
      userAgent: chrome,
      at: new Date('2020-06-08T23:41:25.078Z'),
      host: 'docs.example.com',
    },
  },
  {
    format: 'azure',
    title: 'of Front Door, with numbers as text and a port',
    lines: [
      JSON.stringify({
        time: '2020-06-09T22:32:17.8383427Z',
        category: 'FrontdoorAccessLog',
        operationName: 'Microsoft.Network/FrontDoor/AccessLog/Write',
        properties: {
          trackingReference: '08Q3gXgAAAAAe0s71BET',
          httpMethod: 'GET',
          requestUri: 'https://docs.example.com:443/?q=%27%20or%201=1',
          userAgent: chrome,
          clientIp: '192.0.2.100',
          httpStatusCode: '403',
          isReceivedFromClient: 'true',
        },
      }),
    ],
    expected: { path: '/?q=%27%20or%201=1', status: 403, userAgent: chrome, host: 'docs.example.com' },
  },
  {
    format: 'akamai',
    title: 'of DataStream 2, percent-encoded and with numbers as text',
    lines: [
      JSON.stringify({
        version: 1,
        streamId: '12345',
        reqId: '1239f220',
        reqTimeSec: '1573840000.123',
        cliIP: '192.0.2.100',
        statusCode: '200',
        reqHost: 'docs.example.com',
        reqMethod: 'GET',
        reqPath: '/path1/path2/file.html',
        queryStr: 'param=value',
        UA: 'Mozilla%2F5.0+%28compatible%3B+GPTBot%2F1.2%3B+%2Bhttps%3A%2F%2Fopenai.com%2Fgptbot%29',
      }),
    ],
    expected: {
      path: '/path1/path2/file.html?param=value',
      status: 200,
      userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      at: new Date(1_573_840_000_123),
      host: 'docs.example.com',
    },
  },
  {
    format: 'akamai',
    title: 'with a user agent that is not encoded',
    lines: [
      JSON.stringify({
        reqTimeSec: 1573840000,
        reqMethod: 'GET',
        reqPath: 'a',
        statusCode: 200,
        UA: 'A (x; +https://a.example) 1',
      }),
    ],
    expected: { path: '/a', userAgent: 'A (x; +https://a.example) 1' },
  },
  {
    format: 'traefik',
    title: 'as JSON, with headers kept',
    lines: [
      JSON.stringify({
        ClientAddr: '192.0.2.100:52097',
        ClientHost: '192.0.2.100',
        DownstreamStatus: 200,
        RequestHost: 'docs.example.com',
        RequestMethod: 'GET',
        RequestPath: '/start',
        StartUTC: '2026-09-28T03:00:00.123456789Z',
        'request_User-Agent': 'ChatGPT-User/1.0',
        request_Accept: 'text/markdown, */*',
        time: '2026-09-28T03:00:01Z',
      }),
    ],
    expected: {
      path: '/start',
      userAgent: 'ChatGPT-User/1.0',
      accept: 'text/markdown, */*',
      at: new Date('2026-09-28T03:00:00.123Z'),
      host: 'docs.example.com',
    },
  },
  {
    format: 'traefik',
    title: 'in the common log format',
    lines: [
      '192.0.2.100 - - [28/Sep/2026:03:00:00 +0000] "GET /a HTTP/2.0" 200 12 "-" "curl/8.0" 17 "docs@docker" "http://192.0.2.9:80" 3ms',
    ],
    expected: { path: '/a', status: 200, userAgent: 'curl/8.0' },
  },
  {
    format: 'vercel',
    title: 'a request to its proxy',
    lines: [
      JSON.stringify({
        id: '1573817187330377061717300000',
        deploymentId: 'dpl_233NRGRjVZX1caZrXWtz5g1TAksD',
        source: 'build',
        host: 'docs.vercel.app',
        timestamp: 1573817187330,
        projectId: 'gdufoJxB6b9b1fEqr1jUtFkyavUU',
        level: 'info',
        message: 'Building…',
      }),
      JSON.stringify({
        id: '1573817250283254651097202070',
        deploymentId: 'dpl_233NRGRjVZX1caZrXWtz5g1TAksD',
        source: 'static',
        host: 'docs.vercel.app',
        timestamp: 1573817250283,
        projectId: 'gdufoJxB6b9b1fEqr1jUtFkyavUU',
        level: 'info',
        path: '/start',
        requestId: '643af4e3-975a-4cc7-9e7a-1eda11539d90',
        proxy: {
          timestamp: 1573817250172,
          method: 'GET',
          host: 'docs.example.com',
          path: '/start?x=1',
          userAgent: [chrome],
          referer: '',
          statusCode: 200,
          clientIp: '192.0.2.100',
          region: 'sfo1',
        },
      }),
    ],
    expected: {
      method: 'GET',
      path: '/start?x=1',
      status: 200,
      userAgent: chrome,
      at: new Date(1573817250172),
      host: 'docs.example.com',
      requestId: '643af4e3-975a-4cc7-9e7a-1eda11539d90',
    },
  },
  {
    format: 'netlify',
    title: 'a request, after an entry of a function',
    lines: [
      JSON.stringify({ log_type: 'functions', site_id: 'f6e0', timestamp: '2026-02-03T04:05:06.789Z', message: 'x' }),
      JSON.stringify({
        log_type: 'traffic',
        site_id: 'f6e0',
        request_id: '01JQ0Y7NKZ8Z',
        timestamp: '2026-02-03T04:05:06.789Z',
        method: 'GET',
        url: 'https://docs.example.com/start?x=1',
        status_code: 200,
        client_ip: '192.0.2.100',
        user_agent: chrome,
      }),
    ],
    expected: {
      path: '/start?x=1',
      status: 200,
      userAgent: chrome,
      at: new Date('2026-02-03T04:05:06.789Z'),
      host: 'docs.example.com',
      requestId: '01JQ0Y7NKZ8Z',
    },
  },
]

test.each(samples)('$format: $title', ({ format, lines, expected }) => {
  for (const options of [{}, { format }]) {
    const read = createLogLineParser(options)
    const parsed = lines.map((line) => read(line))
    expect(parsed.at(-1)).toMatchObject(expected)
    expect(parsed.slice(0, -1).every((result) => result === 'ignored')).toBe(true)
    expect(JSON.stringify(parsed)).not.toContain('192.0.2')
  }
})

test('each sample of JSON or CloudFront is in one format only', () => {
  const formats = [
    'json',
    'caddy',
    'traefik',
    'cloudfront',
    'cloudflare',
    'google-cloud',
    'azure',
    'akamai',
    'vercel',
    'netlify',
  ] as const
  for (const sample of samples.filter(({ format }) => (formats as readonly string[]).includes(format)))
    for (const format of formats.filter((other) => other !== sample.format))
      expect(createLogLineParser({ format })(sample.lines.at(-1) ?? ''), `${sample.title} as ${format}`).toBeUndefined()
})

test('times in several units, and what is not a time', () => {
  const read = createLogLineParser({ format: 'json' })
  const at = (time: unknown) => {
    const parsed = read(JSON.stringify({ at: time, method: 'GET', path: '/', status: 200 }))
    return typeof parsed === 'object' ? parsed.at.toISOString() : parsed
  }
  for (const time of [1_696_000_000, 1_696_000_000_000, 1_696_000_000_000_000, '1696000000', '2023-09-29T15:06:40Z'])
    expect(at(time), String(time)).toBe('2023-09-29T15:06:40.000Z')
  expect(at('2023-09-29T17:06:40+0200')).toBe('2023-09-29T15:06:40.000Z')
  for (const time of ['2023-09-29 15:06:40', '2023-09-29', 0, -1, 'x', null, {}])
    expect(at(time), String(time)).toBeUndefined()
})

test('lines that a forwarder has wrapped', () => {
  const line = '192.0.2.1 - - [28/Sep/2026:03:00:00 +0000] "GET /a HTTP/2.0" 200 12 "-" "curl/8"'
  for (const wrapped of [
    { date: 1, log: line },
    { message: `${line}\n`, source_type: 'file' },
  ])
    expect(createLogLineParser({ format: 'nginx' })(JSON.stringify(wrapped))).toMatchObject({ path: '/a' })
  const caddy = { ts: 1_696_000_000, status: 200, request: { method: 'GET', uri: '/b' } }
  expect(createLogLineParser({ format: 'caddy' })(JSON.stringify({ log: JSON.stringify(caddy) }))).toMatchObject({
    path: '/b',
  })
})

test('pages that Next.js may have fetched in advance are not views', () => {
  const read = createLogLineParser({ format: 'json' })
  const entry = (path: string) => JSON.stringify({ at: 1_696_000_000, method: 'GET', path, status: 200 })
  expect(read(entry('/a?_rsc=1x2y3'))).toMatchObject({ prefetch: true })
  expect(read(entry('/a?x=1&_rsc=1x2y3'))).toMatchObject({ prefetch: true })
  expect(read(entry('/a_rsc=1'))).toMatchObject({ prefetch: false })
})

test('requests between the servers of a CDN are ignored', () => {
  const akamai = { reqTimeSec: 1_696_000_000, reqMethod: 'GET', statusCode: 200 }
  const readAkamai = createLogLineParser({ format: 'akamai' })
  expect(readAkamai(JSON.stringify({ ...akamai, isMidgress: '1' }))).toBe('ignored')
  // DataStream 2 leaves out fields without a value, here the path of the home page.
  expect(readAkamai(JSON.stringify({ ...akamai, isMidgress: '0' }))).toMatchObject({ path: '/' })
  const azure = (isReceivedFromClient: unknown) =>
    createLogLineParser({ format: 'azure' })(
      JSON.stringify({
        time: '2020-06-09T22:32:17.8383427Z',
        properties: {
          httpMethod: 'GET',
          requestUri: 'https://a.example/',
          httpStatusCode: '200',
          isReceivedFromClient,
        },
      }),
    )
  for (const fromClient of [true, 'true', undefined]) expect(azure(fromClient)).toMatchObject({ path: '/' })
  for (const fromServer of [false, 'false', 'False']) expect(azure(fromServer)).toBe('ignored')
})

test('a header or values that a hostile sender chose take no time', () => {
  const read = createLogLineParser({ format: 'cloudfront' })
  const startedAt = performance.now()
  expect(read(`#Fields:${' '.repeat(100_000)}\u2028x\u2028y`)).toBe('ignored')
  expect(read(`#Fields: ${'x '.repeat(100_000)}`)).toBe('ignored')
  for (let index = 0; index < 1_000; index++) read(`2019-12-04\t21:02:31\t${'a\t'.repeat(100)}`)
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

/** In the text, it becomes an array that is too deep for recursion. */
const deepArray = 'deep array'
const strangeValues: readonly unknown[] = [{ toString: 1 }, deepArray, null, 1, '', '\u2028', [{ toString: 1 }], {}]

/** Copies of the entry, each with a strange value in place of one member, at any depth. */
function* withStrangeMembers(entry: object): Iterable<object> {
  for (const [name, member] of Object.entries(entry)) {
    for (const value of strangeValues) yield { ...entry, [name]: value }
    if (typeof member === 'object' && member !== null && !Array.isArray(member))
      for (const changed of withStrangeMembers(member)) yield { ...entry, [name]: changed }
  }
}

test('a strange value in any member of an entry never throws, so that it does not keep the others from being counted', () => {
  let entries = 0
  for (const { format, lines } of samples)
    for (const line of lines.filter((text) => text.startsWith('{')))
      for (const changed of withStrangeMembers({ ...JSON.parse(line), log: line, message: line })) {
        entries++
        const text = JSON.stringify(changed).replace(`"${deepArray}"`, '['.repeat(20_000) + ']'.repeat(20_000))
        for (const options of [{ format }, {}]) expect(() => createLogLineParser(options)(text)).not.toThrow()
      }
  expect(entries).toBeGreaterThan(1_000)
  expect(new Set(samples.map(({ format }) => format)).size).toBeGreaterThan(5)
})

test('requests that come from Cloudflare itself are ignored', () => {
  const read = createLogLineParser()
  const entry = { ClientRequestMethod: 'GET', ClientRequestURI: '/', EdgeResponseStatus: 200, EdgeStartTimestamp: 1 }
  const timed = { ...entry, EdgeStartTimestamp: '2023-03-03T05:29:05Z' }
  expect(read(JSON.stringify({ ...timed, ClientRequestSource: 'edgeWorkerFetch' }))).toBe('ignored')
  expect(read(JSON.stringify({ ...timed, ClientRequestSource: 'healthcheck' }))).toBe('ignored')
  expect(read(JSON.stringify({ ...timed, ClientRequestSource: 'orangeToOrange' }))).toMatchObject({ path: '/' })
  expect(read(JSON.stringify(entry))).toBeUndefined() // 1970
})

test('with a host, only its requests are counted', () => {
  const read = createLogLineParser({ host: 'Docs.example.com' })
  const entry = (ClientRequestHost?: string) =>
    JSON.stringify({
      ClientRequestMethod: 'GET',
      ClientRequestURI: '/',
      EdgeResponseStatus: 200,
      EdgeStartTimestamp: '2023-03-03T05:29:05Z',
      ClientRequestHost,
    })
  expect(read(entry('docs.example.com:443'))).toMatchObject({ path: '/' })
  expect(read(entry('www.example.com'))).toBe('ignored')
  expect(read(entry())).toBeUndefined()
  expect(read('192.0.2.1 - - [28/Sep/2026:03:00:00 +0000] "GET /a HTTP/2.0" 200 12')).toBeUndefined()
  expect(read('not a request')).toBeUndefined()
})

test('a header does not change how other formats are read', () => {
  const read = createLogLineParser({ format: 'nginx' })
  expect(read('#Fields: time date')).toBeUndefined()
  expect(read('#')).toBeUndefined()
})
