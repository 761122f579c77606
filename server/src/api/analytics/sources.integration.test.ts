import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { loadPendingViews } from '../../analytics/testing/load-views.ts'

const api = await startTestApi(inject('services'), 'api sources')
afterAll(() => api.drop())

const { projectId, client } = await api.createProject('Handbook')
const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36'

test('are empty before the first event', async () => {
  expect(await client.views.sources(projectId)).toEqual({
    sources: [],
    dropped: [],
    measuredSince: { human: null, ai: null },
  })
  expect(await client.views.liveEvents(projectId)).toEqual({ events: [] })
})

test('count the events of servers and the script, and list the latest', { timeout: 30_000 }, async () => {
  const { key } = await client.views.createSiteKey(projectId)
  await client.views.changeSettings(projectId, { allowedOrigins: ['https://docs.example.com'] })
  const views = [
    { path: '/a', userAgent: 'ChatGPT-User/1.0' },
    { path: '/a', userAgent: browser },
    { path: '/logo.svg?reader=ada@example.com', userAgent: browser },
    { path: '/gone', userAgent: browser, status: 404 },
  ]
  for (const _ of ['first', 'repeated']) await client.views.ingest(projectId, { views }, { idempotencyKey: 'one' })
  const beacon = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/v1/collect`, {
      method: 'POST',
      headers: { 'user-agent': browser, origin: 'https://docs.example.com', ...headers },
      body: JSON.stringify({ key, id: path, path: `/${path}` }),
    })
  await beacon('b')
  await beacon('c', { dnt: '1' })
  await beacon('d', { origin: 'https://elsewhere.example' })
  await loadPendingViews(api)
  await sleep(4_000) // the activity of sources is written every three seconds

  const today = new Date().toISOString().slice(0, 10)
  const time = expect.stringMatching(/^20\d\d-.*Z$/)
  expect(await client.views.sources(projectId)).toEqual({
    sources: [
      { source: 'script', lastEventAt: time, countedLast24Hours: 1, droppedLast24Hours: 2 },
      { source: 'servers', lastEventAt: time, countedLast24Hours: 1, droppedLast24Hours: 3 },
    ],
    dropped: [
      { source: 'servers', reason: 'counted_elsewhere', last24Hours: 1, last7Days: 1 },
      { source: 'servers', reason: 'not_a_page', last24Hours: 1, last7Days: 1 },
      { source: 'servers', reason: 'not_successful', last24Hours: 1, last7Days: 1 },
      { source: 'script', reason: 'opted_out', last24Hours: 1, last7Days: 1 },
      { source: 'script', reason: 'origin_not_allowed', last24Hours: 1, last7Days: 1 },
    ],
    measuredSince: { human: today, ai: today },
  })
  const { events } = await client.views.liveEvents(projectId)
  expect(events.map(({ at: _, ...event }) => event)).toEqual(
    expect.arrayContaining([
      { path: '/b', source: 'script', client: { class: 'human', name: 'browser' }, reason: null },
      { path: '/a', source: 'servers', client: { class: 'assistant', name: 'ChatGPT-User' }, reason: null },
      { path: '/a', source: 'servers', client: null, reason: 'counted_elsewhere' },
      { path: '/logo.svg', source: 'servers', client: null, reason: 'not_a_page' },
      { path: '/gone', source: 'servers', client: null, reason: 'not_successful' },
    ]),
  )
  expect(events).toHaveLength(5)
})

test('human and AI traffic are measured since their own first day', async () => {
  const { projectId: other, client: theirs } = await api.createProject('Older logs')
  await api.pool.query(
    `INSERT INTO source_coverage (project_id, source, month, first_day, last_day, counts_humans) VALUES
      ($1, 'servers', '2026-01-01', '2026-01-05', '2026-01-31', false),
      ($1, 'servers', '2026-02-01', '2026-02-01', '2026-02-28', false),
      ($1, 'script', '2026-03-01', '2026-03-09', '2026-03-31', true)`,
    [other],
  )
  const { measuredSince } = await theirs.views.sources(other)
  expect(measuredSince).toEqual({ human: '2026-03-09', ai: '2026-01-05' })
})

test('rejects callers without access', async () => {
  for (const { name: caller, client: theirs, code } of await api.deniedCallers(projectId, 'analytics:read')) {
    await expect(theirs.views.sources(projectId), caller).rejects.toMatchObject({ code })
    await expect(theirs.views.liveEvents(projectId), caller).rejects.toMatchObject({ code })
  }
})
