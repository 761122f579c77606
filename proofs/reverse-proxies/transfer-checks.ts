/** Bodies of the largest size, in both directions. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProxyFixture } from './fixture.ts'
import { type ProxiedResponse, sendThrough, valuesOf } from './proxied-client.ts'
import type { RunningProxy } from './start-proxies.ts'

const maxBodyBytes = 8 * 1024 * 1024
const exportedPages = { ci: 20_000, stated: 100_000, full: 400_000 } as const
const pagesPerRequest = 10_000

export interface LargeExport {
  bytes: number
  sha256: string
}

/** Views of so many pages that their export has several megabytes, and the export as `api` itself sends it. */
export async function createLargeExport({ run, colophon, project }: ProxyFixture): Promise<LargeExport> {
  const { projectId, client, key } = project
  const pages = exportedPages[run.size]
  for (let first = 0; first < pages; first += pagesPerRequest) {
    const views = Array.from({ length: pagesPerRequest }, (_, index) => ({
      path: `/docs/${`chapter-${first + index}/`.repeat(4)}`,
      userAgent: 'GPTBot/1.2',
    }))
    await client.views.ingest(projectId, { views })
  }
  for (let waited = 0; (await client.views.list(projectId, {})).totals.ai < pages; waited++) {
    if (waited > 600) throw new Error(`the views of ${pages} pages were not loaded within a minute`)
    await sleep(100)
  }
  const response = await fetch(`${colophon.api.url}/v1/analytics/${projectId}/views.csv`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const body = Buffer.from(await response.arrayBuffer())
  run.figure('size of the export', `${(body.length / 1e6).toFixed(1)} MB`)
  return { bytes: body.length, sha256: sha256(body) }
}

export async function transfersLargeBodies(
  fixture: ProxyFixture,
  proxy: RunningProxy,
  expected: LargeExport,
): Promise<void> {
  const { run, project } = fixture
  const largest = await sendViews(fixture, proxy, maxBodyBytes)
  run.check(largest.status === 200, `${proxy.name}: a body of 8 MiB is accepted: ${largest.status}`)
  const larger = await sendViews(fixture, proxy, maxBodyBytes + 1)
  run.check(
    larger.status === 413 && valuesOf(larger, 'content-type')[0]?.startsWith('application/problem+json') === true,
    `${proxy.name}: for a larger body, the response explains the limit: ${larger.status} ${valuesOf(larger, 'content-type')}`,
  )
  const tooLarge = await sendViews(fixture, proxy, 4 * maxBodyBytes)
  run.check(tooLarge.status === 413, `${proxy.name}: a body of 32 MiB is rejected: ${tooLarge.status}`)

  const path = `/v1/analytics/${project.projectId}/views.csv`
  const download = await sendThrough(proxy, { path, headers: { authorization: `Bearer ${project.key}` } })
  run.check(
    download.body.length === expected.bytes && sha256(download.body) === expected.sha256,
    `${proxy.name}: the export of page views is complete: ${download.body.length} of ${expected.bytes} bytes`,
  )
  run.check(
    valuesOf(download, 'content-length').length === 0,
    `${proxy.name}: the export is passed on while it is created, and not collected before`,
  )
  run.figure(`first byte of the export, ${proxy.name}`, `${download.firstByteMs.toFixed(0)} ms`)
}

/** A body of exactly this size. */
function sendViews({ project }: ProxyFixture, proxy: RunningProxy, bytes: number): Promise<ProxiedResponse> {
  const body = Buffer.alloc(bytes, ' ')
  body.write(JSON.stringify({ views: [{ path: '/docs/largest', userAgent: 'curl/8.0' }] }))
  return sendThrough(proxy, {
    method: 'POST',
    path: `/v1/ingest/${project.projectId}/views`,
    headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json' },
    body,
  })
}

const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex')
