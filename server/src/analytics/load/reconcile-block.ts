/**
 * Makes sure that a block that had to be sent again is in every table exactly once. Its token is not enough: ClickHouse 26.7
 * records a token just before the rows appear, and if it is killed between the two, it drops the block when it is sent again;
 * later versions do it the other way round, and would count it twice; and the record is not flushed to disk (ClickHouse
 * 111577), so that a power failure may lose it. Therefore this counts the rows themselves, by the ID of their block, and
 * corrects the sums of the days that they belong to.
 */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { blockQuery, quoteIds } from './block-query.ts'
import { type BlockScope, readBlockScope } from './block-scope.ts'
import type { BlockContent, ViewBlock } from './block-store.ts'
import { insertBlock } from './insert-block.ts'

const maxAttempts = 4

/** Only one loader works at a time, so nothing else writes in the meantime. */
export async function reconcileBlock(
  clickhouse: ClickHouseClient,
  block: ViewBlock,
  content: BlockContent,
): Promise<void> {
  const scope = await readBlockScope(content)
  if (!scope) throw new Error('ClickHouse accepted a block without views.')
  for (let attempt = 1; ; attempt++) {
    const rows = await countRows(clickhouse, block.id, scope)
    if (rows === content.rows) break
    if (attempt === maxAttempts)
      throw new Error(`ClickHouse has ${rows} of the block's ${content.rows} rows after ${maxAttempts} attempts.`)
    if (rows > 0) await deleteRows(clickhouse, block.id, scope)
    // First with the tokens of earlier rounds, whose inserts may still be in progress: the two count once. The last attempt
    // uses a new token: ClickHouse may have recorded the others without their rows, and would drop the block each time.
    const suffix = attempt < maxAttempts - 1 ? attempt : randomUUID()
    await insertBlock(clickhouse, `${block.id}/${suffix}`, content)
  }
  await reconcileSums(clickhouse, block.id, scope)
}

/** By the primary key: the whole month would be the size of the data. */
const inBlock = ({ projectIds }: BlockScope) => `${inProjects(projectIds)}
  AND at BETWEEN {firstAt: DateTime64(3, 'UTC')} AND {lastAt: DateTime64(3, 'UTC')} AND block_id = {id: UInt64}`

const inProjects = (projectIds: readonly string[]) => `project_id IN (${quoteIds(projectIds)})`

const timeParams = ({ firstAt, lastAt }: BlockScope) => ({ firstAt, lastAt })

export async function countRows(clickhouse: ClickHouseClient, blockId: string, scope: BlockScope): Promise<number> {
  const response = await clickhouse.query({
    query: `SELECT count() AS rows FROM page_view WHERE ${inBlock(scope)}`,
    query_params: { ...timeParams(scope), id: blockId },
    format: 'JSONEachRow',
    ...blockQuery(blockId),
  })
  const [found] = await response.json<{ rows: string }>()
  return Number(found?.rows)
}

async function deleteRows(clickhouse: ClickHouseClient, blockId: string, scope: BlockScope): Promise<void> {
  const { query_id, clickhouse_settings } = blockQuery(blockId)
  await clickhouse.command({
    query: `DELETE FROM page_view WHERE ${inBlock(scope)}`,
    query_params: { ...timeParams(scope), id: blockId },
    query_id,
    clickhouse_settings: { ...clickhouse_settings, lightweight_deletes_sync: '2' },
  })
}

const classes = ['human', 'assistant', 'ai_search', 'ai_training', 'search', 'other_bot'] as const
const byClass = classes.map((name) => `sumIf(views, class = '${name.replace('_', '-')}') AS ${name}`).join(', ')

const firstDay = "toDate({firstAt: DateTime64(3, 'UTC')})"
const lastDay = "toDate({lastAt: DateTime64(3, 'UTC')})"
/** The views of whole days. A condition on `at` itself, because that is in the primary key. */
const inDays = `at >= toDateTime64(${firstDay}, 3, 'UTC') AND at < toDateTime64(${lastDay} + 1, 3, 'UTC')`

interface SumTable {
  table: string
  keys: readonly string[]
  sums: readonly string[]
  /** Selects what the table should hold for the days of the scope. `$PROJECTS` is the condition for the projects. */
  expected: string
  /** The condition for the rows of the table that belong to those days. */
  affected: string
}

/** In this order, because the months are summed from the days. */
const sumTables: readonly SumTable[] = [
  {
    table: 'views_by_page_and_day',
    keys: ['project_id', 'day', 'path'],
    sums: classes,
    expected: `SELECT project_id, toDate(at) AS day, toString(path) AS path, ${byClass} FROM page_view
            WHERE $PROJECTS AND ${inDays} GROUP BY project_id, day, path`,
    affected: `day BETWEEN ${firstDay} AND ${lastDay}`,
  },
  {
    table: 'views_by_page_and_month',
    keys: ['project_id', 'month', 'path'],
    sums: classes,
    expected: `SELECT project_id, toStartOfMonth(day) AS month, path, ${classes.join(', ')} FROM views_by_page_and_day
            WHERE $PROJECTS
              AND day BETWEEN toStartOfMonth(${firstDay}) AND toLastDayOfMonth(${lastDay})`,
    affected: `month BETWEEN toStartOfMonth(${firstDay}) AND toStartOfMonth(${lastDay})`,
  },
  {
    table: 'views_by_quarter_hour',
    keys: ['project_id', 'quarter_hour'],
    sums: classes,
    expected: `SELECT project_id, toStartOfFifteenMinutes(at) AS quarter_hour, ${byClass} FROM page_view
            WHERE $PROJECTS AND ${inDays} GROUP BY project_id, quarter_hour`,
    affected: `quarter_hour >= toDateTime(${firstDay}, 'UTC') AND quarter_hour < toDateTime(${lastDay} + 1, 'UTC')`,
  },
  {
    table: 'views_by_client_and_day',
    keys: ['project_id', 'day', 'class', 'client'],
    sums: ['views'],
    expected: `SELECT project_id, toDate(at) AS day, class, client, sum(views) AS views FROM page_view
            WHERE $PROJECTS AND ${inDays} GROUP BY project_id, day, class, client`,
    affected: `day BETWEEN ${firstDay} AND ${lastDay}`,
  },
]

/**
 * Adds the difference between the expected and the actual sums. Idempotent, and therefore without a token, but only one at a time may
 * run: two would add the same difference twice.
 */
export async function reconcileSums(clickhouse: ClickHouseClient, blockId: string, scope: BlockScope): Promise<void> {
  const projects = inProjects(scope.projectIds)
  for (const { table, keys, sums, expected, affected } of sumTables) {
    const columns = [...keys, ...sums].join(', ')
    const { query_id, clickhouse_settings } = blockQuery(blockId)
    await clickhouse.command({
      query: `
        INSERT INTO ${table} (${columns})
        SELECT ${keys.join(', ')}, ${sums.map((name) => `sum(${name}) AS difference_${name}`).join(', ')}
        FROM (
          SELECT ${columns} FROM (${expected.replace('$PROJECTS', projects)})
          UNION ALL
          SELECT ${keys.join(', ')}, ${sums.map((name) => `-${name}`).join(', ')} FROM ${table}
          WHERE ${projects} AND ${affected}
        )
        GROUP BY ${keys.join(', ')}
        HAVING ${sums.map((name) => `difference_${name} != 0`).join(' OR ')}`,
      query_params: timeParams(scope),
      query_id,
      clickhouse_settings: { ...clickhouse_settings, async_insert: 0, insert_deduplicate: 0 },
    })
  }
}
