import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { allowOlderVersion, finishUpgrade } from '../../../../testing/harness/older-version.ts'
import { newId } from '../../platform/ids.ts'
import { executePipelined } from '../../platform/pipelined-transaction.ts'
import { createTestView } from '../testing/create-test-view.ts'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { recordDeliveryIds, sizeOfDeliveryIds } from './delivery-ids.ts'
import { otherPagesPath } from './limit-new-pages.ts'
import { PostgresViewBuffer } from './view-buffer.ts'
import type { ViewDelivery } from './view-delivery.ts'

const instance = await createViewsTestInstance(inject('services'), 'view buffer')
afterAll(() => instance.drop())
afterEach(() => instance.pool.query('TRUNCATE view_batch'))

const projectId = await instance.newProject('Docs')
const { newBuffer } = instance

const delivery = (overrides: Partial<ViewDelivery> = {}): ViewDelivery => ({
  projectId,
  source: 'servers',
  countsHumans: false,
  deliveryId: undefined,
  views: [createTestView({ projectId })],
  ...overrides,
})
const withId = (text: string, overrides: Partial<ViewDelivery> = {}) =>
  delivery({ deliveryId: { text, retention: 'week' }, ...overrides })

interface BatchRow {
  month: string
  rows: number
  size_bytes: number
  body: Buffer
}

