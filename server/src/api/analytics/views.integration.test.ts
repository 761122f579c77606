import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { loadViews } from '../../analytics/testing/load-views.ts'

const api = await startTestApi(inject('services'), 'api views')
afterAll(() => api.drop())

const { projectId, secret, client } = await api.createProject('Handbook')

const get = async (path: string, key = secret) => {
  const response = await fetch(`${api.url}/v1/analytics/${projectId}/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

const at = (text: string) => new Date(text)
const gptBot = { class: 'ai-training', client: 'GPTBot' } as const
const cursor = { class: 'assistant', client: 'Cursor' } as const

await loadViews(api, {
  projectId,
  source: 'servers',
  countsHumans: true,
  views: [
    { at: at('2026-01-05T10:00:00.000Z'), path: '/b' },
    { at: at('2026-01-05T10:00:00.001Z'), path: '/b' },
    { at: at('2026-02-10T23:59:59.999Z'), path: '/a', ...gptBot },
    { at: at('2026-02-11T00:00:00.000Z'), path: '/a', ...cursor },
    { at: at('2026-02-11T12:00:00.000Z'), path: '/c' },
    { at: at('2026-02-11T12:00:00.000Z'), path: '/c', class: 'search', client: 'Googlebot' },
    { at: at('2026-02-11T12:00:00.000Z'), path: '/only-bots', class: 'other-bot', client: 'curl' },
  ],
})

test('lists all pages in the documented order with all fields', async () => {
  const { status, body } = await get('views')
  expect(status).toBe(200)
  expect(body).toEqual({
    totals: { human: 3, ai: 2, total: 5 },
    views: [
      { path: '/a', human: 0, ai: 2, total: 2 },
      { path: '/b', human: 2, ai: 0, total: 2 },
      { path: '/c', human: 1, ai: 0, total: 1 },
    ],
    hasMore: false,
    coverage: { human: 'measured', ai: 'measured' },
  })
})

test('a range includes its start and excludes its end, to the millisecond', async () => {
  const paths = async (query: string) => (await get(`views?${query}`)).body.views
  const only = (path: string, human: number, ai: number) => [{ path, human, ai, total: human + ai }]
  expect(await paths('dateTo=2026-01-05T10:00:00.001Z')).toEqual(only('/b', 1, 0))
  expect(await paths('dateFrom=2026-02-10&dateTo=2026-02-11')).toEqual(only('/a', 0, 1))
  expect(await paths('dateFrom=2026-02-11T01:00:00%2B01:00&dateTo=2026-02-11T12:00')).toEqual(only('/a', 0, 1))
  expect(await paths('dateFrom=2026-02-11T01:00:00+01:00&dateTo=2026-02-11T12:00')).toEqual(only('/a', 0, 1))
  expect(await paths('dateFrom=2030-01-01')).toEqual([])
  // Later, but by less than a millisecond, the precision of views.
  expect(await paths('dateFrom=2026-01-05T10:00:00.0001Z&dateTo=2026-01-05T10:00:00.0002Z')).toEqual([])
})

test('totals are the same on every page of the list, and hasMore is false on the last', async () => {
  const { body: first } = await get('views?limit=2')
  expect(first).toMatchObject({ totals: { total: 5 }, hasMore: true, views: [{ path: '/a' }, { path: '/b' }] })
  const { body: second } = await get('views?limit=2&offset=2')
  expect(second).toMatchObject({ totals: { total: 5 }, hasMore: false, views: [{ path: '/c' }] })
  const { body: beyond } = await get('views?offset=999999999999999')
  expect(beyond).toMatchObject({ totals: { total: 5 }, hasMore: false, views: [] })
})

test('aiScope of the request overrides that of the project', async () => {
  const totals = async (query = '') => (await get(`views${query}`)).body.totals
  expect(await totals('?aiScope=assistants')).toEqual({ human: 3, ai: 1, total: 4 })
  await client.views.changeSettings(projectId, { aiScope: 'assistants' })
  expect(await totals()).toEqual({ human: 3, ai: 1, total: 4 })
  expect(await totals('?aiScope=all')).toEqual({ human: 3, ai: 2, total: 5 })
  await client.views.changeSettings(projectId, { aiScope: 'all' })
})

test('views beyond the retention are not counted, even if they are not deleted yet', async () => {
  const { projectId: other, secret: key, client: otherClient } = await api.createProject('Short retention')
  const views = [{ at: new Date() }, { at: at('2025-01-01T00:00:00Z') }]
  await loadViews(api, { projectId: other, source: 'servers', countsHumans: true, views })
  const total = async () => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${api.url}/v1/analytics/${other}/views`, { headers })
    return ((await response.json()) as { totals: { total: number } }).totals.total
  }
  expect(await total()).toBe(2)
  await otherClient.views.changeSettings(other, { retentionMonths: 1 })
  expect(await total()).toBe(1)
})

test.each([
  ['query/limit', 'limit=0'],
  ['query/limit', 'limit=251'],
  ['query/limit', 'limit=1.5'],
  ['query/limit', 'limit='],
  ['query/offset', 'offset=-1'],
  ['query/aiScope', 'aiScope=everybody'],
  ['query/dateFrom', 'dateFrom=yesterday'],
  ['query/dateFrom', 'dateFrom=2026-02-30'],
  ['query/dateTo', 'dateFrom=2026-02-02&dateTo=2026-02-02'],
  ['query/dateTo', 'dateFrom=2026-02-02&dateTo=2026-02-01'],
  ['query/datefrom', 'datefrom=2026-02-02'],
])('rejects an invalid %s: %s', async (path, query) => {
  const { status, body } = await get(`views?${query}`)
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path }] })
})

