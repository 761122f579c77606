/** Hosts that deliver access logs, as their documentation describes it. Shares no code with the product. */
import { createHmac, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'

export interface LoggedRequest {
  id: string
  at: Date
  method: string
  host: string
  /** As in the request line. */
  path: string
  status: number
  userAgent: string
}

export interface Delivery {
  method?: 'POST' | 'PUT'
  query: string
  headers: readonly string[]
  body: Buffer
}

export interface LogHost {
  name: string
  format: string
  /** Whether lines have the ID of their request, so that one that is delivered again in another batch is recognized. */
  hasIds: boolean
  /** Whether requests of different times can have the same ID: Cloudflare says so, and the IDs of Akamai have only 32 bits. */
  repeatsIds?: boolean
  hasHosts: boolean
  writeLine(request: LoggedRequest): string
  /** What the host sends that is not a request. */
  otherLines: readonly string[]
  sendsLinesAlone?: boolean
  /** One delivery, or several if the host sends each line by itself. Another attempt can differ in what is not a line. */
  deliver(lines: readonly string[], secret: string): Delivery[]
}

const address = '203.0.113.77'
const json = (value: unknown) => JSON.stringify(value)
const bearer = (secret: string) => ['authorization', `Bearer ${secret}`]
const basic = (secret: string) => ['authorization', `Basic ${Buffer.from(`datastream:${secret}`).toString('base64')}`]
const type = (name: string) => ['content-type', name]

const asLines =
  (contentType: string, method: 'POST' | 'PUT' = 'POST'): LogHost['deliver'] =>
  (lines, secret) => [
    {
      method,
      query: '',
      headers: [...bearer(secret), ...type(contentType)],
      body: Buffer.from(`${lines.join('\n')}\n`),
    },
  ]

const asGzipLines =
  (authorize: (secret: string) => string[]): LogHost['deliver'] =>
  (lines, secret) => [
    {
      query: '',
      headers: [...authorize(secret), ...type('application/gzip'), 'content-encoding', 'gzip'],
      body: gzipSync(`${lines.join('\n')}\n`),
    },
  ]

export const signVercel = (body: Buffer, secret: string) => createHmac('sha1', secret).update(body).digest('hex')

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
function toLogTime(at: Date): string {
  const [date = '', time = ''] = at.toISOString().split(/[T.]/)
  const [year, month, day] = date.split('-')
  return `${day}/${months[Number(month) - 1]}/${year}:${time} +0000`
}
const writeCombined = ({ at, method, path, status, userAgent }: LoggedRequest) =>
  `${address} - - [${toLogTime(at)}] "${method} ${path} HTTP/1.1" ${status} 512 "-" "${userAgent}"`

export const logHosts: readonly LogHost[] = [
  {
    name: 'Vercel',
    format: 'vercel',
    hasIds: true,
    hasHosts: true,
    writeLine: ({ id, at, method, host, path, status, userAgent }) =>
      json({
        id: `1573817250283254651097${id}`,
        deploymentId: 'dpl_233NRGRjVZX1caZrXWtz5g1TAksD',
        source: 'static',
        host,
        timestamp: at.getTime() + 1,
        projectId: 'gdufoJxB6b9b1fEqr1jUtFkyavUU',
        level: 'info',
        path: path.split('?')[0],
        requestId: id,
        statusCode: status,
        proxy: {
          timestamp: at.getTime(),
          method,
          host,
          path,
          userAgent: [userAgent],
          referer: '',
          statusCode: status,
          clientIp: address,
          region: 'sfo1',
        },
      }),
    otherLines: [
      json({
        id: '1',
        deploymentId: 'dpl_1',
        source: 'build',
        timestamp: 1,
        projectId: 'p',
        level: 'info',
        message: 'x',
      }),
    ],
    deliver(lines, secret) {
      const body = Buffer.from(`[${lines.join(',')}]`)
      return [
        { query: '', headers: [...type('application/json'), 'x-vercel-signature', signVercel(body, secret)], body },
      ]
    },
  },
  {
    name: 'Netlify',
    format: 'netlify',
    hasIds: true,
    hasHosts: true,
    writeLine: ({ id, at, method, host, path, status, userAgent }) =>
      json({
        log_type: 'traffic',
        site_id: '8a0b',
        request_id: id,
        timestamp: at.toISOString(),
        method,
        url: `https://${host}${path}`,
        status_code: status,
        client_ip: address,
        user_agent: userAgent,
      }),
    otherLines: [json({ log_type: 'functions', site_id: '8a0b', timestamp: '2026-01-01T00:00:00Z', message: 'x' })],
    deliver: (lines, secret) => [
      {
        query: `?token=${secret}`,
        headers: type('application/x-ndjson'),
        body: Buffer.from(lines.join('\n')),
      },
    ],
  },
  {
    name: 'Cloudflare Logpush',
    format: 'cloudflare',
    hasIds: true,
    repeatsIds: true,
    hasHosts: true,
    writeLine: ({ id, at, method, host, path, status, userAgent }) =>
      json({
        ClientIP: address,
        ClientRequestHost: host,
        ClientRequestMethod: method,
        ClientRequestSource: 'eyeball',
        ClientRequestURI: path,
        ClientRequestUserAgent: userAgent,
        EdgeResponseStatus: status,
        EdgeStartTimestamp: at.getTime() * 1_000_000,
        RayID: id,
      }),
    otherLines: [
      json({
        ClientRequestMethod: 'GET',
        ClientRequestURI: '/start',
        ClientRequestSource: 'edgeWorkerFetch',
        EdgeResponseStatus: 200,
        EdgeStartTimestamp: '2026-01-01T00:00:00Z',
      }),
    ],
    deliver: asGzipLines(bearer),
  },
  {
    name: 'Fastly',
    format: 'fastly',
    hasIds: true,
    hasHosts: true,
    writeLine: ({ id, at, method, host, path, status, userAgent }) =>
      json({
        at: Math.floor(at.getTime() / 1000),
        method,
        host,
        path,
        status,
        userAgent,
        accept: '',
        secPurpose: '',
        id,
      }),
    otherLines: [],
    deliver: asLines('application/json', 'PUT'),
  },
  {
    name: 'Fastly, combined format',
    format: 'fastly',
    hasIds: false,
    hasHosts: false,
    writeLine: writeCombined,
    otherLines: [],
    deliver: asLines('text/plain'),
  },
  {
    name: 'Amazon CloudFront',
    format: 'cloudfront',
    hasIds: true,
    hasHosts: true,
    writeLine({ id, at, method, host, path, status, userAgent }) {
      const [date, time] = at.toISOString().split(/[T.]/)
      const [stem, query = '-'] = path.split('?')
      return json({
        date,
        time,
        'x-edge-location': 'SOF50-P2',
        'c-ip': address,
        'cs-method': method,
        'cs(Host)': 'd111111abcdef8.cloudfront.net',
        'cs-uri-stem': stem,
        'sc-status': String(status),
        'cs(User-Agent)': encodeURIComponent(userAgent),
        'cs-uri-query': query,
        'x-edge-request-id': id,
        'x-host-header': host,
      })
    },
    otherLines: [],
    deliver(lines, secret) {
      const records = lines.map((line) => ({ data: Buffer.from(`${line}\n`).toString('base64') }))
      const requestId = randomUUID() // kept for another attempt "in a best-effort manner"
      const body = Buffer.from(json({ requestId, timestamp: Date.now(), records }))
      const headers = [...type('application/json'), 'x-amz-firehose-access-key', secret]
      return [{ query: '', headers: [...headers, 'x-amz-firehose-request-id', requestId], body }]
    },
  },
  {
    name: 'Google Cloud',
    format: 'google-cloud',
    hasIds: true,
    sendsLinesAlone: true,
    hasHosts: true,
    writeLine: ({ id, at, method, host, path, status, userAgent }) =>
      json({
        insertId: id,
        httpRequest: {
          requestMethod: method,
          requestUrl: `https://${host}${path}`,
          status,
          userAgent,
          remoteIp: address,
        },
        resource: { type: 'http_load_balancer' },
        timestamp: at.toISOString(),
      }),
    otherLines: [],
    /** Each entry is a message. */
    deliver: (lines, secret) =>
      lines.map((line) => {
        const message = { data: Buffer.from(line).toString('base64'), messageId: randomUUID() }
        const body = Buffer.from(json({ message, subscription: 'projects/p/subscriptions/s' }))
        return { query: `?token=${secret}`, headers: type('application/json'), body }
      }),
  },
  {
    name: 'Azure Front Door',
    format: 'azure',
    hasIds: true,
    hasHosts: true,
    writeLine: ({ id, at, method, host, path, status, userAgent }) =>
      json({
        time: at.toISOString(),
        category: 'FrontDoorAccessLog',
        properties: {
          trackingReference: id,
          httpMethod: method,
          requestUri: `https://${host}:443${path}`,
          userAgent,
          clientIp: address,
          httpStatusCode: String(status),
        },
      }),
    otherLines: [
      json({
        time: '2026-01-01T00:00:00Z',
        properties: {
          trackingReference: '1',
          httpMethod: 'GET',
          requestUri: 'https://docs.example.com:443/start',
          httpStatusCode: '200',
          isReceivedFromClient: 'false',
        },
      }),
    ],
    deliver: (lines, secret) => [
      {
        query: '',
        headers: [...bearer(secret), ...type('application/json')],
        body: Buffer.from(`{"records":[${lines.join(',')}]}`),
      },
    ],
  },
  {
    name: 'Akamai DataStream 2',
    format: 'akamai',
    hasIds: true,
    repeatsIds: true,
    hasHosts: true,
    writeLine({ id, at, method, host, path, status, userAgent }) {
      const [requestPath = '', query] = path.split('?')
      return json({
        reqTimeSec: String(at.getTime() / 1000),
        reqId: id,
        reqMethod: method,
        reqHost: host,
        ...(requestPath !== '/' && { reqPath: requestPath.slice(1) }), // fields without a value are left out
        ...(query !== undefined && { queryStr: query }),
        statusCode: String(status),
        UA: encodeURIComponent(userAgent),
        cliIP: address,
      })
    },
    otherLines: [
      json({
        reqTimeSec: '1573840000',
        reqId: '1',
        reqMethod: 'GET',
        reqPath: 'start',
        statusCode: '200',
        isMidgress: '1',
      }),
    ],
    deliver: asGzipLines(basic),
  },
  {
    name: 'Caddy',
    format: 'caddy',
    hasIds: false,
    hasHosts: true,
    writeLine: ({ at, method, host, path, status, userAgent }) =>
      json({
        level: 'info',
        ts: at.getTime() / 1000,
        logger: 'http.log.access',
        msg: 'handled request',
        request: { remote_ip: address, method, host, uri: path, headers: { 'User-Agent': [userAgent] } },
        status,
      }),
    otherLines: [],
    deliver: asLines('application/x-ndjson'),
  },
]
