/** Compares queries on random views and ranges with a reference model that shares no code with them: it filters a list. */
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Id } from '../../platform/ids.ts'
import { type ClientClass, clientClasses } from '../classify/client-class.ts'
import type { View } from '../collect/view.ts'
import { BlockStore } from '../load/block-store.ts'
import { loadBlocks } from '../load/load-blocks.ts'
import { StandbyWait } from '../load/standby-wait.ts'
import { createTestView } from '../testing/create-test-view.ts'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { findCoverage } from './find-coverage.ts'
import { listClientsByViews } from './list-clients.ts'
import { listPagesByViews, type PageViews } from './list-views.ts'
import { queryTimeseries, type TimeStep } from './query-timeseries.ts'
import type { TimeRange } from './time-range.ts'

const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
const random = mulberry32(seed)
const below = (limit: number) => Math.floor(random() * limit)
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T

const instance = await createViewsTestInstance(inject('services'), 'queries')
afterAll(() => instance.drop())
const projectId = await instance.newProject('Docs')

const firstMs = Date.UTC(2025, 9, 20, 13, 7, 11, 123)
const lastMs = Date.UTC(2026, 10, 9, 3, 59, 59, 999)
const names: Record<ClientClass, string[]> = {
  human: ['browser'],
  assistant: ['Cursor', 'Claude Code'],
  'ai-search': ['OAI-SearchBot'],
  'ai-training': ['GPTBot', 'ClaudeBot'],
  search: ['Googlebot'],
  'other-bot': ['curl', 'unknown'],
}

/** Favors the edges of units, and one millisecond before and after them, where bugs are most likely. */
function randomMoment(): number {
  const at = new Date(firstMs + below(lastMs - firstMs))
  const nudgeMs = pick([0, 0, -1, 1])
  switch (below(6)) {
    case 0:
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth()) + nudgeMs
    case 1:
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()) + nudgeMs
    case 2:
      return Math.floor(at.getTime() / 900_000) * 900_000 + nudgeMs
    default:
      return at.getTime()
  }
}

function randomView(owner: Id<'prj'>): View {
  const clientClass = pick(clientClasses)
  return createTestView({
    projectId: owner,
    at: new Date(Math.min(Math.max(randomMoment(), firstMs), lastMs)),
    path: `/docs/page-${Math.floor(random() ** 2 * 40)}`,
    class: clientClass,
    client: pick(names[clientClass]),
  })
}

const views = Array.from({ length: 6_000 }, () => randomView(projectId))

beforeAll(async () => {
  console.log(`seed ${seed}`)
  const buffer = instance.newBuffer()
  const other = await instance.newProject('Other docs')
  const noise = Array.from({ length: 2_000 }, () => randomView(other))
  const client = await instance.pool.connect()
  const store = new BlockStore(client)
  const standbys = new StandbyWait(client, instance.log)
  // In several blocks, so that sums have to be added up over blocks.
  for (let from = 0; from < views.length; from += 1_500) {
    const deliver = (owner: Id<'prj'>, delivered: View[]) =>
      buffer.append({
        projectId: owner,
        source: 'servers',
        countsHumans: true,
        deliveryId: undefined,
        views: delivered,
      })
    await Promise.all([deliver(projectId, views.slice(from, from + 1_500)), deliver(other, noise.slice(0, 500))])
    await loadBlocks({ store, standbys, clickhouse: instance.clickhouse, log: instance.log })
  }
  client.release()
})

function randomRange(): TimeRange {
  const a = randomMoment()
  const b = pick([randomMoment(), randomMoment(), firstMs + below(86_400_000)])
  const [from, to] = a < b ? [a, b] : [b, a]
  return {
    from: below(8) === 0 ? undefined : new Date(from),
    to: below(8) === 0 ? undefined : new Date(to === from ? to + 1 : to),
  }
}

const inRange = ({ from, to }: TimeRange) =>
  views.filter(({ at }) => (from === undefined || at >= from) && (to === undefined || at < to))

const isAi = (ai: 'all' | 'assistants', clientClass: ClientClass) =>
  ai === 'all' ? ['assistant', 'ai-search', 'ai-training'].includes(clientClass) : clientClass === 'assistant'

function countBy(counted: readonly View[], ai: 'all' | 'assistants', keyOf: (view: View) => string) {
  const counts = new Map<string, { human: number; ai: number; total: number }>()
  for (const view of counted) {
    const isHuman = view.class === 'human'
    if (!isHuman && !isAi(ai, view.class)) continue
    const count = counts.get(keyOf(view)) ?? { human: 0, ai: 0, total: 0 }
    counts.set(keyOf(view), count)
    count.total++
    if (isHuman) count.human++
    else count.ai++
  }
  return counts
}

