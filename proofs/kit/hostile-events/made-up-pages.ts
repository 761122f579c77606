/** A million pages that nobody ever wrote: by the script, which anybody can play, and by a server that serves whatever is asked. */
import { agent, collect, ingest, jsonHeaders, type WatchedSite } from './watched-site.ts'

const maxNewPages = 2_000
const atOnce = 100
const batchViews = 10_000

export async function madeUpPages(site: WatchedSite): Promise<void> {
  const { run, send } = site
  const mine = await site.makeSite('Made up')
  const at = `/v1/analytics/${mine.projectId}`
  const made = await send({ path: `${at}/site-keys`, headers: jsonHeaders(mine.key), body: '{}' })
  const { key: siteKey } = JSON.parse(made.text) as { key: string }

  const beacons = { ci: 6_000, stated: 100_000, full: 1_000_000 }[run.size]
  const statuses = new Map<number, number>()
  let next = 0
  const stranger = async () => {
    for (let number = next++; number < beacons; number = next++) {
      const beacon = { key: siteKey, id: crypto.randomUUID(), path: `/made-up/${number}/${crypto.randomUUID()}` }
      const { status } = await collect(site, beacon)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, stranger))
  run.check(
    statuses.get(204) === beacons,
    `a stranger's ${beacons} beacons are taken: ${JSON.stringify([...statuses])}`,
  )
  await site.untilLoaded()
  const pages = await pagesOf(site, mine.projectId)
  // Two days, should midnight come in the middle.
  run.check(pages.count <= 2 * maxNewPages + 1, `and become ${maxNewPages} pages and one: ${pages.count}`)
  run.check(pages.views === beacons, `with all views counted: ${pages.views}`)
  run.figure('beacons of made-up pages, pages that they became', `${beacons}, ${pages.count}`)

  const served = await site.makeSite('Served')
  const batches = { ci: 2, stated: 90, full: 300 }[run.size]
  for (let batch = 0; batch < batches; batch++) {
    const views = Array.from({ length: batchViews }, (_, number) => ({
      path: `/search/${batch}-${number}-${crypto.randomUUID()}`,
      userAgent: agent,
    }))
    const { status, text } = await ingest(site, served, views)
    run.check(status === 200 || status === 503, `a server's made-up pages are taken: ${status} ${text.slice(0, 100)}`)
    if (status === 503) batch -= 1
  }
  await site.untilLoaded()
  const { status, text } = await send({
    method: 'GET',
    path: `/v1/analytics/${served.projectId}/views?limit=1`,
    headers: jsonHeaders(served.key),
  })
  const { totals } = status === 200 ? (JSON.parse(text) as { totals: { ai: number } }) : { totals: { ai: 0 } }
  run.check(totals.ai === batches * batchViews, `${batches * batchViews} are counted: ${status}, ${totals.ai}`)
  run.figure("a server's made-up pages, all counted", batches * batchViews)
}

async function pagesOf({ clickhouse }: WatchedSite, projectId: string): Promise<{ count: number; views: number }> {
  const response = await clickhouse.query({
    query: `SELECT uniqExact(path) AS pages, sum(human) AS views FROM views_by_page_and_day
            WHERE project_id = {project: String}`,
    query_params: { project: projectId },
    format: 'JSONEachRow',
  })
  const [row] = await response.json<{ pages: string; views: string }>()
  return { count: Number(row?.pages), views: Number(row?.views) }
}
