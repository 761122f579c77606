/** Words made to break out of where they are shown, and dates that no calendar has. */
import { isFormula, readCsv } from './csv.ts'
import { agent, type EventLike, ingest, jsonHeaders, type WatchedSite } from './watched-site.ts'

const hostilePaths = [
  '/<script>alert(1)</script>',
  '/%3Cscript%3Ealert(1)%3C/script%3E',
  '/"onmouseover="alert(1)',
  "/';DROP TABLE page_view;--",
  '/=cmd|calc',
  '/+1+1',
  '/-1',
  '/@SUM(A1)',
  '/%09tab',
  '/%0d%0aSet-Cookie:a=b',
  '/a%00b',
  '/%1b[2J%1b]0;owned%07',
  '/a,b',
  '/a"b',
  '/a%22%2Cb%0A=1%2B1',
  '/\u202egnp.exe',
  '/%E2%80%AEgnp',
  '/%ff%fe',
  '/%',
  '/%zz',
  '/..%2f..%2fetc/passwd',
  '//evil.example',
  '/\\evil.example',
  '/javascript:alert(1)',
  '/{project: String}',
  '/{{7*7}}',
  '/%2e%2e/x',
  '/__proto__',
  '/constructor',
  '/toString',
  '/(other)',
  '/'.repeat(500),
  `/${'é'.repeat(1024)}`,
  `/${'a'.repeat(1023)}`,
] as const

export async function texts(site: WatchedSite): Promise<void> {
  const { run, send } = site
  const mine = await site.makeSite('Texts')
  const events: EventLike[] = [
    ...hostilePaths.map((path) => ({ path, userAgent: agent })),
    // Without a slash nothing is a path; a spreadsheet would see these first.
    ...['=1+1', '@x', '-x', '', 'x', 'https://evil.example/'].map((path) => ({ path, userAgent: agent })),
    { path: '/long-agent', userAgent: `ChatGPT-User/1.0 ${'x'.repeat(1024 * 1024)}` },
    { path: '/agent', userAgent: 'ChatGPT-User/1.0 \u001b[31m<script>alert(1)</script>=cmd()\r\nX: y' },
    { path: `/${'a'.repeat(1024 * 1024)}`, userAgent: agent },
  ]
  const sent = await ingest(site, mine, events)
  run.check(
    sent.status === 200,
    `hostile words are taken or dropped, one by one: ${sent.status} ${sent.text.slice(0, 200)}`,
  )
  const { counted = 0, dropped = {} } = JSON.parse(sent.text) as { counted?: number; dropped?: Record<string, number> }
  const droppedCount = Object.values(dropped).reduce((sum, count) => sum + count, 0)
  run.check(counted + droppedCount === events.length, `each is told of: ${counted} and ${JSON.stringify(dropped)}`)
  await site.untilLoaded()

  const views = await send({
    method: 'GET',
    path: `/v1/analytics/${mine.projectId}/views?limit=250`,
    headers: jsonHeaders(mine.key),
  })
  const { totals, views: pages } = JSON.parse(views.text) as { totals: { ai: number }; views: { path: string }[] }
  run.check(totals.ai === counted, `all that are counted are in the answer: ${totals.ai} of ${counted}`)
  run.check(!steering.test(views.text), 'no answer steers a terminal or turns the direction of text')
  run.check(
    pages.every(({ path }) => path.startsWith('/') && path.length <= 1024),
    'every path is one, of bounded length',
  )
  run.check(
    String(views.headers['content-type']).startsWith('application/json') &&
      views.headers['x-content-type-options'] === 'nosniff',
    `and no browser takes it for a page: ${views.headers['content-type']}, ${views.headers['x-content-type-options']}`,
  )

  const csv = await send({
    method: 'GET',
    path: `/v1/analytics/${mine.projectId}/views.csv`,
    headers: jsonHeaders(mine.key),
  })
  const [, ...rows] = readCsv(csv.text)
  run.check(rows.length === pages.length, `as CSV there are as many pages: ${rows.length} of ${pages.length}`)
  run.check(!rows.flat().some(isFormula), `no cell is a formula: ${JSON.stringify(rows.flat().find(isFormula))}`)
  run.check(!steering.test(csv.text.replaceAll(/\r?\n/g, '')), 'and none steers a terminal')
  const longest = await site.clickhouse.query({
    query: 'SELECT max(length(user_agent)) AS bytes FROM page_view WHERE project_id = {project: String}',
    query_params: { project: mine.projectId },
    format: 'JSONEachRow',
  })
  const [row] = await longest.json<{ bytes: string }>()
  run.check(Number(row?.bytes) <= 4_000, `of a user agent of 1 MB ${row?.bytes} bytes are kept`)
  run.figure('hostile words sent, counted, dropped', `${events.length}, ${counted}, ${droppedCount}`)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const steering = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

export async function times(site: WatchedSite): Promise<void> {
  const { run } = site
  const mine = await site.makeSite('Times')
  const now = new Date()
  const monthsAgo = Array.from({ length: 120 }, (_, month) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - month, 1)).toISOString(),
  )
  const odd = [
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '2099-06-01T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-01-01T00:00:00.123456789+14:00',
  ]
  const sent = await ingest(
    site,
    mine,
    [...monthsAgo, ...odd].map((at) => ({ path: '/time', userAgent: agent, at })),
  )
  run.check(sent.status === 200, `120 months and year 9999 in one batch: ${sent.status} ${sent.text.slice(0, 200)}`)
  const { counted, dropped } = JSON.parse(sent.text) as { counted: number; dropped: Record<string, number> }
  run.check(
    counted + (dropped.too_old ?? 0) === monthsAgo.length + odd.length,
    `what is too old is dropped for that: ${sent.text}`,
  )
  for (const at of ['yesterday', '', '2026-13-01T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-01-01']) {
    const { status } = await ingest(site, mine, [{ path: '/time', userAgent: agent, at }])
    run.check(status === 400, `the time ${JSON.stringify(at)} is refused: ${status}`)
  }
  await site.untilLoaded()
  const response = await site.clickhouse.query({
    query: `SELECT uniq(toYYYYMM(at)) AS months, min(at) AS first, max(at) AS last, max(at) <= now() AS is_past, sum(views) AS views
            FROM page_view WHERE project_id = {project: String}`,
    query_params: { project: mine.projectId },
    format: 'JSONEachRow',
  })
  const [row] = await response.json<{ months: string; first: string; last: string; is_past: number; views: string }>()
  run.check(Number(row?.views) === counted, `all that are counted are there: ${row?.views} of ${counted}`)
  run.check(
    Number(row?.months) <= 14 && row?.is_past === 1,
    `in 14 months at most, none to come: ${JSON.stringify(row)}`,
  )
  run.figure('months in one batch, months that it made', `${monthsAgo.length}, ${row?.months}`)
}