function expectedPages(range: TimeRange, ai: 'all' | 'assistants'): PageViews[] {
  return [...countBy(inRange(range), ai, ({ path }) => path)]
    .map(([path, counts]) => ({ path, ...counts }))
    .sort((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
}

const sum = (counts: Iterable<{ human: number; ai: number; total: number }>) =>
  [...counts].reduce(
    (sums, { human, ai, total }) => ({ human: sums.human + human, ai: sums.ai + ai, total: sums.total + total }),
    { human: 0, ai: 0, total: 0 },
  )

test('returns the exact pages, totals and clients for any range, to the millisecond', {
  timeout: 300_000,
}, async () => {
  for (let run = 0; run < 60; run++) {
    const range = randomRange()
    const ai = pick(['all', 'assistants'] as const)
    const context = `seed ${seed}, ${range.from?.toISOString()} to ${range.to?.toISOString()}, ${ai}`
    const pages = expectedPages(range, ai)
    const page = await listPagesByViews(instance.clickhouse, { projectId, range, ai, pages: {}, limit: 250, offset: 0 })
    expect(page, context).toEqual({ totals: sum(pages), views: pages, hasMore: false })

    const viewsByClient = Map.groupBy(inRange(range), (view) => `${view.class} ${view.client}`)
    const found = await listClientsByViews(instance.clickhouse, { projectId, range })
    expect(Object.fromEntries(found.map((row) => [`${row.class} ${row.name}`, row.views])), context).toEqual(
      Object.fromEntries([...viewsByClient].map(([key, group]) => [key, group.length])),
    )
    expect(found.map((row) => row.views)).toEqual(found.map((row) => row.views).toSorted((a, b) => b - a))
  }
})

test('filters by one path, or by a text in the path', { timeout: 300_000 }, async () => {
  for (let run = 0; run < 20; run++) {
    const range = randomRange()
    const path = `/docs/page-${below(40)}`
    const contains = `PAGE-${below(4)}`
    const context = `seed ${seed}, ${range.from?.toISOString()} to ${range.to?.toISOString()}, ${path}, ${contains}`
    const pages = expectedPages(range, 'all')
    const list = (filter: { path: string } | { contains: string }) =>
      listPagesByViews(instance.clickhouse, { projectId, range, ai: 'all', pages: filter, limit: 250, offset: 0 })
    const matching = pages.filter((page) => page.path === path)
    expect(await list({ path }), context).toEqual({ totals: sum(matching), views: matching, hasMore: false })
    const containing = pages.filter((page) => page.path.includes(contains.toLowerCase()))
    expect(await list({ contains }), context).toEqual({ totals: sum(containing), views: containing, hasMore: false })

    const pageViews = inRange(range).filter((view) => view.path === path)
    const clients = await listClientsByViews(instance.clickhouse, { projectId, range, path })
    expect(Object.fromEntries(clients.map((row) => [`${row.class} ${row.name}`, row.views])), context).toEqual(
      Object.fromEntries(
        [...Map.groupBy(pageViews, (view) => `${view.class} ${view.client}`)].map(([key, group]) => [
          key,
          group.length,
        ]),
      ),
    )
    const step = pick(['day', 'week', 'month'] as const)
    const timeZone = pick(['UTC', ...zones])
    const points = await queryTimeseries(instance.clickhouse, { projectId, range, ai: 'all', step, timeZone, path })
    const found = points
      .filter(({ total }) => total > 0)
      .map(({ at, ...counts }) => [stepName(at, step, timeZone), counts])
    const expected = countBy(pageViews, 'all', ({ at }) => stepName(at, step, timeZone))
    expect(Object.fromEntries(found), `${context}, ${step} ${timeZone}`).toEqual(Object.fromEntries(expected))
  }
})

test('returns every path once over all pages of results, with the same totals even after the last one', async () => {
  const range = { from: undefined, to: new Date(lastMs) }
  const pages = expectedPages(range, 'all')
  const found: PageViews[] = []
  for (let offset = 0; ; offset += 7) {
    const page = await listPagesByViews(instance.clickhouse, {
      projectId,
      range,
      ai: 'all',
      pages: {},
      limit: 7,
      offset,
    })
    found.push(...page.views)
    expect(page.totals).toEqual(sum(pages))
    expect(page.hasMore).toBe(offset + 7 < pages.length)
    if (!page.hasMore) break
  }
  expect(found).toEqual(pages)
  const afterLast = await listPagesByViews(instance.clickhouse, {
    projectId,
    range,
    ai: 'all',
    pages: {},
    limit: 7,
    offset: 1e15,
  })
  expect(afterLast).toEqual({ totals: sum(pages), views: [], hasMore: false })
})

test.each<[string, TimeRange]>([
  ['before everything', { from: new Date(0), to: new Date(1) }],
  ['in the far past', { from: new Date('-000100-01-01T00:00:00Z'), to: new Date('0001-01-01T00:00:00Z') }],
  ['in the far future', { from: new Date('9998-01-01T00:00:00Z'), to: new Date('9999-12-31T23:59:59.999Z') }],
  ['of a millisecond without views', { from: new Date(firstMs - 1), to: new Date(firstMs) }],
])('returns no views for a range %s', async (_, range) => {
  expect(
    await listPagesByViews(instance.clickhouse, { projectId, range, ai: 'all', pages: {}, limit: 50, offset: 0 }),
  ).toEqual({
    totals: { human: 0, ai: 0, total: 0 },
    views: [],
    hasMore: false,
  })
  expect(await listClientsByViews(instance.clickhouse, { projectId, range })).toEqual([])
})

const formatters = new Map<string, Intl.DateTimeFormat>()

/** The local time in that zone. */
function localTime(at: Date, timeZone: string): Record<string, string> {
  const formatter =
    formatters.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    } as const)
  formatters.set(timeZone, formatter)
  return Object.fromEntries(formatter.formatToParts(at).map(({ type, value }) => [type, value]))
}

