import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, expect, inject, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import { makeView } from '../testing/make-view.ts'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { otherPages } from './script-pages.ts'
import { ViewBuffer } from './view-buffer.ts'
import type { ViewDelivery } from './view-delivery.ts'

const instance = await createViewsTestInstance(inject('services'), 'view buffer')
afterAll(() => instance.drop())
afterEach(() => instance.pool.query('TRUNCATE view_batch'))

const projectId = await instance.newProject('Docs')
const newBuffer = (limitBytes = 1e9) => new ViewBuffer(instance.db, { limitBytes })

const delivery = (difference: Partial<ViewDelivery> = {}): ViewDelivery => ({
  projectId,
  shard: 0,
  source: 'servers',
  countsHumans: false,
  deliveryId: undefined,
  views: [makeView({ projectId })],
  ...difference,
})
const withId = (text: string, difference: Partial<ViewDelivery> = {}) =>
  delivery({ deliveryId: { text, keep: 'a week' }, ...difference })

interface BatchRow {
  shard: number
  month: string
  rows: number
  size_bytes: number
  body: Buffer
}

async function batches() {
  const { rows } = await instance.pool.query<BatchRow>(
    'SELECT shard, month::text, rows, size_bytes, body FROM view_batch ORDER BY month, id',
  )
  return rows.map(({ body, ...row }) => {
    const text = gunzipSync(body).toString()
    expect(text.length).toBe(row.size_bytes)
    const lines = text.split('\n').slice(0, -1)
    expect(lines.length).toBe(row.rows)
    return { ...row, lines: lines.map((line) => JSON.parse(line) as unknown[]) }
  })
}

const countBatches = async () => (await batches()).length

test('what arrives together is committed together, whoever it is from', async () => {
  const buffer = newBuffer()
  const other = await instance.newProject('Other docs')
  const outcomes = await Promise.all([
    ...Array.from({ length: 50 }, () => buffer.append(delivery())),
    buffer.append(delivery({ projectId: other, views: [makeView({ projectId: other })] })),
  ])
  expect(new Set(outcomes)).toEqual(new Set(['taken']))
  const [batch, ...more] = await batches()
  expect(more).toEqual([])
  expect(batch?.rows).toBe(51)
})

test('a delivery is spread over its months and shards', async () => {
  const buffer = newBuffer()
  const at = (time: string) => makeView({ projectId, at: new Date(time) })
  const views = [at('2026-10-31T23:59:59.999Z'), at('2026-11-01T00:00:00.000Z'), at('2026-11-02T00:00:00.000Z')]
  await Promise.all([buffer.append(delivery({ views })), buffer.append(delivery({ views, shard: 1 }))])
  expect((await batches()).map(({ shard, month, rows }) => [shard, month, rows])).toEqual([
    [0, '2026-10-01', 1],
    [1, '2026-10-01', 1],
    [0, '2026-11-01', 2],
    [1, '2026-11-01', 2],
  ])
})

test('a repeated delivery is known by its id: later, at the same time, from another replica', async () => {
  const one = newBuffer()
  const two = newBuffer()
  expect(await one.append(withId('first'))).toBe('taken')
  expect(await one.append(withId('first'))).toBe('repeated')
  expect(await two.append(withId('first'))).toBe('repeated')
  const together = await Promise.all([
    ...Array.from({ length: 10 }, () => one.append(withId('second'))),
    ...Array.from({ length: 10 }, () => two.append(withId('second'))),
  ])
  expect(together.filter((outcome) => outcome === 'taken')).toEqual(['taken'])
  expect((await batches()).reduce((sum, { rows }) => sum + rows, 0)).toBe(2)
})

test('the same id of another project is another delivery', async () => {
  const buffer = newBuffer()
  const other = await instance.newProject('Third docs')
  await buffer.append(withId('shared'))
  expect(await buffer.append(withId('shared', { projectId: other }))).toBe('taken')
})

test('many deliveries at once from replicas, in any order, never wait for each other in a circle', async () => {
  const buffers = [newBuffer(), newBuffer(), newBuffer()]
  const ids = Array.from({ length: 300 }, (_, index) => `shuffled ${index}`)
  const projects = await Promise.all(['A', 'B', 'C'].map((name) => instance.newProject(name)))
  const sent = buffers.flatMap((buffer) =>
    ids
      .toSorted(() => Math.random() - 0.5)
      .map((id, index) => {
        const owner = projects[Number(id.split(' ')[1]) % 3] ?? projectId
        const views = [makeView({ projectId: owner, path: `/page-${index % 40}`, source: 'script' })]
        return buffer.append(withId(id, { projectId: owner, source: 'script', views }))
      }),
  )
  const outcomes = await Promise.all(sent)
  expect(outcomes.filter((outcome) => outcome === 'taken').length).toBe(ids.length)
})

test('a transaction that fails leaves neither views nor ids: the sender tries again and is taken', async () => {
  const buffer = newBuffer()
  await instance.pool.query('ALTER TABLE view_batch ADD CONSTRAINT in_the_way CHECK (rows > 1000) NOT VALID')
  await expect(buffer.append(withId('failing'))).rejects.toThrow('in_the_way')
  await instance.pool.query('ALTER TABLE view_batch DROP CONSTRAINT in_the_way')
  expect(await countBatches()).toBe(0)
  expect(await buffer.append(withId('failing'))).toBe('taken')
})

