import { gzipSync } from 'node:zlib'
import type { PoolClient } from 'pg'
import { afterAll, afterEach, beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { createClickhouse } from '../../platform/clickhouse.ts'
import type { Id } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { encodeView, type View } from '../collect/view.ts'
import { createTestView } from '../testing/create-test-view.ts'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { blockQuery } from './block-query.ts'
import { BlockStore, type ViewBlock } from './block-store.ts'
import { insertBlock } from './insert-block.ts'
import { loadBlocks } from './load-blocks.ts'
import { startLoader } from './loader.ts'
import { recordSentBatches } from './sent-batches.ts'
import { StandbyWait } from './standby-wait.ts'

const instance = await createViewsTestInstance(inject('services'), 'loader')
afterAll(() => instance.drop())
const { pool, clickhouse } = instance

let client: PoolClient
let store: BlockStore
let projectId: Id<'prj'>
beforeEach(async () => {
  client = await pool.connect()
  store = new BlockStore(client)
  projectId = await instance.newProject('Docs')
})
afterEach(async () => {
  client.release()
  await pool.query('TRUNCATE view_batch, view_block')
})

const createBlocks = async () => store.createBlocks((await store.listWaiting()).waiting)

const round = (log = instance.log) => loadBlocks({ store, standbys: new StandbyWait(client, log), clickhouse, log })

async function addBatch(month: string, views: readonly View[], body = gzipSync(views.map(encodeView).join(''))) {
  const { rows } = await pool.query<{ id: string }>(
    'INSERT INTO view_batch (shard, month, rows, size_bytes, body) VALUES (0, $1, $2, $3, $4) RETURNING id',
    [month, views.length, 200 * views.length, body],
  )
  return rows[0]?.id
}

const november = (count: number, overrides: Partial<View> = {}) =>
  Array.from({ length: count }, (_, index) =>
    createTestView({
      projectId,
      at: new Date(Date.UTC(2026, 10, 1 + (index % 20), index % 24, 7, 0, index)),
      ...overrides,
    }),
  )

/** The project's total number of views according to each table. */
async function totals() {
  const classes = 'human + assistant + ai_search + ai_training + search + other_bot'
  const sums = {
    page_view: 'views',
    views_by_page_and_day: classes,
    views_by_page_and_month: classes,
    views_by_quarter_hour: classes,
    views_by_client_and_day: 'views',
  }
  const counts = Object.entries(sums).map(async ([table, sum]) => {
    const rows = await instance.queryRows<{ n: number }>(
      `SELECT sum(${sum}) AS n FROM ${table} WHERE project_id = '${projectId}'`,
    )
    return [table, rows[0]?.n] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

const inEveryTable = (views: number) => ({
  page_view: views,
  views_by_page_and_day: views,
  views_by_page_and_month: views,
  views_by_quarter_hour: views,
  views_by_client_and_day: views,
})

async function countPending() {
  const { rows } = await pool.query(
    'SELECT (SELECT count(*)::int FROM view_batch) AS batches, (SELECT count(*)::int FROM view_block) AS blocks',
  )
  return rows[0]
}

test('loads the batches of each month as one block, and deletes them', async () => {
  await addBatch('2026-11-01', november(3))
  await addBatch('2026-10-01', [createTestView({ projectId, at: new Date('2026-10-31T23:59:59.999Z') })])
  await addBatch('2026-11-01', november(4))
  expect(await round()).toEqual({ hasMore: false })
  expect(await totals()).toEqual(inEveryTable(8))
  expect(await countPending()).toEqual({ batches: 0, blocks: 0 })
  const blocks = await instance.queryRows(
    `SELECT toYYYYMM(at) AS month, uniqExact(block_id) AS blocks, count() AS rows FROM page_view
     WHERE project_id = '${projectId}' GROUP BY month ORDER BY month`,
  )
  expect(blocks).toEqual([
    { month: 202610, blocks: 1, rows: 1 },
    { month: 202611, blocks: 1, rows: 7 },
  ])
})

test('returns a view from ClickHouse exactly as it was written', async () => {
  const view = createTestView({
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
    await instance.queryRows(
      `SELECT toString(at) AS at, path, class, client, user_agent AS userAgent, surface, accepts_markdown AS acceptsMarkdown,
         rule_version AS ruleVersion, source, import_id AS importId, views
       FROM page_view WHERE project_id = '${projectId}'`,
    ),
  ).toEqual([{ at: '2026-11-03 04:05:06.789', ...rest }])
})

test('after a crash before the insert, loads the existing block and later batches', async () => {
  await addBatch('2026-11-01', november(3))
  await createBlocks()
  await addBatch('2026-11-01', november(5))
  await round()
  expect(await totals()).toEqual(inEveryTable(8))
  expect(await countPending()).toEqual({ batches: 0, blocks: 0 })
})

test('after a crash between the insert and its record, sends the block again and counts it once', async () => {
  await addBatch('2026-11-01', november(3))
  await createAndInsertBlock()
  await addBatch('2026-11-01', november(5))
  await round()
  expect(await totals()).toEqual(inEveryTable(8))
  expect(await countPending()).toEqual({ batches: 0, blocks: 0 })
})

async function createAndInsertBlock(): Promise<ViewBlock> {
  const [block] = (await createBlocks()).blocks
  if (!block) throw new Error('no block was created')
  await insertBlock(clickhouse, block.id, await store.readContent(block))
  return block
}

/** What is in the buffer now. `restore` adds it again, as a failover or a restored backup does. */
async function dumpBuffer() {
  const { rows } = await pool.query('SELECT key, shard, month, rows, size_bytes, body, created_at FROM view_batch')
  return {
    restore: async (count = rows.length) => {
      for (const { key, shard, month, rows: n, size_bytes, body, created_at } of rows.slice(0, count))
        await pool.query(
          `INSERT INTO view_batch (key, shard, month, rows, size_bytes, body, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
          [key, shard, month, n, size_bytes, body, created_at],
        )
    },
  }
}

test('counts nothing twice when PostgreSQL forgets that it has loaded views', async () => {
  await addBatch('2026-11-01', november(3))
  await addBatch('2026-11-01', november(4))
  const backup = await dumpBuffer()
  await addBatch('2026-11-01', november(5))
  await round()
  await backup.restore()
  await addBatch('2026-11-01', november(6))
  await round()
  expect(await totals()).toEqual(inEveryTable(18))
  expect(await countPending()).toEqual({ batches: 0, blocks: 0 })
  await backup.restore(1)
  await round()
  expect(await totals()).toEqual(inEveryTable(18))
})

test('loads views whose block was recorded, but never arrived, when PostgreSQL forgets the block', async () => {
  await addBatch('2026-11-01', november(3))
  const backup = await dumpBuffer()
  const [block] = (await createBlocks()).blocks
  if (!block) throw new Error('no block was created')
  await recordSentBatches(clickhouse, block)
  await pool.query('TRUNCATE view_batch, view_block')
  await backup.restore()
  await addBatch('2026-11-01', november(4))
  await round()
  expect(await totals()).toEqual(inEveryTable(7))
})

test('gives the same batches the same block', async () => {
  await addBatch('2026-11-01', november(3))
  await addBatch('2026-11-01', november(4))
  const backup = await dumpBuffer()
  const [block] = (await createBlocks()).blocks
  await pool.query('TRUNCATE view_batch, view_block')
  await backup.restore()
  expect((await createBlocks()).blocks).toMatchObject([{ id: block?.id, batchKeys: block?.batchKeys }])
})

test('ends the queries of a block before it sends the block again', async () => {
  await addBatch('2026-11-01', november(3))
  const [block] = (await createBlocks()).blocks
  const { query_id, clickhouse_settings } = blockQuery(block?.id ?? '')
  const abandoned = clickhouse.query({
    query: 'SELECT sleepEachRow(1) FROM numbers(20) SETTINGS max_block_size = 1',
    query_id,
    clickhouse_settings,
  })
  const ended = expect(abandoned.then((response) => response.text())).rejects.toThrow(/cancel/i)
  const isRunning = () => instance.queryRows(`SELECT 1 AS found FROM system.processes WHERE query_id = '${query_id}'`)
  await expect.poll(isRunning).toEqual([{ found: 1 }])
  await round()
  expect(await isRunning()).toEqual([])
  await ended
  expect(await totals()).toEqual(inEveryTable(3))
})

// A ClickHouse that is killed at the wrong moment has the token without the rows: of the views, or of any table of sums.
test.each([
  'page_view',
  'views_by_page_and_day',
  'views_by_page_and_month',
  'views_by_quarter_hour',
  'views_by_client_and_day',
])('counts a block once when %s has its token but lost its rows', async (table) => {
  await addBatch('2026-11-01', november(40, { path: '/earlier' }))
  await round()
  await addBatch('2026-11-01', [...november(30), ...november(20, { class: 'assistant', client: 'Cursor' })])
  const { id } = await createAndInsertBlock()
  const lostRows = table === 'page_view' ? `block_id = ${id}` : `project_id = '${projectId}'`
  await clickhouse.command({ query: `DELETE FROM ${table} WHERE ${lostRows}` })
  expect((await totals())[table]).not.toBe(90)
  await round()
  expect(await totals()).toEqual(inEveryTable(90))
})

test('loads a block even when ClickHouse has recorded all its earlier tokens without rows', async () => {
  await addBatch('2026-11-01', november(12))
  const block = await createAndInsertBlock()
  const content = await store.readContent(block)
  for (const attempt of [1, 2, 3]) await insertBlock(clickhouse, `${block.id}/${attempt}`, content)
  await clickhouse.command({ query: `DELETE FROM page_view WHERE block_id = ${block.id}` })
  await round()
  expect(await totals()).toEqual(inEveryTable(12))
  expect(await countPending()).toEqual({ batches: 0, blocks: 0 })
})

test('counts a block once that was inserted twice because its token was lost', async () => {
  await addBatch('2026-11-01', november(12))
  const block = await createAndInsertBlock()
  const { bodies, rows } = await store.readContent(block)
  // The same rows with another token, which still contains the ID of the block.
  await insertBlock(clickhouse, `${block.id}/lost`, { bodies, rows })
  expect((await totals()).page_view).toBe(24)
  await round()
  expect(await totals()).toEqual(inEveryTable(12))
})

test('does not change other projects and other days when it reconciles a block', async () => {
  const other = await instance.newProject('Other docs')
  await addBatch('2026-11-01', november(20, { projectId: other }))
  await addBatch('2026-11-01', november(20))
  await round()
  const before = await instance.queryRows('SELECT * FROM views_by_page_and_day FINAL ORDER BY ALL')
  await addBatch('2026-11-01', [createTestView({ projectId, at: new Date('2026-11-30T00:00:00Z') })])
  await createBlocks()
  await round()
  const after = await instance.queryRows(
    "SELECT * FROM views_by_page_and_day FINAL WHERE day < '2026-11-30' ORDER BY ALL",
  )
  expect(after).toEqual(before)
})

test('quarantines and logs a bad batch, and loads all others', async () => {
  const lines: { level: string; msg: string; batch?: string }[] = []
  const log = createLog('test', { level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  await addBatch('2026-11-01', november(3))
  const bad = await addBatch('2026-11-01', november(1), gzipSync('["not", "a", "view"]\n'))
  for (let batch = 0; batch < 5; batch++) await addBatch('2026-11-01', november(3))
  for (let rounds = 0; rounds < 40 && lines.length === 0; rounds++) {
    await pool.query("UPDATE view_block SET retry_at = '-infinity'") // skips the wait
    await round(log)
  }
  await addBatch('2026-11-01', november(2))
  await round(log)
  expect(await totals()).toEqual(inEveryTable(20))
  expect(lines).toMatchObject([{ level: 'error', batch: bad }])
  expect(await countPending()).toEqual({ batches: 1, blocks: 1 })
})

test('loads the rest of a block when one of its batches was deleted by hand', async () => {
  const deleted = await addBatch('2026-11-01', november(3))
  await addBatch('2026-11-01', november(4))
  await createBlocks()
  await pool.query('DELETE FROM view_batch WHERE id = $1', [deleted])
  await addBatch('2026-10-01', [createTestView({ projectId, at: new Date('2026-10-01T00:00:00Z') })])
  await createBlocks()
  await pool.query("DELETE FROM view_batch WHERE month = '2026-10-01'")
  await round()
  expect(await totals()).toEqual(inEveryTable(4))
  expect(await countPending()).toEqual({ batches: 0, blocks: 0 })
})

test.each([
  ['with other columns', gzipSync('["not", "a", "view"]\n')],
  ['not JSON', gzipSync('\u0000\n')],
  ['not gzip', Buffer.from('not gzip')],
  ['truncated', gzipSync(encodeView(createTestView({ projectId: 'prj_x' })).slice(0, 50))],
  ['with an unknown class', gzipSync(encodeView(createTestView({ projectId: 'prj_x', class: 'alien' as never })))],
  [
    'with an invalid time',
    gzipSync(encodeView(createTestView({ projectId: 'prj_x' })).replace(/"\d+\.\d{3}"/, '"never"')),
  ],
])('rejects a body instead of retrying it forever: %s', async (_, body) => {
  await addBatch('2026-11-01', november(1), body)
  await round()
  const { rows } = await pool.query('SELECT rejections FROM view_block')
  expect(rows).toEqual([{ rejections: 1 }])
})

test('loses nothing while ClickHouse is down, and loads everything once when it is up again', async () => {
  const unreachable = createClickhouse({ url: 'http://127.0.0.1:1/nowhere' })
  onTestFinished(() => unreachable.close())
  await addBatch('2026-11-01', november(3))
  for (let rounds = 0; rounds < 8; rounds++) {
    const log = createLog('test', { level: 'error' })
    await loadBlocks({ store, standbys: new StandbyWait(client, log), clickhouse: unreachable, log })
  }
  expect(await countPending()).toEqual({ batches: 1, blocks: 0 })
  await round()
  expect(await totals()).toEqual(inEveryTable(3))
})

test('postpones a block after an unrelated error, and loads other blocks meanwhile', async () => {
  await addBatch('2026-11-01', november(3))
  await clickhouse.command({ query: 'RENAME TABLE page_view TO page_view_renamed' })
  await round()
  await clickhouse.command({ query: 'RENAME TABLE page_view_renamed TO page_view' })
  await addBatch('2026-11-01', november(4))
  await round()
  expect((await totals()).page_view).toBe(4)
  await pool.query("UPDATE view_block SET retry_at = '-infinity'")
  await round()
  expect(await totals()).toEqual(inEveryTable(7))
})

test('limits a block to 500,000 rows and 32 MiB, and puts the rest into the next ones', async () => {
  const views = november(1)
  const addBatchOfSize = async (rows: number, sizeBytes: number) =>
    pool.query('UPDATE view_batch SET rows = $2, size_bytes = $3 WHERE id = $1', [
      await addBatch('2026-11-01', views),
      rows,
      sizeBytes,
    ])
  await addBatchOfSize(300_000, 1)
  await addBatchOfSize(200_001, 1)
  await addBatchOfSize(200_000, 1)
  await addBatchOfSize(1, 32 * 1024 * 1024)
  const first = await createBlocks()
  expect(first.blocks.map(({ batchIds }) => batchIds.length)).toEqual([2])
  expect(first.hasMore).toBe(true)
  const second = await createBlocks()
  expect(second.blocks.map(({ batchIds }) => batchIds.length)).toEqual([1])
  expect((await createBlocks()).blocks.map(({ batchIds }) => batchIds.length)).toEqual([1])
  expect(await createBlocks()).toEqual({ blocks: [], hasMore: false })
})

test('lets one of several loaders work, and another take over when it is gone', async () => {
  const start = () => startLoader({ pool, clickhouse, log: instance.log })
  const loader1 = start()
  const loader2 = start()
  onTestFinished(async () => void (await Promise.all([loader1.stop(), loader2.stop()])))
  const lockHolders = async () =>
    (
      await pool.query(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      )
    ).rows
  await expect.poll(lockHolders).toHaveLength(1)
  await addBatch('2026-11-01', november(3))
  await expect.poll(totals).toEqual(inEveryTable(3))
  const [holder] = await lockHolders()
  await pool.query('SELECT pg_terminate_backend($1)', [holder?.pid]) // as if its machine had crashed
  await addBatch('2026-11-01', november(4))
  await expect.poll(totals).toEqual(inEveryTable(7))
})