/** A name for the step that contains a moment. */
function stepName(at: Date, step: TimeStep, timeZone: string): string {
  const { year, month, day, minute, second, weekday } = localTime(at, timeZone)
  const intoHourMs = (Number(minute) * 60 + Number(second)) * 1000 + at.getMilliseconds()
  switch (step) {
    case 'quarter_hour':
      return new Date(at.getTime() - (intoHourMs % 900_000)).toISOString()
    case 'hour':
      return new Date(at.getTime() - intoHourMs).toISOString()
    case 'day':
      return `${year}-${month}-${day}`
    case 'week': {
      const daysSinceMonday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(weekday ?? '')
      return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) - daysSinceMonday))
        .toISOString()
        .slice(0, 10)
    }
    case 'month':
      return `${year}-${month}`
  }
}

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Auckland']

test('returns a timeseries in the steps of any time zone, without gaps', { timeout: 300_000 }, async () => {
  for (let run = 0; run < 30; run++) {
    const step = pick(['quarter_hour', 'hour', 'day', 'week', 'month'] as const)
    const timeZone = pick(zones)
    const ai = pick(['all', 'assistants'] as const)
    const from = new Date(randomMoment())
    const maxRangeMs = { quarter_hour: 4, hour: 20, day: 60, week: 200, month: 400 }[step] * 86_400_000
    const sampleEveryMs = { quarter_hour: 60, hour: 300, day: 900, week: 3_600, month: 3_600 }[step] * 1_000
    const range = { from, to: new Date(from.getTime() + 1 + below(maxRangeMs)) }
    const context = `seed ${seed}, ${range.from.toISOString()} to ${range.to.toISOString()}, ${step} ${timeZone} ${ai}`

    const points = await queryTimeseries(instance.clickhouse, { projectId, range, ai, step, timeZone })
    const found = new Map(points.map(({ at, ...counts }) => [stepName(at, step, timeZone), counts]))
    expect(found.size, context).toBe(points.length)
    const expected = countBy(inRange(range), ai, ({ at }) => stepName(at, step, timeZone))
    const nonEmpty = new Map([...found].filter(([, { total }]) => total > 0))
    expect(Object.fromEntries(nonEmpty), context).toEqual(Object.fromEntries(expected))

    const steps = new Set<string>()
    for (let ms = range.from.getTime(); ms < range.to.getTime(); ms += sampleEveryMs) {
      steps.add(stepName(new Date(ms), step, timeZone))
    }
    steps.add(stepName(new Date(range.to.getTime() - 1), step, timeZone))
    expect([...found.keys()], context).toEqual([...steps])
    for (const { at } of points.slice(1))
      expect(stepName(new Date(at.getTime() - 1), step, timeZone)).not.toBe(stepName(at, step, timeZone))
  }
})