async function batches() {
  const { rows } = await instance.pool.query<BatchRow>(
    'SELECT month::text, rows, size_bytes, body FROM view_batch ORDER BY month, id',
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

test('commits deliveries of any projects that arrive together in one batch', async () => {
  const buffer = newBuffer()
  const other = await instance.newProject('Other docs')
  const outcomes = await Promise.all([
    ...Array.from({ length: 50 }, () => buffer.append(delivery())),
    buffer.append(delivery({ projectId: other, views: [createTestView({ projectId: other })] })),
  ])
  expect(new Set(outcomes)).toEqual(new Set(['stored']))
  const [batch, ...more] = await batches()
  expect(more).toEqual([])
  expect(batch?.rows).toBe(51)
})

test('splits a delivery by month', async () => {
  const buffer = newBuffer()
  const at = (time: string) => createTestView({ projectId, at: new Date(time) })
  const views = [at('2026-10-31T23:59:59.999Z'), at('2026-11-01T00:00:00.000Z'), at('2026-11-02T00:00:00.000Z')]
  await buffer.append(delivery({ views }))
  expect((await batches()).map(({ month, rows }) => [month, rows])).toEqual([
    ['2026-10-01', 1],
    ['2026-11-01', 2],
  ])
})

test('recognizes a repeated delivery by its ID: later, concurrently, or on another replica', async () => {
  const replica1 = newBuffer()
  const replica2 = newBuffer()
  expect(await replica1.append(withId('first'))).toBe('stored')
  expect(await replica1.append(withId('first'))).toBe('repeated')
  expect(await replica2.append(withId('first'))).toBe('repeated')
  const outcomes = await Promise.all([
    ...Array.from({ length: 10 }, () => replica1.append(withId('second'))),
    ...Array.from({ length: 10 }, () => replica2.append(withId('second'))),
  ])
  expect(outcomes.filter((outcome) => outcome === 'stored')).toEqual(['stored'])
  expect((await batches()).reduce((sum, { rows }) => sum + rows, 0)).toBe(2)
})

describe('while replicas of 0.1.0 may run', () => {
  beforeEach(() => allowOlderVersion(instance))
  afterEach(() => finishUpgrade(instance))

  /** As 0.1.0 does: true, if the delivery is new there. */
  const recordInFirstRelease = async (client: Pick<pg.Pool, 'query'>, id: string) => {
    const hash = createHash('sha256').update(`${projectId}\n${id}`).digest().subarray(0, 16)
    const { rows } = await client.query(
      'INSERT INTO view_delivery (delivery, expires_on) VALUES ($1, CURRENT_DATE + 7) ON CONFLICT DO NOTHING RETURNING delivery',
      [hash],
    )
    return rows.length === 1
  }

  test.each(['half_hour', 'week'] as const)('each recognizes what the other has accepted (%s)', async (retention) => {
    const buffer = newBuffer()
    const append = (id: string) => buffer.append(delivery({ deliveryId: { text: id, retention } }))
    expect(await append(`first here ${retention}`)).toBe('stored')
    expect(await recordInFirstRelease(instance.pool, `first here ${retention}`)).toBe(false)
    expect(await append(`first here ${retention}`)).toBe('repeated')
    expect(await recordInFirstRelease(instance.pool, `first there ${retention}`)).toBe(true)
    expect(await append(`first there ${retention}`)).toBe('repeated')
    // A replica of this version that already knows that the upgrade is finished.
    await finishUpgrade(instance)
    expect(await append(`first here ${retention}`)).toBe('repeated')
  })

  test('each waits for the other while it records the same delivery', async () => {
    const older = await instance.pool.connect()
    await older.query('BEGIN')
    expect(await recordInFirstRelease(older, 'at the same time')).toBe(true)
    const appended = newBuffer().append(withId('at the same time'))
    await expect.poll(countWaiting).toBe(1)
    await older.query('COMMIT')
    older.release()
    expect(await appended).toBe('repeated')
  })

  const countWaiting = async () =>
    (
      await instance.pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
    ).rows.length
})

test('treats the same ID in another project as a different delivery', async () => {
  const buffer = newBuffer()
  const other = await instance.newProject('Third docs')
  await buffer.append(withId('shared'))
  expect(await buffer.append(withId('shared', { projectId: other }))).toBe('stored')
})

test('does not deadlock when replicas write many deliveries concurrently, in any order', async () => {
  const buffers = [newBuffer(), newBuffer(), newBuffer()]
  const ids = Array.from({ length: 300 }, (_, index) => `shuffled ${index}`)
  const projects = await Promise.all(['A', 'B', 'C'].map((name) => instance.newProject(name)))
  const sent = buffers.flatMap((buffer) =>
    ids
      .toSorted(() => Math.random() - 0.5)
      .map((id, index) => {
        const owner = projects[Number(id.split(' ')[1]) % 3] ?? projectId
        const views = [createTestView({ projectId: owner, path: `/page-${index % 40}`, source: 'script' })]
        return buffer.append(withId(id, { projectId: owner, source: 'script', views }))
      }),
  )
  const outcomes = await Promise.all(sent)
  expect(outcomes.filter((outcome) => outcome === 'stored').length).toBe(ids.length)
})

test('leaves neither views nor IDs of a failed transaction, so that a retry succeeds', async () => {
  const buffer = newBuffer()
  await instance.pool.query('ALTER TABLE view_batch ADD CONSTRAINT fails_every_insert CHECK (rows > 1000) NOT VALID')
  await expect(buffer.append(withId('failing'))).rejects.toThrow('fails_every_insert')
  await instance.pool.query('ALTER TABLE view_batch DROP CONSTRAINT fails_every_insert')
  expect(await countBatches()).toBe(0)
  expect(await buffer.append(withId('failing'))).toBe('stored')
})

test('fails only the project whose delivery a vanished replica holds, and delays the others once', async () => {
  const buffer = newBuffer()
  const others = await Promise.all(['D', 'E', 'F'].map((name) => instance.newProject(name)))
  const reportAll = (id: string) =>
    others.map((other) =>
      buffer.append(withId(id, { projectId: other, views: [createTestView({ projectId: other })] })),
    )
  // A transaction that neither commits nor ends holds the delivery, as that of a machine without a network.
  const { promise: end, reject: rollBack } = Promise.withResolvers<never>()
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
  const begin = 'SET LOCAL idle_in_transaction_session_timeout = 0'
  const vanished = executePipelined({ pool: instance.pool, database: instance.db }, begin, async (tx) => {
    await recordDeliveryIds(tx, [withId('held')])
    hold()
    await end
  })
  await isHeld
  try {
    const blocked = [expect(buffer.append(withId('held'))).rejects.toMatchObject({ code: '55P03' })]
    await Promise.all(reportAll('with the blocked one'))
    await Promise.all(blocked)
    blocked.push(expect(buffer.append(withId('held'))).rejects.toMatchObject({ code: '55P03' }))
    const startedAtMs = performance.now()
    await Promise.all(reportAll('afterwards'))
    expect(performance.now() - startedAtMs).toBeLessThan(900) // the lock timeout of one project is 1 s
    await Promise.all(blocked)
  } finally {
    rollBack(new Error('the machine is gone'))
    await expect(vanished).rejects.toThrow()
  }
  await expect.poll(() => buffer.append(withId('held')).catch(() => 'rejected'), { timeout: 5_000 }).toBe('stored')
})

test('rejects deliveries while the buffer is full, and accepts them again when there is space', async () => {
  const { rows } = await sql<{ bytes: string }>`SELECT ${sizeOfDeliveryIds} AS bytes`.execute(instance.db)
  const full = newBuffer(Number(rows[0]?.bytes) + 1)
  await full.append(delivery())
  await expect(full.append(delivery())).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '30' } })
  expect(await countBatches()).toBe(1)
  await instance.pool.query('TRUNCATE view_batch')
  await expect.poll(() => full.append(delivery()).catch(() => 'rejected')).toBe('stored')
})

