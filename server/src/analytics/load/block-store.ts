/**
 * The blocks that are sent to ClickHouse, and the state of each. Uses only the connection that holds the loader's lock, so that
 * a loader that lost its lock cannot change anything. When a call fails, the caller must close that connection.
 */
import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { type IsoDate, onlyShard } from '../tables.ts'
import { whileNotPaused } from './loader-pause.ts'

/** Batches of one month that are inserted as one block, with the ID as its token. */
export interface ViewBlock {
  id: string
  month: IsoDate
  batchIds: readonly string[]
  /** In the order of `batchIds`. */
  batchKeys: readonly string[]
  /** How often ClickHouse has rejected the block because of its contents. */
  rejections: number
}

export interface BlockContent {
  /** Each is gzip, and so is their concatenation. */
  bodies: Buffer[]
  rows: number
}

const maxRows = 500_000
const maxBytes = 32 * 1024 * 1024 // ClickHouse holds several copies of a block in memory
const maxBatchesPerScan = 10_000

export class BlockStore {
  readonly #client: ClientBase

  constructor(client: ClientBase) {
    this.#client = client
  }

  /** For everything that changes what ClickHouse has. */
  whileNotPaused<Result>(load: () => Promise<Result>): Promise<Result> {
    return whileNotPaused(this.#client, load)
  }

  /** Blocks of earlier rounds, of this or another process. They may or may not be in ClickHouse. Oldest first. */
  async listUnfinished(): Promise<ViewBlock[]> {
    const { rows } = await this.#client.query<ViewBlock>(
      `SELECT id, month::text, batch_ids AS "batchIds", rejections, ARRAY(
         SELECT key FROM unnest(batch_ids) WITH ORDINALITY AS member (id, ordinal) JOIN view_batch USING (id) ORDER BY ordinal
       )::text[] AS "batchKeys"
       FROM view_block WHERE shard = $1 AND quarantined_at IS NULL AND retry_at <= clock_timestamp() ORDER BY view_block.id`,
      [onlyShard],
    )
    return rows
  }

