/**
 * Makes sure that a block is in every table exactly once, when it had to be sent again. Its token alone does not: ClickHouse
 * 26.7 notes a token just before the rows appear, and killed between the two it drops the block when it comes again; later
 * versions do it the other way round, and would count it twice; and the note is not forced to disk (ClickHouse 111577), so
 * that a machine that loses power may forget it. So the rows themselves are looked for, by the block they came with, and the
 * sums of the days they touch are made to be what the rows say.
 */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { insertBlock } from './insert-block.ts'
import type { Block, Load } from './load-store.ts'

const maxAttempts = 4

/** Nobody else writes to the shard meanwhile: there is one loader. */
export async function mendBlock(clickhouse: ClickHouseClient, load: Load, block: Block): Promise<void> {
  for (let tries = 1; ; tries++) {
    const rows = await countRows(clickhouse, load)
    if (rows === block.rows) break
    if (tries === maxAttempts) throw new Error(`Of ${block.rows} rows ${rows} are in, and stay so.`)
    if (rows > 0) await deleteRows(clickhouse, load)
    // First under the names of an earlier round, whose insert may be under way still: both together are counted once. At
    // last under a new one: those may be noted without their rows too, and then nothing gets in by them any more.
    const suffix = tries < maxAttempts - 1 ? tries : randomUUID()
    await insertBlock(clickhouse, `${load.id}/${suffix}`, block)
  }
  await mendSums(clickhouse, load)
}

const ofBlock = 'toYYYYMM(at) = toYYYYMM(toDate({month: String})) AND block_id = {id: UInt64}'
const parametersOf = ({ id, month }: Load) => ({ id, month })

async function countRows(clickhouse: ClickHouseClient, load: Load): Promise<number> {
  const response = await clickhouse.query({
    query: `SELECT count() AS rows FROM page_view WHERE ${ofBlock}`,
    query_params: parametersOf(load),
    format: 'JSONEachRow',
  })
  const [found] = await response.json<{ rows: string }>()
  return Number(found?.rows)
}

async function deleteRows(clickhouse: ClickHouseClient, load: Load): Promise<void> {
  await clickhouse.command({
    query: `DELETE FROM page_view WHERE ${ofBlock}`,
    query_params: parametersOf(load),
    clickhouse_settings: { lightweight_deletes_sync: '2' },
  })
}

const classes = ['human', 'assistant', 'ai_search', 'ai_training', 'search', 'other_bot'] as const
const byClass = classes.map((name) => `sumIf(views, class = '${name.replace('_', '-')}') AS ${name}`).join(', ')

/** In the views that the block touched. */
const touched = 'project_id IN (SELECT project_id FROM touched) AND'

interface Sums {
  table: string
  keys: readonly string[]
  sums: readonly string[]
  /** What the table should hold for what the block touched. */
  right: string
  /** Which of its rows those are. */
  present: string
}

/** In this order: the months are added up from the days. */
const mended: readonly Sums[] = [
  {
    table: 'views_by_page_and_day',
    keys: ['project_id', 'day', 'path'],
    sums: classes,
    right: `SELECT project_id, toDate(at) AS day, toString(path) AS path, ${byClass} FROM page_view
            WHERE ${touched} toDate(at) IN (SELECT day FROM touched) GROUP BY project_id, day, path`,
    present: 'day IN (SELECT day FROM touched)',
  },
  {
    table: 'views_by_page_and_month',
    keys: ['project_id', 'month', 'path'],
    sums: classes,
    right: `SELECT project_id, toStartOfMonth(day) AS month, path, ${classes.join(', ')} FROM views_by_page_and_day
            WHERE ${touched} month IN (SELECT toStartOfMonth(day) FROM touched)`,
    present: 'month IN (SELECT toStartOfMonth(day) FROM touched)',
  },
  {
    table: 'views_by_quarter_hour',
    keys: ['project_id', 'quarter_hour'],
    sums: classes,
    right: `SELECT project_id, toStartOfFifteenMinutes(at) AS quarter_hour, ${byClass} FROM page_view
            WHERE ${touched} toDate(at) IN (SELECT day FROM touched) GROUP BY project_id, quarter_hour`,
    present: 'toDate(quarter_hour) IN (SELECT day FROM touched)',
  },
  {
    table: 'views_by_client_and_day',
    keys: ['project_id', 'day', 'class', 'client'],
    sums: ['views'],
    right: `SELECT project_id, toDate(at) AS day, class, client, sum(views) AS views FROM page_view
            WHERE ${touched} toDate(at) IN (SELECT day FROM touched) GROUP BY project_id, day, class, client`,
    present: 'day IN (SELECT day FROM touched)',
  },
]

/** Adds the difference between what is right and what is there. Repeated, it finds none: it needs no token. */
async function mendSums(clickhouse: ClickHouseClient, load: Load): Promise<void> {
  for (const { table, keys, sums, right, present } of mended) {
    const columns = [...keys, ...sums].join(', ')
    await clickhouse.command({
      query: `
        INSERT INTO ${table} (${columns})
        WITH touched AS (SELECT DISTINCT project_id, toDate(at) AS day FROM page_view WHERE ${ofBlock})
        SELECT ${keys.join(', ')}, ${sums.map((name) => `sum(${name}) AS difference_${name}`).join(', ')}
        FROM (
          SELECT ${columns} FROM (${right})
          UNION ALL
          SELECT ${keys.join(', ')}, ${sums.map((name) => `-${name}`).join(', ')} FROM ${table}
          WHERE ${touched} ${present}
        )
        GROUP BY ${keys.join(', ')}
        HAVING ${sums.map((name) => `difference_${name} != 0`).join(' OR ')}`,
      query_params: parametersOf(load),
      clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
    })
  }
}