test('the buffer at its cap refuses, by name, and takes again when there is room', async () => {
  const full = newBuffer(1)
  await full.append(delivery())
  await expect(full.append(delivery())).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '30' } })
  expect(await countBatches()).toBe(1)
  await instance.pool.query('TRUNCATE view_batch')
  await expect.poll(() => full.append(delivery()).catch(() => 'refused'), { timeout: 5_000 }).toBe('taken')
})

test('who told of a project, and of which days, is noted; also when no view was left', async () => {
  const project = await instance.newProject('Watched')
  const buffer = newBuffer()
  const on = (...days: string[]) =>
    days.map((day) => makeView({ projectId: project, at: new Date(`${day}T12:00:00Z`) }))
  await buffer.append(delivery({ projectId: project, views: on('2026-03-05', '2026-03-01') }))
  await buffer.append(delivery({ projectId: project, views: on('2026-02-28') }))
  await buffer.append(delivery({ projectId: project, countsHumans: true, views: on('2026-03-02') }))
  await buffer.append(delivery({ projectId: project, views: on('2026-03-03', '2026-02-28') }))
  await buffer.append(delivery({ projectId: project, source: 'script', countsHumans: true, views: [] }))
  const { rows } = await instance.pool.query(
    `SELECT source, first_day::text, last_day::text, counts_humans FROM source_coverage WHERE project_id = $1
     ORDER BY source DESC, month`,
    [project],
  )
  const today = new Date().toISOString().slice(0, 10)
  expect(rows).toEqual([
    { source: 'servers', first_day: '2026-02-28', last_day: '2026-02-28', counts_humans: false },
    { source: 'servers', first_day: '2026-03-01', last_day: '2026-03-05', counts_humans: true },
    { source: 'script', first_day: today, last_day: today, counts_humans: true },
  ])
})

test('what is known of a source is not written again: nobody waits for a row that says nothing new', async () => {
  const project = await instance.newProject('Well known')
  const told = () => newBuffer().append(delivery({ projectId: project, views: [makeView({ projectId: project })] }))
  await told()
  const holder = await instance.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM source_coverage WHERE project_id = $1 FOR UPDATE', [project])
  try {
    expect(await told()).toBe('taken')
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
})

test('views of a project that is being deleted fail nobody', async () => {
  const gone = newId('prj')
  const buffer = newBuffer()
  const views = [makeView({ projectId: gone, source: 'script' })]
  const sent = [
    buffer.append(delivery({ projectId: gone, source: 'script', views })),
    buffer.append(delivery({ projectId: gone })),
    buffer.append(delivery()),
  ]
  expect(await Promise.all(sent)).toEqual(['taken', 'taken', 'taken'])
})

test('pages that the script invents are one page after 2,000 new ones a day; known ones and those of servers stay', async () => {
  const project = await instance.newProject('Invaded')
  const one = newBuffer()
  const two = newBuffer()
  const told = (source: 'script' | 'servers', ...paths: string[]) =>
    delivery({
      projectId: project,
      source,
      views: paths.map((path) => makeView({ projectId: project, path, source: source })),
    })
  const invented = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `/invented-${from + i}`)
  await one.append(told('script', '/real', ...invented(0, 1_500)))
  await Promise.all([
    one.append(told('script', ...invented(1_500, 2_500))),
    two.append(told('script', ...invented(2_500, 3_500))),
  ])
  await one.append(told('script', '/real', '/new'))
  await one.append(told('servers', '/new'))
  const paths = (await batches()).flatMap(({ lines }) => lines.map(([, , path]) => path))
  expect(new Set(paths.filter((path) => path !== otherPages && path !== '/new')).size).toBe(2_000)
  expect(paths.filter((path) => path === otherPages).length).toBe(1_501 + 2_000 - 2_000 + 1)
  expect(paths.filter((path) => path === '/real').length).toBe(2)
  expect(paths.filter((path) => path === '/new').length).toBe(1)
})

test('a delivery of many megabytes is several batches', async () => {
  const views = Array.from({ length: 6_000 }, () => makeView({ projectId, userAgent: 'x'.repeat(1_000) }))
  await newBuffer().append(delivery({ views }))
  const sizes = (await batches()).map(({ size_bytes }) => size_bytes)
  expect(sizes.length).toBe(2)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4 * 1024 * 1024)
})

test('whoever looks how full it is does not have all of it measured each time', async () => {
  let measured = 0
  const db = instance.db.withPlugin({
    transformQuery({ node }) {
      if (JSON.stringify(node).includes('octet_length')) measured++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const buffer = new ViewBuffer(db, { limitBytes: 1e9 })
  await buffer.append(delivery())
  const looks = await Promise.all(Array.from({ length: 10 }, () => buffer.look()))
  for (const { bytes, oldestWaitingAt } of looks) {
    expect(bytes).toBeGreaterThan(0)
    expect(oldestWaitingAt).toBeInstanceOf(Date)
  }
  expect(measured).toBe(1)
  await instance.pool.query('TRUNCATE view_batch')
  expect(await buffer.look()).toMatchObject({ bytes: 0, oldestWaitingAt: null })
})
