/** Up to a million views of pages that do not exist: from forged beacons, and from a server that serves any URL. */
import { assistantUserAgent, type IngestFixture, jsonHeaders, postViewBeacon, postViewEvents } from './fixture.ts'

const maxNewPages = 2_000
const concurrency = 100
const batchViews = 10_000

export async function sendForgedPages(fixture: IngestFixture): Promise<void> {
  const { run, send } = fixture
  const project = await fixture.createProject('Forged')
  const analyticsPath = `/v1/analytics/${project.projectId}`
  const created = await send({ path: `${analyticsPath}/site-keys`, headers: jsonHeaders(project.key), body: '{}' })
  const { key: siteKey } = JSON.parse(created.text) as { key: string }

  const beacons = { ci: 6_000, stated: 100_000, full: 1_000_000 }[run.size]
  const statuses = new Map<number, number>()
  let next = 0
  const sendBeacons = async () => {
    for (let number = next++; number < beacons; number = next++) {
      const beacon = { key: siteKey, id: crypto.randomUUID(), path: `/forged/${number}/${crypto.randomUUID()}` }
      const { status } = await postViewBeacon(fixture, beacon)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, sendBeacons))
  run.check(statuses.get(204) === beacons, `all ${beacons} beacons get 204, got ${JSON.stringify([...statuses])}`)
  await fixture.waitUntilLoaded()
  const pages = await countPages(fixture, project.projectId)
  // Twice the limit, in case the run spans midnight.
  run.check(
    pages.count <= 2 * maxNewPages + 1,
    `forged pages become at most ${maxNewPages} pages and "(other)" per day, got ${pages.count}`,
  )
  run.check(pages.views === beacons, `all ${beacons} views are counted, got ${pages.views}`)
  run.figure('beacons of forged pages, resulting pages', `${beacons}, ${pages.count}`)

  const served = await fixture.createProject('Served')
  const batches = { ci: 2, stated: 90, full: 300 }[run.size]
  for (let batch = 0; batch < batches; batch++) {
    const views = Array.from({ length: batchViews }, (_, number) => ({
      path: `/search/${batch}-${number}-${crypto.randomUUID()}`,
      userAgent: assistantUserAgent,
    }))
    const { status, text } = await postViewEvents(fixture, served, views)
    run.check(
      status === 200 || status === 503,
      `a batch of a server gets 200 or 503, got ${status} ${text.slice(0, 100)}`,
    )
    if (status === 503) batch -= 1
  }
  await fixture.waitUntilLoaded()
  const { status, text } = await send({
    method: 'GET',
    path: `/v1/analytics/${served.projectId}/views?limit=1`,
    headers: jsonHeaders(served.key),
  })
  const { totals } = status === 200 ? (JSON.parse(text) as { totals: { ai: number } }) : { totals: { ai: 0 } }
  run.check(
    totals.ai === batches * batchViews,
    `all ${batches * batchViews} views of the server are counted, got ${status}, ${totals.ai}`,
  )
  run.figure('views of forged pages from a server, all counted', batches * batchViews)
}

async function countPages({ clickhouse }: IngestFixture, projectId: string): Promise<{ count: number; views: number }> {
  const response = await clickhouse.query({
    query: `SELECT uniqExact(path) AS pages, sum(human) AS views FROM views_by_page_and_day
            WHERE project_id = {project: String}`,
    query_params: { project: projectId },
    format: 'JSONEachRow',
  })
  const [row] = await response.json<{ pages: string; views: string }>()
  return { count: Number(row?.pages), views: Number(row?.views) }
}
