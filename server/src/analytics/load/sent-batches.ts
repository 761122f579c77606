/**
 * Which batches were sent to ClickHouse before, although they are waiting in PostgreSQL: PostgreSQL has lost its last changes, in a
 * failover or because a backup was restored.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import { blockQuery, killBlockQueries, maxQueryBytes, quoteIds } from './block-query.ts'
import { readBlockScope } from './block-scope.ts'
import type { BlockContent, ViewBlock, WaitingBatch } from './block-store.ts'
import { countRows, reconcileSums } from './reconcile-block.ts'

/** Before the block is sent. Can be repeated. */
export async function recordSentBatches(clickhouse: ClickHouseClient, block: ViewBlock): Promise<void> {
  await clickhouse.insert({
    table: 'sent_batch',
    columns: ['batch_key', 'block_id'],
    values: block.batchKeys.map((key) => [key, block.id]),
    format: 'JSONCompactEachRow',
    query_id: blockQuery(block.id).query_id,
    clickhouse_settings: { async_insert: 0 },
  })
}

/** The blocks in which each of these batches was sent, by the key of the batch. Usually none. */
export async function findSentBlocks(
  clickhouse: ClickHouseClient,
  batches: readonly WaitingBatch[],
): Promise<Map<string, string[]>> {
  const sentBlocks = new Map<string, string[]>()
  if (batches.length === 0) return sentBlocks
  const response = await clickhouse.query({
    query: `SELECT DISTINCT toString(batch_key) AS key, toString(block_id) AS block FROM sent_batch
            WHERE batch_key IN (${quoteIds(batches.map(({ key }) => key))})`,
    format: 'JSONEachRow',
    clickhouse_settings: { max_query_size: maxQueryBytes },
  })
  for (const { key, block } of await response.json<{ key: string; block: string }>())
    sentBlocks.set(key, [...(sentBlocks.get(key) ?? []), block])
  return sentBlocks
}

/** Whether ClickHouse has the views of a batch that was sent in these blocks. A block is there completely or not at all. */
export async function isLoaded(
  clickhouse: ClickHouseClient,
  content: BlockContent,
  blockIds: readonly string[],
): Promise<boolean> {
  const scope = await readBlockScope(content)
  if (!scope) return false
  for (const blockId of blockIds) {
    await killBlockQueries(clickhouse, blockId)
    if ((await countRows(clickhouse, blockId, scope)) === 0) continue
    await reconcileSums(clickhouse, blockId, scope)
    return true
  }
  return false
}
