/** The page views of a week, generated inside ClickHouse: over HTTP they would take days. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { clickhousePickProject, clickhouseProjectId, pagesPerProject } from './generated-projects.ts'
import { type Plan, weekSeconds } from './plan.ts'

const blockRows = 1_000_000
/** One for each core of a small machine; a statement runs on one. */
const insertsAtOnce = 2
const maxWaitForMergesSeconds = 120

export interface PrefilledViews {
  rows: number
  views: number
  sentBatches: number
}

/**
 * In the order of time, block by block, so that ClickHouse merges them as it does with the loader's blocks. The raw views have fewer
 * rows than in a real week, each of which counts as several views; the tables of sums have all the rows and numbers of a week.
 */
export async function insertWeekOfViews(clickhouse: ClickHouseClient, plan: Plan): Promise<PrefilledViews> {
  const rows = Math.round((plan.beaconsPerSecond * weekSeconds) / plan.viewsPerPrefilledRow)
  const endMs = Date.now()
  const startMs = endMs - weekSeconds * 1000
  await insertBlocks(clickhouse, rows, (from, count) => viewsQuery(plan, { from, count, rows, startMs, endMs }))
  const sentBatches = plan.batchesPerSecond * weekSeconds
  await insertBlocks(clickhouse, sentBatches, (from, count) =>
    sentBatchesQuery({ from, count, rows: sentBatches, startMs, endMs }),
  )
  await waitForMerges(clickhouse)
  return { rows, views: rows * plan.viewsPerPrefilledRow, sentBatches }
}

async function insertBlocks(
  clickhouse: ClickHouseClient,
  rows: number,
  query: (from: number, count: number) => string,
): Promise<void> {
  let next = 0
  const insertNext = async () => {
    for (let from = next; from < rows; from = next) {
      next += blockRows
      await insert(clickhouse, query(from, Math.min(blockRows, rows - from)))
    }
  }
  await Promise.all(Array.from({ length: insertsAtOnce }, insertNext))
}

const insert = (clickhouse: ClickHouseClient, query: string) =>
  clickhouse.command({
    query,
    clickhouse_settings: {
      max_insert_block_size: `${blockRows}`,
      min_insert_block_size_rows: `${blockRows}`,
      min_insert_block_size_bytes: '0',
      max_threads: 1, // so that it becomes one block
      insert_deduplicate: 0, // deduplication is for repeated blocks
    },
  })

interface InsertedRows {
  from: number
  count: number
  /** In the whole week. */
  rows: number
  startMs: number
  endMs: number
}

/** In microseconds: a block's ID is the time of its first batch. */
const timeOf = ({ rows, startMs, endMs }: InsertedRows) => `(${startMs} + intDiv(number * ${endMs - startMs}, ${rows}))`

const randomShare = (salt: string) => `(cityHash64(number, '${salt}') % 4294967296 / 4294967296)`

const viewsQuery = ({ projects, viewsPerPrefilledRow }: Plan, inserted: InsertedRows) => `
  INSERT INTO page_view (
    project_id, at, path, class, client, user_agent, surface, accepts_markdown, rule_version, source, import_id, views, block_id
  )
  SELECT
    ${clickhouseProjectId(clickhousePickProject(projects, randomShare('choice'), randomShare('position')))},
    fromUnixTimestamp64Milli(${timeOf(inserted)}, 'UTC'),
    concat('/docs/page-', toString(toUInt32(pow(${randomShare('page')}, 2) * ${pagesPerProject}))),
    'human', 'browser', concat('Chrome/', toString(100 + cityHash64(number) % 40)), 'html', false, 'generated', 'script', '',
    ${viewsPerPrefilledRow}, ${timeOf(inserted)} * 1000
  FROM numbers(${inserted.from}, ${inserted.count})`

const sentBatchesQuery = (inserted: InsertedRows) => `
  INSERT INTO sent_batch (batch_key, block_id, sent_at)
  SELECT generateUUIDv4(), intDiv(${timeOf(inserted)}, 1000) * 1000000, toDateTime(intDiv(${timeOf(inserted)}, 1000), 'UTC')
  FROM numbers(${inserted.from}, ${inserted.count})`

/** After a week, merges are done but for those of the last minutes. */
async function waitForMerges(clickhouse: ClickHouseClient): Promise<void> {
  const deadlineMs = performance.now() + maxWaitForMergesSeconds * 1000
  for (let quietSeconds = 0; quietSeconds < 3 && performance.now() < deadlineMs; ) {
    await sleep(1_000)
    const response = await clickhouse.query({
      query: 'SELECT count() AS merges FROM system.merges',
      format: 'JSONEachRow',
    })
    const [row] = await response.json<{ merges: string }>()
    quietSeconds = Number(row?.merges) === 0 ? quietSeconds + 1 : 0
  }
}
