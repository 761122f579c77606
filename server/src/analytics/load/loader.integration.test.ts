import { gzipSync } from 'node:zlib'
import type { PoolClient } from 'pg'
import { afterAll, afterEach, beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { createClickhouse } from '../../platform/clickhouse.ts'
import type { Id } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { encodeView, type View } from '../collect/view.ts'
import { makeView } from '../testing/make-view.ts'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { insertBlock } from './insert-block.ts'
import { loadRound } from './load-round.ts'
import { type Load, LoadStore } from './load-store.ts'
import { startLoader } from './loader.ts'

const instance = await createViewsTestInstance(inject('services'), 'loader')
afterAll(() => instance.drop())
const { pool, clickhouse } = instance

let client: PoolClient
let store: LoadStore
let projectId: Id<'prj'>
beforeEach(async () => {
  client = await pool.connect()
  store = new LoadStore(client, 0)
  projectId = await instance.newProject('Docs')
})
afterEach(async () => {
  client.release()
  await pool.query('TRUNCATE view_batch, view_block')
})

const round = (log = instance.log) => loadRound({ store, clickhouse, log })

async function addBatch(month: string, views: readonly View[], body = gzipSync(views.map(encodeView).join(''))) {
  const { rows } = await pool.query<{ id: string }>(
    'INSERT INTO view_batch (shard, month, rows, size_bytes, body) VALUES (0, $1, $2, $3, $4) RETURNING id',
    [month, views.length, 200 * views.length, body],
  )
  return rows[0]?.id
}

const november = (count: number, difference: Partial<View> = {}) =>
  Array.from({ length: count }, (_, index) =>
    makeView({ projectId, at: new Date(Date.UTC(2026, 10, 1 + (index % 20), index % 24, 7, 0, index)), ...difference }),
  )

/** What each table says that the project's views are in all. */
async function totals() {
  const classes = 'human + assistant + ai_search + ai_training + search + other_bot'
  const sums = {
    page_view: 'views',
    views_by_page_and_day: classes,
    views_by_page_and_month: classes,
    views_by_quarter_hour: classes,
    views_by_client_and_day: 'views',
  }
  const found = Object.entries(sums).map(async ([table, sum]) => {
    const rows = await instance.sqlOf<{ n: number }>(
      `SELECT sum(${sum}) AS n FROM ${table} WHERE project_id = '${projectId}'`,
    )
    return [table, rows[0]?.n] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

const everywhere = (views: number) => ({
  page_view: views,
  views_by_page_and_day: views,
  views_by_page_and_month: views,
  views_by_quarter_hour: views,
  views_by_client_and_day: views,
})

async function left() {
  const { rows } = await pool.query(
    'SELECT (SELECT count(*)::int FROM view_batch) AS batches, (SELECT count(*)::int FROM view_block) AS loads',
  )
  return rows[0]
}

test('batches become one block for each month, and are forgotten', async () => {
  await addBatch('2026-11-01', november(3))
  await addBatch('2026-10-01', [makeView({ projectId, at: new Date('2026-10-31T23:59:59.999Z') })])
  await addBatch('2026-11-01', november(4))
  expect(await round()).toEqual({ moreWaits: false })
  expect(await totals()).toEqual(everywhere(8))
  expect(await left()).toEqual({ batches: 0, loads: 0 })
  const blocks = await instance.sqlOf(
    `SELECT toYYYYMM(at) AS month, uniqExact(block_id) AS loads, count() AS rows FROM page_view
     WHERE project_id = '${projectId}' GROUP BY month ORDER BY month`,
  )
  expect(blocks).toEqual([
    { month: 202610, loads: 1, rows: 1 },
    { month: 202611, loads: 1, rows: 7 },
  ])
})

test('a view comes out of ClickHouse as it went in', async () => {
  const view = makeView({
    projectId,
    at: new Date('2026-11-03T04:05:06.789Z'),
    path: '/docs/"quoted"\\and\tü€😀',
    class: 'ai-search',
    client: 'OAI-SearchBot',
    userAgent: '\u0000 <script> \u2028 ',
    surface: 'markdown',
    acceptsMarkdown: true,
    source: 'script',
    importId: 'imp_x',
    views: 37,
  })
  await addBatch('2026-11-01', [view])
  await round()
  const { projectId: _, at: __, ...rest } = view
  expect(
    await instance.sqlOf(
      `SELECT toString(at) AS at, path, class, client, user_agent AS userAgent, surface, accepts_markdown AS acceptsMarkdown,
         rule_version AS ruleVersion, source, import_id AS importId, views
       FROM page_view WHERE project_id = '${projectId}'`,
    ),
  ).toEqual([{ at: '2026-11-03 04:05:06.789', ...rest }])
})

test('a crash before the insert: the frozen block is loaded, with later batches beside it', async () => {
  await addBatch('2026-11-01', november(3))
  await store.freeze()
  await addBatch('2026-11-01', november(5))
  await round()
  expect(await totals()).toEqual(everywhere(8))
  expect(await left()).toEqual({ batches: 0, loads: 0 })
})

test('a crash after the insert, before the mark: the block is sent again and counted once', async () => {
  await addBatch('2026-11-01', november(3))
  await freezeAndInsert()
  await addBatch('2026-11-01', november(5))
  await round()
  expect(await totals()).toEqual(everywhere(8))
  expect(await left()).toEqual({ batches: 0, loads: 0 })
})

async function freezeAndInsert(): Promise<Load> {
  const [load] = (await store.freeze()).loads
  if (!load) throw new Error('nothing was frozen')
  await insertBlock(clickhouse, load.id, await store.read(load))
  return load
}

// A ClickHouse that was killed at the wrong moment has the token without the rows: of the views, or of any table of sums.
test.each([
  'page_view',
  'views_by_page_and_day',
  'views_by_page_and_month',
  'views_by_quarter_hour',
  'views_by_client_and_day',
])('a block whose token %s knows, but whose rows it lost, is counted once', async (table) => {
  await addBatch('2026-11-01', november(40, { path: '/before' }))
  await round()
  await addBatch('2026-11-01', [...november(30), ...november(20, { class: 'assistant', client: 'Cursor' })])
  const { id } = await freezeAndInsert()
  const lost = table === 'page_view' ? `block_id = ${id}` : `project_id = '${projectId}'`
  await clickhouse.command({ query: `DELETE FROM ${table} WHERE ${lost}` })
  expect((await totals())[table]).not.toBe(90)
  await round()
  expect(await totals()).toEqual(everywhere(90))
})

test('a block gets in also when every token it was sent with before is known without rows', async () => {
  await addBatch('2026-11-01', november(12))
  const load = await freezeAndInsert()
  const block = await store.read(load)
  for (const tries of [1, 2, 3]) await insertBlock(clickhouse, `${load.id}/${tries}`, block)
  await clickhouse.command({ query: `DELETE FROM page_view WHERE block_id = ${load.id}` })
  await round()
  expect(await totals()).toEqual(everywhere(12))
  expect(await left()).toEqual({ batches: 0, loads: 0 })
})

test('a block that is in twice, because its token was lost, is counted once', async () => {
  await addBatch('2026-11-01', november(12))
  const load = await freezeAndInsert()
  const { bodies, rows } = await store.read(load)
  // The same rows under another token, which still names the block.
  await insertBlock(clickhouse, `${load.id}/lost`, { bodies, rows })
  expect((await totals()).page_view).toBe(24)
  await round()
  expect(await totals()).toEqual(everywhere(12))
})

test('mending leaves other projects and other days alone', async () => {
  const other = await instance.newProject('Other docs')
  await addBatch('2026-11-01', november(20, { projectId: other }))
  await addBatch('2026-11-01', november(20))
  await round()
  const before = await instance.sqlOf('SELECT * FROM views_by_page_and_day FINAL ORDER BY ALL')
  await addBatch('2026-11-01', [makeView({ projectId, at: new Date('2026-11-30T00:00:00Z') })])
  await store.freeze()
  await round()
  const after = await instance.sqlOf("SELECT * FROM views_by_page_and_day FINAL WHERE day < '2026-11-30' ORDER BY ALL")
  expect(after).toEqual(before)
})

test('one bad batch never stops the rest: it is set aside, and told of', async () => {
  const lines: { level: string; msg: string; batch?: string }[] = []
  const log = createLog('test', { level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  await addBatch('2026-11-01', november(3))
  const bad = await addBatch('2026-11-01', november(1), gzipSync('["not", "a", "view"]\n'))
  for (let batch = 0; batch < 5; batch++) await addBatch('2026-11-01', november(3))
  for (let rounds = 0; rounds < 40 && lines.length === 0; rounds++) {
    await pool.query("UPDATE view_block SET retry_at = '-infinity'") // not to wait for it
    await round(log)
  }
  await addBatch('2026-11-01', november(2))
  await round(log)
  expect(await totals()).toEqual(everywhere(20))
  expect(lines).toMatchObject([{ level: 'error', batch: bad }])
  expect(await left()).toEqual({ batches: 1, loads: 1 })
})

test('a batch that somebody deleted by hand does not hold up the block it was frozen in', async () => {
  const deleted = await addBatch('2026-11-01', november(3))
  await addBatch('2026-11-01', november(4))
  await store.freeze()
  await pool.query('DELETE FROM view_batch WHERE id = $1', [deleted])
  await addBatch('2026-10-01', [makeView({ projectId, at: new Date('2026-10-01T00:00:00Z') })])
  await store.freeze()
  await pool.query("DELETE FROM view_batch WHERE month = '2026-10-01'")
  await round()
  expect(await totals()).toEqual(everywhere(4))
  expect(await left()).toEqual({ batches: 0, loads: 0 })
})

test.each([
  ['of other columns', gzipSync('["not", "a", "view"]\n')],
  ['not JSON', gzipSync('\u0000\n')],
  ['not gzip', Buffer.from('not gzip')],
  ['cut short', gzipSync(encodeView(makeView({ projectId: 'prj_x' })).slice(0, 50))],
  ['of an unknown class', gzipSync(encodeView(makeView({ projectId: 'prj_x', class: 'alien' as never })))],
  ['not at a time', gzipSync(encodeView(makeView({ projectId: 'prj_x' })).replace(/"\d+\.\d{3}"/, '"never"'))],
])('a body that is %s is refused, not tried for ever', async (_, body) => {
  await addBatch('2026-11-01', november(1), body)
  await round()
  const { rows } = await pool.query('SELECT rejections FROM view_block')
  expect(rows).toEqual([{ rejections: 1 }])
})

test('with ClickHouse away nothing is lost, refused or given up; back again, all is loaded once', async () => {
  const away = createClickhouse({ url: 'http://127.0.0.1:1/nowhere' })
  onTestFinished(() => away.close())
  await addBatch('2026-11-01', november(3))
  for (let rounds = 0; rounds < 8; rounds++) {
    await loadRound({ store, clickhouse: away, log: createLog('test', { level: 'error' }) })
  }
  expect(await left()).toEqual({ batches: 1, loads: 1 })
  await round()
  expect(await totals()).toEqual(everywhere(3))
})

test('an error that is not the fault of the block is waited out, and does not hold up the others', async () => {
  await addBatch('2026-11-01', november(3))
  await clickhouse.command({ query: 'RENAME TABLE page_view TO page_view_away' })
  await round()
  await clickhouse.command({ query: 'RENAME TABLE page_view_away TO page_view' })
  await addBatch('2026-11-01', november(4))
  await round()
  expect((await totals()).page_view).toBe(4)
  await pool.query("UPDATE view_block SET retry_at = '-infinity'")
  await round()
  expect(await totals()).toEqual(everywhere(7))
})

test('a block has at most 500,000 rows and 32 MiB; what does not fit is next', async () => {
  const few = november(1)
  const rowsOf = async (rows: number, sizeBytes: number) =>
    pool.query('UPDATE view_batch SET rows = $2, size_bytes = $3 WHERE id = $1', [
      await addBatch('2026-11-01', few),
      rows,
      sizeBytes,
    ])
  await rowsOf(300_000, 1)
  await rowsOf(200_001, 1)
  await rowsOf(200_000, 1)
  await rowsOf(1, 32 * 1024 * 1024)
  const first = await store.freeze()
  expect(first.loads.map(({ batchIds }) => batchIds.length)).toEqual([2])
  expect(first.moreWaits).toBe(true)
  const second = await store.freeze()
  expect(second.loads.map(({ batchIds }) => batchIds.length)).toEqual([1])
  expect((await store.freeze()).loads.map(({ batchIds }) => batchIds.length)).toEqual([1])
  expect(await store.freeze()).toEqual({ loads: [], moreWaits: false })
})

test('of several loaders one works on a shard; when it is gone another takes over', async () => {
  const start = () => startLoader({ pool, clickhouse, shard: 0, log: instance.log })
  const one = start()
  const two = start()
  onTestFinished(async () => void (await Promise.all([one.stop(), two.stop()])))
  const holders = async () =>
    (
      await pool.query(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      )
    ).rows
  await expect.poll(holders, { timeout: 10_000 }).toHaveLength(1)
  await addBatch('2026-11-01', november(3))
  await expect.poll(totals, { timeout: 10_000 }).toEqual(everywhere(3))
  const [holder] = await holders()
  await pool.query('SELECT pg_terminate_backend($1)', [holder?.pid]) // as when its machine is gone
  await addBatch('2026-11-01', november(4))
  await expect.poll(totals, { timeout: 20_000 }).toEqual(everywhere(7))
})
