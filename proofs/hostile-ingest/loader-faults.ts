/** A batch that ClickHouse rejects and a full buffer: neither keeps other views from being counted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { deploymentMemorySettings } from '../../testing/harness/deployment-memory-settings.ts'
import { formatBearerHeader, type HttpResponse } from '../../testing/harness/http-call.ts'
import { assistantUserAgent, createCheckedSender, type IngestFixture, postViewEvents } from './fixture.ts'

const megabyte = 1024 * 1024

export async function quarantinedBatchScenario(fixture: IngestFixture): Promise<void> {
  const { run, pool } = fixture
  const project = await fixture.createProject('Rejected batches')
  const invalidBodies = [gzipSync('["not", "a", "view"]\n'), gzipSync('\u0000\n'), Buffer.from('not gzip at all')]
  const month = `${new Date().toISOString().slice(0, 7)}-01`
  const insertBatch = (body: Buffer) =>
    pool.query('INSERT INTO view_batch (shard, month, rows, size_bytes, body) VALUES (0, $1, 1, $2, $3)', [
      month,
      body.length,
      body,
    ])
  let counted = 0
  for (const body of invalidBodies) {
    await insertBatch(body)
    const { status } = await postViewEvents(fixture, project, [{ path: '/after', userAgent: assistantUserAgent }])
    if (status === 200) counted += 1
  }
  const startedAt = performance.now()
  const views = async () => {
    const { text } = await fixture.send({
      method: 'GET',
      path: `/v1/analytics/${project.projectId}/views`,
      headers: formatBearerHeader(project.key),
    })
    return (JSON.parse(text) as { totals: { total: number } }).totals.total
  }
  while ((await views()) < counted && performance.now() - startedAt < 120_000) await sleep(500)
  const seconds = (performance.now() - startedAt) / 1000
  run.check(
    (await views()) === invalidBodies.length,
    `all ${invalidBodies.length} views after rejected batches are counted, got ${await views()}`,
  )
  const quarantined = async () =>
    (await pool.query<{ error: string }>('SELECT last_error AS error FROM view_block WHERE quarantined_at IS NOT NULL'))
      .rows
  while ((await quarantined()).length < invalidBodies.length && performance.now() - startedAt < 180_000)
    await sleep(500)
  run.check(
    (await quarantined()).length === invalidBodies.length,
    `${invalidBodies.length} invalid batches are quarantined with their error, got ${(await quarantined()).length}`,
  )
  await pool.query('DELETE FROM view_block WHERE quarantined_at IS NOT NULL')
  await pool.query('DELETE FROM view_batch')
  run.figure(
    'quarantined batches, time until the other views were counted',
    `${invalidBodies.length}, ${seconds.toFixed(1)} s`,
  )
}

/** With another `api` with a small buffer, while the loader is paused. */
export async function fullBufferScenario(fixture: IngestFixture): Promise<void> {
  const { run, colophon, pool, worker } = fixture
  const project = await fixture.createProject('Full buffer')
  const maxMegabytes = { ci: 1, stated: 8, full: 64 }[run.size]
  const api = await colophon.start('api', {
    ...deploymentMemorySettings.api,
    COLOPHON_VIEWS_BUFFER_MAX_MEGABYTES: String(maxMegabytes),
  })
  const sender = createCheckedSender(run, api.url)
  // The IDs of the beacons of other scenarios count toward the limit too, in the first minutes of each half hour twice.
  await pool.query('TRUNCATE beacon_delivery, batch_delivery')
  worker.pause()
  const views = Array.from({ length: 2_000 }, () => ({
    path: `/full/${crypto.randomUUID()}`,
    userAgent: assistantUserAgent,
  }))
  const body = JSON.stringify({ views })
  const post = (): Promise<HttpResponse> =>
    sender.send({
      path: `/v1/ingest/${project.projectId}/views`,
      headers: [...formatBearerHeader(project.key), 'content-type', 'application/json'],
      body,
    })
  let accepted = 0
  let rejected = 0
  for (let sent = 0; rejected < 50 && sent < maxMegabytes * 200; sent += 5) {
    for (const { status } of await Promise.all(Array.from({ length: 5 }, post))) {
      if (status === 200) accepted += 1
      else rejected += 1
      run.check(status === 200 || status === 503, `ingest gets 200 or 503, got ${status}`)
    }
  }
  const { rows } = await pool.query<{ bytes: string }>(
    'SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM view_batch',
  )
  const bufferedBytes = Number(rows[0]?.bytes)
  run.check(
    rejected >= 50,
    `batches above ${maxMegabytes} MB are rejected, got ${accepted} accepted, ${rejected} rejected`,
  )
  run.check(
    bufferedBytes <= (maxMegabytes + 4) * megabyte,
    `the buffer stays within ${maxMegabytes + 4} MB, got ${bufferedBytes} bytes`,
  )
  const { status: otherStatus } = await sender.send({
    method: 'GET',
    path: '/v2/me',
    headers: formatBearerHeader(project.key),
  })
  run.check(otherStatus === 200, `other requests get 200, got ${otherStatus}`)
  worker.resume()
  await fixture.waitUntilLoaded()
  const startedAt = performance.now()
  while ((await post()).status !== 200 && performance.now() - startedAt < 60_000) await sleep(500)
  const seconds = (performance.now() - startedAt) / 1000
  run.check(
    seconds < 60,
    `views are accepted again within 60 s after the buffer is empty, took ${seconds.toFixed(1)} s`,
  )
  run.figure(
    `buffer of ${maxMegabytes} MB: batches accepted, rejected, bytes buffered, recovery time`,
    `${accepted}, ${rejected}, ${bufferedBytes}, ${seconds.toFixed(1)} s`,
  )
}
