/** A block goes into ClickHouse once, however often it is sent: its token is remembered by every table of the chain. */
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client'
import { viewColumns, viewFormat } from '../collect/view.ts'
import type { Block } from './load-store.ts'

export async function insertBlock(clickhouse: ClickHouseClient, token: string, { bodies }: Block): Promise<void> {
  const { stream } = await clickhouse.exec({
    query: `INSERT INTO page_view (${viewColumns.join(', ')}) FORMAT ${viewFormat}`,
    values: Readable.from(bodies, { objectMode: false }),
    http_headers: { 'content-encoding': 'gzip' },
    clickhouse_settings: {
      async_insert: 0, // together with tokens and partitions it has open bugs: ClickHouse 110604, 111049, 112649
      insert_deduplicate: 1,
      insert_deduplication_token: token,
      deduplicate_blocks_in_dependent_materialized_views: 1,
      // One block, whatever the defaults: it is there as a whole or not at all.
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
 * ClickHouse read the block and found something wrong in it, before it wrote anything. A closed list: every other error, such
 * as no memory, no room or a table that is missing, would come for any block, and may come after something was written.
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
  '691', // wrong type, out of bounds, incorrect data, null, unknown word of an enum
  '354', // not gzip
])

export const isRefused = (error: unknown): boolean => error instanceof ClickHouseError && contentErrors.has(error.code)
