import { afterAll, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'
import { loadViews } from '../../analytics/testing/load-views.ts'

const api = await startRunningApi(inject('services'), 'api views')
afterAll(() => api.drop())

const { projectId, secret, client } = await api.makeProject('Handbook')

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

test('everything, in the order of the contract, with every field', async () => {
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

test('a range is exact at its edges, and its end is not in it', async () => {
  const paths = async (query: string) => (await get(`views?${query}`)).body.views
  const one = (path: string, human: number, ai: number) => [{ path, human, ai, total: human + ai }]
  expect(await paths('dateTo=2026-01-05T10:00:00.001Z')).toEqual(one('/b', 1, 0))
  expect(await paths('dateFrom=2026-02-10&dateTo=2026-02-11')).toEqual(one('/a', 0, 1))
  expect(await paths('dateFrom=2026-02-11T01:00:00%2B01:00&dateTo=2026-02-11T12:00')).toEqual(one('/a', 0, 1))
  expect(await paths('dateFrom=2026-02-11T01:00:00+01:00&dateTo=2026-02-11T12:00')).toEqual(one('/a', 0, 1))
  expect(await paths('dateFrom=2030-01-01')).toEqual([])
  // Later, but by less than views can tell apart.
  expect(await paths('dateFrom=2026-01-05T10:00:00.0001Z&dateTo=2026-01-05T10:00:00.0002Z')).toEqual([])
})

test('pages of the list: totals stay, hasMore ends', async () => {
  const { body: first } = await get('views?limit=2')
  expect(first).toMatchObject({ totals: { total: 5 }, hasMore: true, views: [{ path: '/a' }, { path: '/b' }] })
  const { body: second } = await get('views?limit=2&offset=2')
  expect(second).toMatchObject({ totals: { total: 5 }, hasMore: false, views: [{ path: '/c' }] })
  const { body: behind } = await get('views?offset=999999999999999')
  expect(behind).toMatchObject({ totals: { total: 5 }, hasMore: false, views: [] })
})

test('ai is narrowed by the caller, or by the project, which the caller may widen', async () => {
  const totals = async (query = '') => (await get(`views${query}`)).body.totals
  expect(await totals('?aiScope=assistants')).toEqual({ human: 3, ai: 1, total: 4 })
  await client.views.changeSettings(projectId, { aiScope: 'assistants' })
  expect(await totals()).toEqual({ human: 3, ai: 1, total: 4 })
  expect(await totals('?aiScope=all')).toEqual({ human: 3, ai: 2, total: 5 })
  await client.views.changeSettings(projectId, { aiScope: 'all' })
})

test('what a project does not keep is not told, deleted or not', async () => {
  const { projectId: forgetful, secret: key, client: theirs } = await api.makeProject('Forgetful')
  const views = [{ at: new Date() }, { at: at('2025-01-01T00:00:00Z') }]
  await loadViews(api, { projectId: forgetful, source: 'servers', countsHumans: true, views })
  const total = async () => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${api.url}/v1/analytics/${forgetful}/views`, { headers })
    return ((await response.json()) as { totals: { total: number } }).totals.total
  }
  expect(await total()).toBe(2)
  await theirs.views.changeSettings(forgetful, { retentionMonths: 1 })
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
])('a wrong %s is refused: %s', async (path, query) => {
  const { status, body } = await get(`views?${query}`)
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path }] })
})

test('over time, in steps of a zone, without gaps', async () => {
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

test.each(['Europe/Nowhere', 'Mars', "UTC'", '+02:00', ''])('there is no time zone %j', async (timeZone) => {
  await expect(client.views.timeseries(projectId, { timeZone })).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'query/timeZone' }],
  })
})

test('more steps than an answer holds', async () => {
  const query = { dateFrom: '2026-01-01', dateTo: '2026-06-01', interval: 'quarter_hour' } as const
  await expect(client.views.timeseries(projectId, query)).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'query/interval' }],
  })
})

test('every time zone that is taken is known to ClickHouse', async () => {
  const dateFrom = '2026-02-11'
  const dateTo = '2026-02-12'
  for (const timeZone of [...Intl.supportedValuesOf('timeZone').filter((_, index) => index % 40 === 0), 'US/Pacific'])
    await expect(client.views.timeseries(projectId, { dateFrom, dateTo, timeZone })).resolves.toBeDefined()
})

test('readers by class and name, those in neither number too', async () => {
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

test('coverage: who told of which days', async () => {
  const sources = [{ source: 'servers', firstDay: '2026-01-05', lastDay: '2026-02-11' }]
  expect(await client.views.coverage(projectId)).toEqual({ human: 'measured', ai: 'measured', sources })
  expect(await client.views.coverage(projectId, { dateTo: '2026-01-05' })).toEqual({
    human: 'not_measured',
    ai: 'not_measured',
    sources,
  })
})

test('classify: who a reader is and why, or why it is no view', async () => {
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

test('strangers are kept out', async () => {
  for (const { who, client: theirs, code } of await api.strangersTo(projectId, 'analytics:read')) {
    await expect(theirs.views.list(projectId), who).rejects.toMatchObject({ code })
    await expect(theirs.views.timeseries(projectId), who).rejects.toMatchObject({ code })
    await expect(theirs.views.exportCsv(projectId), who).rejects.toMatchObject({ code })
    await expect(theirs.views.clients(projectId), who).rejects.toMatchObject({ code })
    await expect(theirs.views.coverage(projectId), who).rejects.toMatchObject({ code })
    await expect(theirs.views.classify(projectId, {}), who).rejects.toMatchObject({ code })
  }
})

test('as CSV: every page, in the order of the list', async () => {
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
