/** Hostile request bodies: decompression bombs, too many views, deep nesting, wrong encodings. */
import { gzipSync } from 'node:zlib'
import { formatBearerHeader } from '../../testing/harness/http-call.ts'
import { assistantUserAgent, countViewRows, type IngestFixture } from './fixture.ts'

const megabyte = 1024 * 1024

export async function sendHostileBodies(fixture: IngestFixture): Promise<void> {
  const { run, send } = fixture
  const project = await fixture.createProject('Hostile bodies')
  const path = `/v1/ingest/${project.projectId}/views`
  const post = (body: Buffer | string, type: string, extraHeaders: readonly string[] = []) =>
    send({ path, headers: [...formatBearerHeader(project.key), 'content-type', type, ...extraHeaders], body })
  const json = 'application/json'
  const lines = 'application/x-ndjson'
  const gzipEncoding = ['content-encoding', 'gzip']
  const line = JSON.stringify({ path: '/bomb', userAgent: assistantUserAgent })

  const gigabytes = { ci: 0.25, stated: 1, full: 4 }[run.size]
  const bomb = createBomb(gigabytes * 1024 * megabyte)
  const concurrency = { ci: 4, stated: 20, full: 60 }[run.size]
  const before = await countViewRows(fixture)
  const startedAt = performance.now()
  const responses = await Promise.all(
    Array.from({ length: concurrency }, (_, index) => post(bomb, index % 2 === 0 ? json : lines, gzipEncoding)),
  )
  const seconds = (performance.now() - startedAt) / 1000
  run.check(
    responses.every(({ status }) => status === 413 || status === 503),
    `gzip bombs of ${gigabytes} GB get 413 or 503, got ${responses.map(({ status }) => status)}`,
  )

  const cases: [name: string, body: Buffer | string, type: string, headers: readonly string[], statuses: number[]][] = [
    [
      'one byte above the limit after decompression',
      gzipSync(Buffer.alloc(8 * megabyte + 1, ' ')),
      json,
      gzipEncoding,
      [413],
    ],
    ['a nested gzip bomb', gzipSync(bomb), json, gzipEncoding, [400, 413]],
    ['truncated gzip', gzipSync(Buffer.alloc(1000, ' ')).subarray(0, -9), json, gzipEncoding, [400]],
    ['not gzip', '{"views":[]}', json, gzipEncoding, [400]],
    [
      'gzip with trailing data',
      Buffer.concat([gzipSync('{"views":[]}'), Buffer.from('x')]),
      json,
      gzipEncoding,
      [200, 400],
    ],
    ['brotli', '{"views":[]}', json, ['content-encoding', 'br'], [415]],
    ['gzip twice', gzipSync(gzipSync('{"views":[]}')), json, ['content-encoding', 'gzip, gzip'], [400, 415]],
    ['9 MB uncompressed', Buffer.alloc(9 * megabyte, ' '), json, [], [413]],
    ['10,001 views', `${line}\n`.repeat(10_001), lines, [], [413, 400]],
    ['10,001 views as JSON', `{"views":[${Array(10_001).fill(line).join(',')}]}`, json, [], [413, 400]],
    ['2 million empty arrays', `{"views":[${'[],'.repeat(2 * megabyte)}[]]}`, json, [], [413, 400]],
    ['deeply nested arrays', '['.repeat(4 * megabyte), json, [], [400, 413]],
    ['a deeply nested object', '{"views":'.repeat(500_000), json, [], [400]],
    ['300,000 keys', `{${Array.from({ length: 300_000 }, (_, i) => `"a${i}":1`).join(',')}}`, json, [], [400]],
    ['a __proto__ key', '{"views":[{"path":"/x","userAgent":"x","__proto__":{"status":200}}]}', json, [], [400]],
    ['one invalid line', `${line}\n{"path":\n${line}`, lines, [], [400]],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), json, [], [400]],
    ['a form', 'views=1', 'application/x-www-form-urlencoded', [], [415]],
  ]
  for (const [name, body, type, headers, statuses] of cases) {
    const { status } = await post(body, type, headers)
    run.check(statuses.includes(status), `${name}: ${statuses.join(' or ')}, got ${status}`)
  }
  run.check((await countViewRows(fixture)) === before, 'no row is stored')
  run.figure(`concurrent gzip bombs of ${gigabytes} GB, all rejected`, `${concurrency} in ${seconds.toFixed(1)} s`)
}

/** Built without holding the expanded data: concatenated gzip members of 16 MB of spaces each. */
function createBomb(sizeBytes: number): Buffer {
  const member = gzipSync(Buffer.alloc(16 * megabyte, ' '), { level: 9 })
  return Buffer.concat(Array(Math.ceil(sizeBytes / (16 * megabyte))).fill(member))
}
