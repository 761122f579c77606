/**
 * Queries about one block. ClickHouse goes on with a query whose client has given up, so each has a time limit that is shorter than
 * the client's, and a name by which it is ended before the block is sent again.
 */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'

/** Less than the client's own timeout of 30 s. */
const maxSeconds = 25

const queryIdPrefix = (blockId: string) => `colophon-block-${blockId}-`

export const blockQuery = (blockId: string) => ({
  query_id: `${queryIdPrefix(blockId)}${randomUUID()}`,
  clickhouse_settings: { max_execution_time: maxSeconds, max_query_size: maxQueryBytes },
})

/** Lists of thousands of projects or batches are part of the query: parameters would be part of the URL. */
export const maxQueryBytes = String(16 * 1024 * 1024)

/** For IDs, which need no escaping. */
export function quoteIds(ids: readonly string[]): string {
  for (const id of ids) if (!/^[\w-]+$/.test(id)) throw new Error(`Not an ID: ${id}`)
  return ids.map((id) => `'${id}'`).join(', ')
}

/** Returns when ClickHouse has ended them. */
export async function killBlockQueries(clickhouse: ClickHouseClient, blockId: string): Promise<void> {
  await clickhouse.command({
    query: 'KILL QUERY WHERE startsWith(query_id, {prefix: String}) SYNC',
    query_params: { prefix: queryIdPrefix(blockId) },
  })
}
