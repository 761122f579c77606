/** ClickHouse inserts a block once, however often it is sent: every table in the chain of views remembers its token. */
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client'
import { viewColumns, viewInsertFormat } from '../collect/view.ts'
import { blockQuery } from './block-query.ts'
import type { BlockContent } from './block-store.ts'

/** The token starts with the ID of the block. */
export async function insertBlock(
  clickhouse: ClickHouseClient,
  token: string,
  { bodies }: BlockContent,
): Promise<void> {
  const [blockId = ''] = token.split('/')
  const { query_id, clickhouse_settings } = blockQuery(blockId)
  const { stream } = await clickhouse.exec({
    query: `INSERT INTO page_view (${viewColumns.join(', ')}) FORMAT ${viewInsertFormat}`,
    values: Readable.from(bodies, { objectMode: false }),
    http_headers: { 'content-encoding': 'gzip' },
    query_id,
    clickhouse_settings: {
      ...clickhouse_settings,
      async_insert: 0, // has open bugs with tokens and partitions: ClickHouse 110604, 111049, 112649
      insert_deduplicate: 1,
      insert_deduplication_token: token,
      deduplicate_blocks_in_dependent_materialized_views: 1,
      // Force a single block, whatever the defaults are: it is inserted completely or not at all.
      max_insert_block_size: '1000000',
      min_insert_block_size_rows: '1000000',
      min_insert_block_size_bytes: '0',
      max_insert_threads: '1',
      input_format_parallel_parsing: 0,
    },
  })
  await finished(stream.resume())
}

/**
 * ClickHouse parsed the block and rejected its contents before it wrote anything. A closed list: every other error, such as
 * out of memory, disk full or a missing table, would occur with any block, and possibly after something was written.
 */
const contentErrors = new Set([
  '6',
  '26',
  '27',
  '32',
  '33',
  '38',
  '41',
  '72', // cannot parse: text, quotes, input, end, date, time, number
  '53',
  '69',
  '117',
  '349',
  '691', // wrong type, out of bounds, incorrect data, null, unknown value of an enum
  '354', // not gzip
])

export const isBlockContentError = (error: unknown): boolean =>
  error instanceof ClickHouseError && contentErrors.has(error.code)
