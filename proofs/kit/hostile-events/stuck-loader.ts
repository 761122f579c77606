/** A batch that ClickHouse refuses, and a buffer that is full: neither keeps other views from being counted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { asDeployed } from '../as-deployed.ts'
import { type Answer, bearer } from '../http-call.ts'
import { agent, ingest, type WatchedSite, watchedSend } from './watched-site.ts'

const megabyte = 1024 * 1024

export async function refusedBatch(site: WatchedSite): Promise<void> {
  const { run, pool } = site
  const mine = await site.makeSite('Refused')
  const bad = [gzipSync('["not", "a", "view"]\n'), gzipSync('\u0000\n'), Buffer.from('not gzip at all')]
  const month = `${new Date().toISOString().slice(0, 7)}-01`
  const insertBad = (body: Buffer) =>
    pool.query('INSERT INTO view_batch (shard, month, rows, size_bytes, body) VALUES (0, $1, 1, $2, $3)', [
      month,
      body.length,
      body,
    ])
  let counted = 0
  for (const body of bad) {
    await insertBad(body)
    const { status } = await ingest(site, mine, [{ path: '/after', userAgent: agent }])
    if (status === 200) counted += 1
  }
  const startedAt = performance.now()
  const views = async () => {
    const { text } = await site.send({
      method: 'GET',
      path: `/v1/analytics/${mine.projectId}/views`,
      headers: bearer(mine.key),
    })
    return (JSON.parse(text) as { totals: { total: number } }).totals.total
  }
  while ((await views()) < counted && performance.now() - startedAt < 120_000) await sleep(500)
  const seconds = (performance.now() - startedAt) / 1000
  run.check((await views()) === bad.length, `views behind a batch that is refused are counted: ${await views()}`)
  const aside = async () =>
    (await pool.query<{ error: string }>('SELECT last_error AS error FROM view_block WHERE quarantined_at IS NOT NULL'))
      .rows
  while ((await aside()).length < bad.length && performance.now() - startedAt < 180_000) await sleep(500)
  run.check(
    (await aside()).length === bad.length,
    `the bad ones are set aside, with the reason: ${(await aside()).length}`,
  )
  await pool.query('DELETE FROM view_block WHERE quarantined_at IS NOT NULL')
  await pool.query('DELETE FROM view_batch')
  run.figure(
    'batches that ClickHouse refuses, set aside; others counted after',
    `${bad.length}; ${seconds.toFixed(1)} s`,
  )
}

/** With another `api` whose buffer is small, while nobody empties it. */
export async function fullBuffer(site: WatchedSite): Promise<void> {
  const { run, service, pool, worker } = site
  const mine = await site.makeSite('Full')
  const capMegabytes = { ci: 1, stated: 8, full: 64 }[run.size]
  const api = await service.startApi({ ...asDeployed.api, COLOPHON_VIEWS_BUFFER_MAX_MEGABYTES: String(capMegabytes) })
  const small = watchedSend(run, api.url)
  worker.pause()
  const views = Array.from({ length: 2_000 }, () => ({ path: `/full/${crypto.randomUUID()}`, userAgent: agent }))
  const body = JSON.stringify({ views })
  const post = (): Promise<Answer> =>
    small.send({
      path: `/v1/ingest/${mine.projectId}/views`,
      headers: [...bearer(mine.key), 'content-type', 'application/json'],
      body,
    })
  let taken = 0
  let refused = 0
  for (let sent = 0; refused < 50 && sent < capMegabytes * 200; sent += 5) {
    for (const { status } of await Promise.all(Array.from({ length: 5 }, post))) {
      if (status === 200) taken += 1
      else refused += 1
      run.check(status === 200 || status === 503, `a full buffer answers 503, not ${status}`)
    }
  }
  const { rows } = await pool.query<{ bytes: string }>(
    'SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM view_batch',
  )
  const keptBytes = Number(rows[0]?.bytes)
  run.check(refused >= 50, `past ${capMegabytes} MB views are refused: ${taken} taken, ${refused} refused`)
  run.check(keptBytes <= (capMegabytes + 4) * megabyte, `and the buffer stays as it is: ${keptBytes} bytes`)
  const { status: health } = await small.send({ method: 'GET', path: '/v2/me', headers: bearer(mine.key) })
  run.check(health === 200, `everything else goes on: ${health}`)
  worker.resume()
  await site.untilLoaded()
  const startedAt = performance.now()
  while ((await post()).status !== 200 && performance.now() - startedAt < 60_000) await sleep(500)
  const seconds = (performance.now() - startedAt) / 1000
  run.check(seconds < 60, `when there is room again views are taken again: after ${seconds.toFixed(1)} s`)
  run.figure(
    `a buffer of ${capMegabytes} MB: taken, refused; bytes in it; taken again after`,
    `${taken}, ${refused}; ${keptBytes}; ${seconds.toFixed(1)} s`,
  )
}