test('returns views over time by interval of the time zone, without gaps', async () => {
  const query = { dateFrom: '2026-02-09T12:00Z', dateTo: '2026-02-12', timeZone: 'europe/berlin' }
  expect(await client.views.timeseries(projectId, query)).toEqual({
    interval: 'day',
    timeZone: 'europe/berlin',
    points: [
      { at: '2026-02-08T23:00:00.000Z', human: 0, ai: 0, total: 0 },
      { at: '2026-02-09T23:00:00.000Z', human: 0, ai: 0, total: 0 },
      { at: '2026-02-10T23:00:00.000Z', human: 1, ai: 2, total: 3 },
      { at: '2026-02-11T23:00:00.000Z', human: 0, ai: 0, total: 0 },
    ],
    coverage: { human: 'measured', ai: 'measured' },
  })
  const { points } = await client.views.timeseries(projectId, { dateFrom: '2026-01-01', interval: 'month' })
  expect(points.slice(0, 2)).toEqual([
    { at: '2026-01-01T00:00:00.000Z', human: 2, ai: 0, total: 2 },
    { at: '2026-02-01T00:00:00.000Z', human: 1, ai: 2, total: 3 },
  ])
})

test.each(['Europe/Nowhere', 'Mars', "UTC'", '+02:00', ''])('rejects the time zone %j', async (timeZone) => {
  await expect(client.views.timeseries(projectId, { timeZone })).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'query/timeZone' }],
  })
})

test('rejects more than 10,000 intervals', async () => {
  const query = { dateFrom: '2026-01-01', dateTo: '2026-06-01', interval: 'quarter_hour' } as const
  await expect(client.views.timeseries(projectId, query)).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'query/interval' }],
  })
})

test('ClickHouse knows every time zone that is accepted', async () => {
  const dateFrom = '2026-02-11'
  const dateTo = '2026-02-12'
  for (const timeZone of [...Intl.supportedValuesOf('timeZone').filter((_, index) => index % 40 === 0), 'US/Pacific'])
    await expect(client.views.timeseries(projectId, { dateFrom, dateTo, timeZone })).resolves.toBeDefined()
})

test('lists clients by class and name, including search engines and other bots', async () => {
  expect(await client.views.clients(projectId, { dateFrom: '2026-02-01' })).toEqual({
    clients: [
      { class: 'human', name: 'browser', views: 1 },
      { class: 'assistant', name: 'Cursor', views: 1 },
      { class: 'ai-training', name: 'GPTBot', views: 1 },
      { class: 'search', name: 'Googlebot', views: 1 },
      { class: 'other-bot', name: 'curl', views: 1 },
    ],
    coverage: { human: 'measured', ai: 'measured' },
  })
})

test('coverage lists the sources and their days', async () => {
  const sources = [{ source: 'servers', firstDay: '2026-01-05', lastDay: '2026-02-11' }]
  expect(await client.views.coverage(projectId)).toEqual({ human: 'measured', ai: 'measured', sources })
  expect(await client.views.coverage(projectId, { dateTo: '2026-01-05' })).toEqual({
    human: 'not_measured',
    ai: 'not_measured',
    sources,
  })
})

test('classifies a request and gives the rule or the drop reason', async () => {
  const ruleVersion = expect.stringMatching(/^\d+\/\d{4}-\d{2}-\d{2}$/)
  expect(
    await client.views.classify(projectId, { userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2)', path: '/a/' }),
  ).toEqual({
    view: { path: '/a', surface: 'html', class: 'ai-training', client: 'GPTBot', rule: 'listed' },
    reason: null,
    ruleVersion,
  })
  expect(
    await client.views.classify(projectId, { userAgent: 'curl/8', path: '/a', accept: 'text/markdown' }),
  ).toMatchObject({
    view: { class: 'assistant', rule: 'accepts_markdown' },
  })
  expect(await client.views.classify(projectId, { path: '/logo.svg' })).toEqual({
    view: null,
    reason: 'not_a_page',
    ruleVersion,
  })
})

test('rejects callers without access', async () => {
  for (const { name: caller, client: theirs, code } of await api.deniedCallers(projectId, 'analytics:read')) {
    await expect(theirs.views.list(projectId), caller).rejects.toMatchObject({ code })
    await expect(theirs.views.timeseries(projectId), caller).rejects.toMatchObject({ code })
    await expect(theirs.views.exportCsv(projectId), caller).rejects.toMatchObject({ code })
    await expect(theirs.views.clients(projectId), caller).rejects.toMatchObject({ code })
    await expect(theirs.views.coverage(projectId), caller).rejects.toMatchObject({ code })
    await expect(theirs.views.classify(projectId, {}), caller).rejects.toMatchObject({ code })
  }
})

test('exports every page as CSV, in the order of the list', async () => {
  const download = (query: string) =>
    fetch(`${api.url}/v1/analytics/${projectId}/views.csv${query}`, { headers: { authorization: `Bearer ${secret}` } })
  const response = await download('')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="page-views.csv"')
  expect(await response.text()).toBe('path,human,ai,total\r\n/a,0,2,2\r\n/b,2,0,2\r\n/c,1,0,1\r\n')

  const narrow = await download('?dateFrom=2026-02-11T01:00%2B01:00&dateTo=2026-02-12&aiScope=assistants')
  expect(narrow.headers.get('content-disposition')).toContain('"page-views-from-2026-02-11-to-2026-02-12.csv"')
  expect(await narrow.text()).toBe('path,human,ai,total\r\n/a,0,1,1\r\n/c,1,0,1\r\n')

  const none = await client.views.exportCsv(projectId, { dateFrom: '2030-01-01' })
  expect(await new Response(none).text()).toBe('path,human,ai,total\r\n')
  expect((await download('?dateFrom=2030-01-01&limit=5')).status).toBe(400)
})
