/** Bodies that are larger than they look, longer than they say, or no bodies at all. */
import { gzipSync } from 'node:zlib'
import { bearer } from '../http-call.ts'
import { agent, countRows, type WatchedSite } from './watched-site.ts'

const megabyte = 1024 * 1024

export async function bombs(site: WatchedSite): Promise<void> {
  const { run, send } = site
  const mine = await site.makeSite('Bombs')
  const path = `/v1/ingest/${mine.projectId}/views`
  const post = (body: Buffer | string, type: string, more: readonly string[] = []) =>
    send({ path, headers: [...bearer(mine.key), 'content-type', type, ...more], body })
  const json = 'application/json'
  const lines = 'application/x-ndjson'
  const packed = ['content-encoding', 'gzip']
  const line = JSON.stringify({ path: '/bomb', userAgent: agent })

  const gigabytes = { ci: 0.25, stated: 1, full: 4 }[run.size]
  const bomb = bombOf(gigabytes * 1024 * megabyte)
  const atOnce = { ci: 4, stated: 20, full: 60 }[run.size]
  const before = await countRows(site)
  const startedAt = performance.now()
  const responses = await Promise.all(
    Array.from({ length: atOnce }, (_, index) => post(bomb, index % 2 === 0 ? json : lines, packed)),
  )
  const seconds = (performance.now() - startedAt) / 1000
  run.check(
    responses.every(({ status }) => status === 413 || status === 503),
    `gzip of ${gigabytes} GB each: 413, not ${responses.map(({ status }) => status)}`,
  )

  const cases: [what: string, body: Buffer | string, type: string, headers: readonly string[], statuses: number[]][] = [
    ['one byte too many, unpacked', gzipSync(Buffer.alloc(8 * megabyte + 1, ' ')), json, packed, [413]],
    ['a bomb in a bomb', gzipSync(bomb), json, packed, [400, 413]],
    ['gzip that ends too early', gzipSync(Buffer.alloc(1000, ' ')).subarray(0, -9), json, packed, [400]],
    ['no gzip', '{"views":[]}', json, packed, [400]],
    [
      'gzip and something behind it',
      Buffer.concat([gzipSync('{"views":[]}'), Buffer.from('x')]),
      json,
      packed,
      [200, 400],
    ],
    ['brotli', '{"views":[]}', json, ['content-encoding', 'br'], [415]],
    ['gzip twice', gzipSync(gzipSync('{"views":[]}')), json, ['content-encoding', 'gzip, gzip'], [400, 415]],
    ['9 MB', Buffer.alloc(9 * megabyte, ' '), json, [], [413]],
    ['10,001 views', `${line}\n`.repeat(10_001), lines, [], [413, 400]],
    ['10,001 views as JSON', `{"views":[${Array(10_001).fill(line).join(',')}]}`, json, [], [413, 400]],
    ['4 M empty lists', `{"views":[${'[],'.repeat(2 * megabyte)}[]]}`, json, [], [413, 400]],
    ['deep lists', '['.repeat(4 * megabyte), json, [], [400, 413]],
    ['a deep object', '{"views":'.repeat(500_000), json, [], [400]],
    ['many names', `{${Array.from({ length: 300_000 }, (_, i) => `"a${i}":1`).join(',')}}`, json, [], [400]],
    ['a prototype', '{"views":[{"path":"/x","userAgent":"x","__proto__":{"status":200}}]}', json, [], [400]],
    ['one bad line among good ones', `${line}\n{"path":\n${line}`, lines, [], [400]],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), json, [], [400]],
    ['a form', 'views=1', 'application/x-www-form-urlencoded', [], [415]],
  ]
  for (const [what, body, type, headers, statuses] of cases) {
    const { status } = await post(body, type, headers)
    run.check(statuses.includes(status), `${what}: ${statuses.join(' or ')}, not ${status}`)
  }
  run.check((await countRows(site)) === before, 'nothing of all that is stored')
  run.figure(`gzip bombs of ${gigabytes} GB at once, all refused`, `${atOnce} in ${seconds.toFixed(1)} s`)
}

/** Made without ever holding it: gzip members follow each other, each of 16 MB of spaces. */
function bombOf(sizeBytes: number): Buffer {
  const member = gzipSync(Buffer.alloc(16 * megabyte, ' '), { level: 9 })
  return Buffer.concat(Array(Math.ceil(sizeBytes / (16 * megabyte))).fill(member))
}