test('returns an unbounded timeseries from the first view until now, and none for a project without views', async () => {
  const query = { range: { from: undefined, to: undefined }, ai: 'all', step: 'month', timeZone: 'UTC' } as const
  const points = await queryTimeseries(instance.clickhouse, { projectId, ...query })
  expect(points[0]?.at).toEqual(new Date(Date.UTC(2025, 9)))
  const now = new Date()
  expect(points.at(-1)?.at).toEqual(
    new Date(Math.max(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()), Date.UTC(2026, 10))),
  )
  expect(sum(points)).toEqual(sum(expectedPages(query.range, 'all')))
  expect(
    await queryTimeseries(instance.clickhouse, { projectId: await instance.newProject('Empty'), ...query }),
  ).toEqual([])
})

test('rejects a timeseries with too many steps', async () => {
  const range = { from: new Date('2000-01-01T00:00:00Z'), to: new Date('2026-01-01T00:00:00Z') }
  const query = { projectId, range, ai: 'all', step: 'quarter_hour', timeZone: 'UTC' } as const
  await expect(queryTimeseries(instance.clickhouse, query)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('reads pages times months for a long range, not single views', async () => {
  const range = { from: new Date('2026-02-03T00:00:00Z'), to: new Date('2026-09-17T00:00:00Z') }
  const [monthRows] = await instance.queryRows<{ rows: number }>(
    `SELECT count() AS rows FROM views_by_page_and_month WHERE project_id = '${projectId}' AND month >= '2026-03-01' AND month < '2026-09-01'`,
  )
  expect(monthRows?.rows).toBeLessThanOrEqual(4 * 40 * 6) // four blocks, forty pages, six months
  expect(
    (await listPagesByViews(instance.clickhouse, { projectId, range, ai: 'all', pages: {}, limit: 1, offset: 0 }))
      .totals,
  ).toEqual(sum(expectedPages(range, 'all')))
})

test('reports coverage by the sources that count humans, and by servers for AI', async () => {
  const project = await instance.newProject('Covered')
  const buffer = instance.newBuffer()
  const report = (source: 'script' | 'servers', day: string, countsHumans: boolean) =>
    buffer.append({
      projectId: project,
      source,
      countsHumans,
      deliveryId: undefined,
      views: [createTestView({ projectId: project, at: new Date(`${day}T12:00:00Z`) })],
    })
  await report('script', '2026-03-01', true)
  await report('script', '2026-03-10', true)
  await report('servers', '2026-05-05', false)
  const coverage = async (from: string | undefined, to: string | undefined) => {
    const range = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined }
    const { human, ai } = await findCoverage(instance.db, { projectId: project, range })
    return [human === 'measured' && 'human', ai === 'measured' && 'ai'].filter((measured) => measured !== false)
  }
  expect(await coverage('2026-03-05T00:00:00Z', '2026-03-06T00:00:00Z')).toEqual(['human'])
  expect(await coverage('2026-03-10T00:00:00Z', '2026-05-05T00:00:00Z')).toEqual(['human'])
  expect(await coverage('2026-03-11T00:00:00Z', '2026-05-05T00:00:00.001Z')).toEqual(['ai'])
  expect(await coverage('2026-05-05T23:59:59Z', '2026-05-07T00:00:00Z')).toEqual(['ai'])
  expect(await coverage('2026-05-06T00:00:00Z', '2026-05-07T00:00:00Z')).toEqual([])
  expect(await coverage(undefined, undefined)).toEqual(['human', 'ai'])

  // Servers that counted humans until the first site key on 3 July: humans are not measured from then on, until the script
  // reports, even within the same month.
  await report('servers', '2026-07-01', true)
  await report('servers', '2026-07-03', true)
  await report('servers', '2026-07-20', false)
  expect(await coverage('2026-07-02T00:00:00Z', '2026-07-03T00:00:00Z')).toEqual(['human', 'ai'])
  expect(await coverage('2026-07-04T00:00:00Z', '2026-07-21T00:00:00Z')).toEqual(['ai'])
  await report('script', '2026-07-21', true)
  expect(await coverage('2026-07-21T00:00:00Z', '2026-07-22T00:00:00Z')).toEqual(['human'])

  // An import while servers counted humans. The time between it and the other reports is not covered.
  await report('servers', '2024-02-29', true)
  expect(await coverage('2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z')).toEqual(['human', 'ai'])
  expect(await coverage('2024-03-01T00:00:00Z', '2026-03-01T00:00:00Z')).toEqual([])
  expect(await coverage('2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z')).toEqual(['ai'])
})

function mulberry32(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
