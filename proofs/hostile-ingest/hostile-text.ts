/** Injection payloads in paths and user agents, and invalid or extreme times. */
import { isFormula, readCsv } from './csv.ts'
import { assistantUserAgent, type IngestFixture, jsonHeaders, postViewEvents, type ViewEvent } from './fixture.ts'

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

export async function sendHostileText(fixture: IngestFixture): Promise<void> {
  const { run, send } = fixture
  const project = await fixture.createProject('Hostile text')
  const events: ViewEvent[] = [
    ...hostilePaths.map((path) => ({ path, userAgent: assistantUserAgent })),
    // Without a leading slash these are not paths, and a spreadsheet would run some as formulas.
    ...['=1+1', '@x', '-x', '', 'x', 'https://evil.example/'].map((path) => ({ path, userAgent: assistantUserAgent })),
    { path: '/long-agent', userAgent: `ChatGPT-User/1.0 ${'x'.repeat(1024 * 1024)}` },
    { path: '/agent', userAgent: 'ChatGPT-User/1.0 \u001b[31m<script>alert(1)</script>=cmd()\r\nX: y' },
    { path: `/${'a'.repeat(1024 * 1024)}`, userAgent: assistantUserAgent },
  ]
  const sent = await postViewEvents(fixture, project, events)
  run.check(
    sent.status === 200,
    `hostile views are counted or dropped one by one with 200, got ${sent.status} ${sent.text.slice(0, 200)}`,
  )
  const { counted = 0, dropped = {} } = JSON.parse(sent.text) as { counted?: number; dropped?: Record<string, number> }
  const droppedCount = Object.values(dropped).reduce((sum, count) => sum + count, 0)
  run.check(
    counted + droppedCount === events.length,
    `the response accounts for all ${events.length} views, got ${counted} and ${JSON.stringify(dropped)}`,
  )
  await fixture.waitUntilLoaded()

  const views = await send({
    method: 'GET',
    path: `/v1/analytics/${project.projectId}/views?limit=250`,
    headers: jsonHeaders(project.key),
  })
  const { totals, views: pages } = JSON.parse(views.text) as { totals: { ai: number }; views: { path: string }[] }
  run.check(totals.ai === counted, `all ${counted} counted views are in the response, got ${totals.ai}`)
  run.check(
    !controlCharacters.test(views.text),
    'the JSON response has no control or bidirectional formatting characters',
  )
  run.check(
    pages.every(({ path }) => path.startsWith('/') && path.length <= 1024),
    'every path starts with a slash and has at most 1,024 characters',
  )
  run.check(
    String(views.headers['content-type']).startsWith('application/json') &&
      views.headers['x-content-type-options'] === 'nosniff',
    `the response is JSON with nosniff, got ${views.headers['content-type']}, ${views.headers['x-content-type-options']}`,
  )

  const csv = await send({
    method: 'GET',
    path: `/v1/analytics/${project.projectId}/views.csv`,
    headers: jsonHeaders(project.key),
  })
  const [, ...rows] = readCsv(csv.text)
  run.check(rows.length === pages.length, `the CSV has all ${pages.length} pages, got ${rows.length}`)
  run.check(
    !rows.flat().some(isFormula),
    `no CSV cell is a formula, got ${JSON.stringify(rows.flat().find(isFormula))}`,
  )
  run.check(
    !controlCharacters.test(csv.text.replaceAll(/\r?\n/g, '')),
    'the CSV has no control or bidirectional formatting characters',
  )
  const longest = await fixture.clickhouse.query({
    query: 'SELECT max(length(user_agent)) AS bytes FROM page_view WHERE project_id = {project: String}',
    query_params: { project: project.projectId },
    format: 'JSONEachRow',
  })
  const [row] = await longest.json<{ bytes: string }>()
  run.check(Number(row?.bytes) <= 4_000, `at most 4,000 bytes of a 1 MB user agent are kept, got ${row?.bytes}`)
  run.figure('hostile views sent, counted, dropped', `${events.length}, ${counted}, ${droppedCount}`)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to reject
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

export async function sendHostileTimes(fixture: IngestFixture): Promise<void> {
  const { run } = fixture
  const project = await fixture.createProject('Hostile times')
  const now = new Date()
  const monthsAgo = Array.from({ length: 120 }, (_, month) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - month, 1)).toISOString(),
  )
  const extremeTimes = [
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '2099-06-01T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-01-01T00:00:00.123456789+14:00',
  ]
  const sent = await postViewEvents(
    fixture,
    project,
    [...monthsAgo, ...extremeTimes].map((at) => ({ path: '/time', userAgent: assistantUserAgent, at })),
  )
  run.check(
    sent.status === 200,
    `a batch with 120 months and the year 9999 gets 200, got ${sent.status} ${sent.text.slice(0, 200)}`,
  )
  const { counted, dropped } = JSON.parse(sent.text) as { counted: number; dropped: Record<string, number> }
  run.check(
    counted + (dropped.too_old ?? 0) === monthsAgo.length + extremeTimes.length,
    `views are counted or dropped as too_old, got ${sent.text}`,
  )
  for (const at of ['yesterday', '', '2026-13-01T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-01-01']) {
    const { status } = await postViewEvents(fixture, project, [{ path: '/time', userAgent: assistantUserAgent, at }])
    run.check(status === 400, `the time ${JSON.stringify(at)} gets 400, got ${status}`)
  }
  await fixture.waitUntilLoaded()
  const response = await fixture.clickhouse.query({
    query: `SELECT uniq(toYYYYMM(at)) AS months, min(at) AS first, max(at) AS last, max(at) <= now64(3) AS is_past, sum(views) AS views
            FROM page_view WHERE project_id = {project: String}`,
    query_params: { project: project.projectId },
    format: 'JSONEachRow',
  })
  const [row] = await response.json<{ months: string; first: string; last: string; is_past: number; views: string }>()
  run.check(Number(row?.views) === counted, `all ${counted} counted views are in ClickHouse, got ${row?.views}`)
  run.check(
    Number(row?.months) <= 14 && row?.is_past === 1,
    `views are in at most 14 months and none in the future, got ${JSON.stringify(row)}`,
  )
  run.figure('months in one batch, months stored', `${monthsAgo.length}, ${row?.months}`)
}