test('records which source reported which days, even without views', async () => {
  const project = await instance.newProject('Covered')
  const buffer = newBuffer()
  const on = (...days: string[]) =>
    days.map((day) => createTestView({ projectId: project, at: new Date(`${day}T12:00:00Z`) }))
  await buffer.append(delivery({ projectId: project, views: on('2026-03-05', '2026-03-01') }))
  await buffer.append(delivery({ projectId: project, views: on('2026-02-28') }))
  await buffer.append(delivery({ projectId: project, countsHumans: true, views: on('2026-03-02') }))
  await buffer.append(delivery({ projectId: project, views: on('2026-03-03', '2026-02-28') }))
  await buffer.append(delivery({ projectId: project, source: 'script', countsHumans: true, views: [] }))
  const { rows } = await instance.pool.query(
    `SELECT source, first_day::text, last_day::text, counts_humans FROM source_coverage WHERE project_id = $1
     ORDER BY source DESC, month, counts_humans`,
    [project],
  )
  const today = new Date().toISOString().slice(0, 10)
  expect(rows).toEqual([
    { source: 'servers', first_day: '2026-02-28', last_day: '2026-02-28', counts_humans: false },
    { source: 'servers', first_day: '2026-03-01', last_day: '2026-03-05', counts_humans: false },
    { source: 'servers', first_day: '2026-03-02', last_day: '2026-03-02', counts_humans: true },
    { source: 'script', first_day: today, last_day: today, counts_humans: true },
  ])
})