  /** Batches that are in no block yet, oldest first. */
  async listWaiting(): Promise<{ waiting: WaitingBatch[]; hasMore: boolean }> {
    const { rows } = await this.#client.query<WaitingBatch>(
      `SELECT id, key::text, month::text, rows, size_bytes AS "sizeBytes", created_at AS "createdAt" FROM view_batch
       WHERE shard = $1 AND id NOT IN (SELECT unnest(batch_ids) FROM view_block WHERE shard = $1)
       ORDER BY id LIMIT $2`,
      [onlyShard, maxBatchesPerScan],
    )
    return { waiting: rows, hasMore: rows.length === maxBatchesPerScan }
  }

  /** Assigns batches to new blocks: for each month, as many as fit into one block. */
  async createBlocks(waiting: readonly WaitingBatch[]): Promise<{ blocks: ViewBlock[]; hasMore: boolean }> {
    const blocks = groupByMonth(waiting)
    if (blocks.length > 0) await this.#insert(blocks)
    const assigned = blocks.reduce((sum, { batchIds }) => sum + batchIds.length, 0)
    return { blocks, hasMore: assigned < waiting.length }
  }

  /** Skips batches that an operator has deleted by hand: a block that can never be complete again must not block others. */
  async readContent({ batchIds }: Pick<ViewBlock, 'batchIds'>): Promise<BlockContent> {
    const { rows } = await this.#client.query<{ body: Buffer; rows: number }>(
      `SELECT body, rows FROM unnest($1::bigint[]) WITH ORDINALITY AS member (id, ordinal)
       JOIN view_batch USING (id) ORDER BY ordinal`,
      [batchIds],
    )
    return { bodies: rows.map(({ body }) => body), rows: rows.reduce((sum, batch) => sum + batch.rows, 0) }
  }

  /** The block is in ClickHouse: deletes it and its batches in one transaction. */
  async finish({ id, batchIds }: ViewBlock): Promise<void> {
    await this.#inTransaction(async () => {
      await this.#client.query('DELETE FROM view_batch WHERE id = ANY($1::bigint[])', [batchIds])
      await this.#remove(id)
    })
  }

  /** ClickHouse has the views of the batch already. */
  async deleteBatch({ id }: WaitingBatch): Promise<void> {
    await this.#client.query('DELETE FROM view_batch WHERE id = $1', [id])
  }

  /** The block may or may not be in ClickHouse, and its contents are valid. */
  async postpone({ id }: ViewBlock, seconds: number, error: string): Promise<void> {
    await this.#client.query(
      `UPDATE view_block SET retry_at = clock_timestamp() + make_interval(secs => $3), last_error = $4
       WHERE shard = $1 AND id = $2`,
      [onlyShard, id, seconds, error],
    )
  }

  async recordRejection({ id }: ViewBlock, seconds: number, error: string): Promise<void> {
    await this.#client.query(
      `UPDATE view_block SET retry_at = clock_timestamp() + make_interval(secs => $3), last_error = $4,
         rejections = rejections + 1
       WHERE shard = $1 AND id = $2`,
      [onlyShard, id, seconds, error],
    )
  }

  /** Only for blocks whose contents ClickHouse rejected, so that none of their rows is in: the halves get new tokens. */
  async split({ id, batchIds }: ViewBlock): Promise<void> {
    await this.#inTransaction(async () => {
      await this.#remove(id)
      const { waiting } = await this.listWaiting()
      const members = waiting.filter((batch) => batchIds.includes(batch.id))
      const middle = Math.ceil(members.length / 2)
      await this.#insert([members.slice(0, middle), members.slice(middle)].flatMap(groupByMonth))
    })
  }

  async quarantine({ id }: ViewBlock, error: string): Promise<void> {
    await this.#client.query(
      'UPDATE view_block SET quarantined_at = clock_timestamp(), last_error = $3 WHERE shard = $1 AND id = $2',
      [onlyShard, id, error],
    )
  }

  async #insert(blocks: readonly ViewBlock[]): Promise<void> {
    for (const { id, month, batchIds } of blocks) {
      await this.#client.query('INSERT INTO view_block (shard, id, month, batch_ids) VALUES ($1, $2, $3, $4)', [
        onlyShard,
        id,
        month,
        batchIds,
      ])
    }
  }

  async #remove(id: string): Promise<void> {
    await this.#client.query('DELETE FROM view_block WHERE shard = $1 AND id = $2', [onlyShard, id])
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    await this.#client.query('BEGIN')
    await work()
    await this.#client.query('COMMIT')
  }
}

export interface WaitingBatch {
  id: string
  key: string
  month: IsoDate
  rows: number
  sizeBytes: number
  createdAt: Date
}

function groupByMonth(waiting: readonly WaitingBatch[]): ViewBlock[] {
  const blocks = new Map<IsoDate, { batches: WaitingBatch[]; rows: number; sizeBytes: number }>()
  for (const batch of waiting) {
    const { month, rows, sizeBytes } = batch
    const block = blocks.get(month) ?? { batches: [], rows: 0, sizeBytes: 0 }
    blocks.set(month, block)
    const fits = block.rows + rows <= maxRows && block.sizeBytes + sizeBytes <= maxBytes
    if (!fits && block.batches.length > 0) continue // goes into a later block
    block.batches.push(batch)
    block.rows += rows
    block.sizeBytes += sizeBytes
  }
  return [...blocks].map(([month, { batches }]) => ({
    id: computeBlockId(batches),
    month,
    batchIds: batches.map(({ id }) => id),
    batchKeys: batches.map(({ key }) => key),
    rejections: 0,
  }))
}

/**
 * Milliseconds since the epoch, and 21 bits of a hash of the batches: the same batches have the same ID, also after PostgreSQL lost
 * its last changes, and IDs grow with time, so that ClickHouse stores them in half a byte.
 */
function computeBlockId(batches: readonly WaitingBatch[]): string {
  const hash = createHash('sha256').update(
    batches
      .map(({ key }) => key)
      .sort()
      .join('\n'),
  )
  const createdAtMs = Math.min(...batches.map(({ createdAt }) => createdAt.getTime()))
  return String((BigInt(createdAtMs) << 21n) | BigInt(hash.digest().readUInt32BE(0) >>> 11))
}
