/**
 * Reads the views that ClickHouse had at a moment. Blocks that were loaded later, or of which it is not certain that they are loaded, are
 * left out by their IDs: PostgreSQL has their batches, or they were accepted after the moment.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import type { ClientBase } from 'pg'
import { viewColumns } from '../collect/view.ts'
import { maxQueryBytes, quoteIds } from '../load/block-query.ts'

export interface ViewSnapshot {
  /** Of ClickHouse's clock, in seconds since the epoch. */
  takenAtSeconds: number
  /** Blocks that were sent in the hour before. */
  sentBlockIds: readonly string[]
  /** Of PostgreSQL: they may or may not be in ClickHouse. */
  unfinishedBlockIds: readonly string[]
}

export interface ViewMonth {
  /** Like `202611`. */
  month: string
  rows: number
}

/** More than the clock of ClickHouse may be set back. */
const recentSeconds = 3600

/** The loader is paused meanwhile, so this must not take long. */
const maxSnapshotSeconds = 8

/** If PostgreSQL is restored to an older moment than ClickHouse, by up to this long, views are not counted twice. */
const sentBatchDays = 30

/** In a transaction that sees PostgreSQL at the moment, and while the loader is paused. */
export async function takeViewSnapshot(client: ClientBase, clickhouse: ClickHouseClient): Promise<ViewSnapshot> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM view_block')
  const response = await clickhouse.query({
    query: `SELECT toUnixTimestamp(now()) AS takenAtSeconds, groupUniqArray(toString(block_id)) AS sentBlockIds FROM sent_batch
            WHERE sent_at > now() - ${recentSeconds}`,
    format: 'JSONEachRow',
    clickhouse_settings: { max_execution_time: maxSnapshotSeconds },
  })
  const [sent] = await response.json<{ takenAtSeconds: number; sentBlockIds: string[] }>()
  if (!sent) throw new Error('ClickHouse returned no row for an aggregation')
  return { ...sent, unfinishedBlockIds: rows.map(({ id }) => id) }
}

export async function listViewMonths(clickhouse: ClickHouseClient, snapshot: ViewSnapshot): Promise<ViewMonth[]> {
  const response = await clickhouse.query({
    query: `SELECT toString(toYYYYMM(at)) AS month, count() AS rows FROM page_view WHERE ${isInSnapshot(snapshot)}
            GROUP BY month ORDER BY month`,
    format: 'JSONEachRow',
    clickhouse_settings: querySettings,
  })
  return (await response.json<{ month: string; rows: string }>()).map(({ month, rows }) => ({
    month,
    rows: Number(rows),
  }))
}

export const exportedViewColumns = [...viewColumns, 'block_id']

/** The views of a month, as tab-separated lines. If ClickHouse fails on the way, the number of lines differs from that of the rows. */
export const exportViews = (clickhouse: ClickHouseClient, snapshot: ViewSnapshot, { month }: ViewMonth) =>
  exportLines(
    clickhouse,
    `SELECT ${exportedViewColumns.join(', ')} FROM page_view WHERE toYYYYMM(at) = ${month} AND ${isInSnapshot(snapshot)}`,
  )

export const sentBatchColumns = ['batch_key', 'block_id', 'sent_at']

export const exportSentBatches = (clickhouse: ClickHouseClient, snapshot: ViewSnapshot) =>
  exportLines(clickhouse, `SELECT ${sentBatchColumns.join(', ')} ${fromSentBatches(snapshot)}`)

export async function countSentBatches(clickhouse: ClickHouseClient, snapshot: ViewSnapshot): Promise<number> {
  const response = await clickhouse.query({
    query: `SELECT count() AS rows ${fromSentBatches(snapshot)}`,
    format: 'JSONEachRow',
    clickhouse_settings: querySettings,
  })
  return Number((await response.json<{ rows: string }>())[0]?.rows)
}

/** FINAL: ClickHouse removes equal rows at any time, so that their number could change between two queries. */
const fromSentBatches = (snapshot: ViewSnapshot) =>
  `FROM sent_batch FINAL
   WHERE sent_at > toDateTime(${snapshot.takenAtSeconds - sentBatchDays * 86_400}) AND ${isInSnapshot(snapshot)}`

function isInSnapshot({ takenAtSeconds, sentBlockIds, unfinishedBlockIds }: ViewSnapshot): string {
  const known = sentBlockIds.length === 0 ? '' : `AND block_id NOT IN (${quoteIds(sentBlockIds)})`
  const unfinished = unfinishedBlockIds.length === 0 ? '' : `AND block_id NOT IN (${quoteIds(unfinishedBlockIds)})`
  return `block_id NOT IN (SELECT block_id FROM sent_batch WHERE sent_at > toDateTime(${takenAtSeconds - recentSeconds}) ${known})
    ${unfinished}`
}

const querySettings = { max_execution_time: 0, max_query_size: maxQueryBytes }

async function* exportLines(clickhouse: ClickHouseClient, query: string): AsyncGenerator<Uint8Array> {
  const { stream } = await clickhouse.exec({
    query: `${query} FORMAT TabSeparated`,
    clickhouse_settings: querySettings,
  })
  yield* stream
}