test('does not write known coverage again, and so does not wait for its row lock', async () => {
  const project = await instance.newProject('Known coverage')
  const report = () =>
    newBuffer().append(delivery({ projectId: project, views: [createTestView({ projectId: project })] }))
  await report()
  const holder = await instance.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM source_coverage WHERE project_id = $1 FOR UPDATE', [project])
  try {
    expect(await report()).toBe('stored')
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
})

test('does not fail other deliveries when the project of one is deleted', async () => {
  const deleted = newId('prj')
  const buffer = newBuffer()
  const views = [createTestView({ projectId: deleted, source: 'script' })]
  const sent = [
    buffer.append(delivery({ projectId: deleted, source: 'script', views })),
    buffer.append(delivery({ projectId: deleted })),
    buffer.append(delivery()),
  ]
  const rejected = { status: 'rejected', reason: { code: 'not_found' } }
  expect(await Promise.allSettled(sent)).toMatchObject([rejected, rejected, { status: 'fulfilled', value: 'stored' }])
})

test('counts further new pages from the script as one page after 2,000 per day, but not known ones or those of servers', async () => {
  const project = await instance.newProject('Attacked')
  const replica1 = newBuffer()
  const replica2 = newBuffer()
  const report = (source: 'script' | 'servers', ...paths: string[]) =>
    delivery({
      projectId: project,
      source,
      views: paths.map((path) => createTestView({ projectId: project, path, source })),
    })
  const madeUp = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `/made-up-${from + i}`)
  await replica1.append(report('script', '/real', ...madeUp(0, 1_500)))
  await Promise.all([
    replica1.append(report('script', ...madeUp(1_500, 2_500))),
    replica2.append(report('script', ...madeUp(2_500, 3_500))),
  ])
  await replica1.append(report('script', '/real', '/new'))
  await replica1.append(report('servers', '/new'))
  const paths = (await batches()).flatMap(({ lines }) => lines.map(([, , path]) => path))
  expect(new Set(paths.filter((path) => path !== otherPagesPath && path !== '/new')).size).toBe(2_000)
  expect(paths.filter((path) => path === otherPagesPath).length).toBe(1_501 + 2_000 - 2_000 + 1)
  expect(paths.filter((path) => path === '/real').length).toBe(2)
  expect(paths.filter((path) => path === '/new').length).toBe(1)
})

test('splits a delivery of many megabytes into several batches', async () => {
  const views = Array.from({ length: 6_000 }, () => createTestView({ projectId, userAgent: 'x'.repeat(1_000) }))
  await newBuffer().append(delivery({ views }))
  const sizes = (await batches()).map(({ size_bytes }) => size_bytes)
  expect(sizes.length).toBe(2)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4 * 1024 * 1024)
})

test('does not measure the whole buffer each time its status is read', async () => {
  let measurements = 0
  const database = instance.db.withPlugin({
    transformQuery({ node }) {
      if (JSON.stringify(node).includes('octet_length')) measurements++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const buffer = new PostgresViewBuffer({ pool: instance.pool, database }, { maxBufferBytes: 1e9 })
  await buffer.append(delivery())
  const statuses = await Promise.all(Array.from({ length: 10 }, () => buffer.readStatus()))
  for (const { bytes, oldestWaitingAt } of statuses) {
    expect(bytes).toBeGreaterThan(0)
    expect(oldestWaitingAt).toBeInstanceOf(Date)
  }
  expect(measurements).toBe(1)
  await instance.pool.query('TRUNCATE view_batch')
  expect(await buffer.readStatus()).toMatchObject({ bytes: 0, oldestWaitingAt: null })
})

test('rejects deliveries while their IDs use up the limit of the buffer', async () => {
  await newBuffer().append(withId('some ID'))
  await expect(newBuffer(1).append(delivery())).rejects.toMatchObject({ code: 'unavailable' })
})

test('finds an ID among hundreds of thousands without reading all of them', async () => {
  await newBuffer().append(delivery({ deliveryId: { text: 'some ID', retention: 'half_hour' } }))
  await instance.pool.query(
    `INSERT INTO beacon_delivery SELECT slot, gen_random_uuid()
     FROM (SELECT max(slot) AS slot FROM beacon_delivery) AS current, generate_series(1, 200000)`,
  )
  await instance.pool.query('ANALYZE beacon_delivery')
  const lookUp =
    "EXPLAIN (FORMAT JSON) SELECT FROM beacon_delivery WHERE delivery = $1 AND slot > now() - interval '1 hour'"
  const plan = await instance.pool.query(lookUp, ['00000000-0000-0000-0000-000000000000'])
  expect(plan.rows[0]['QUERY PLAN'][0].Plan['Total Cost']).toBeLessThan(200) // of all rows: more than 3,000
})
