/**
 * The blocks that are sent to ClickHouse, and the state of each. Uses only the connection that holds the loader's lock, so that
 * a loader that lost its lock cannot change anything. When a call fails, the caller must close that connection.
 */
import { randomInt } from 'node:crypto'
import type { ClientBase } from 'pg'
import { type IsoDate, onlyShard } from '../tables.ts'

/** Batches of one month that are inserted as one block, with the ID as its token. */
export interface ViewBlock {
  id: string
  month: IsoDate
  batchIds: readonly string[]
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

  /** Blocks of earlier rounds, of this or another process. They may or may not be in ClickHouse. Oldest first. */
  async listUnfinished(): Promise<ViewBlock[]> {
    const { rows } = await this.#client.query<ViewBlock>(
      `SELECT id, month::text, batch_ids AS "batchIds", rejections FROM view_block
       WHERE shard = $1 AND quarantined_at IS NULL AND retry_at <= clock_timestamp() ORDER BY id`,
      [onlyShard],
    )
    return rows
  }

  /** Assigns waiting batches to new blocks: for each month, as many as fit into one block. */
  async createBlocks(): Promise<{ blocks: ViewBlock[]; hasMore: boolean }> {
    const { rows: waiting } = await this.#client.query<WaitingBatch>(
      `SELECT id, month::text, rows, size_bytes AS "sizeBytes" FROM view_batch
       WHERE shard = $1 AND id NOT IN (SELECT unnest(batch_ids) FROM view_block WHERE shard = $1)
       ORDER BY id LIMIT $2`,
      [onlyShard, maxBatchesPerScan],
    )
    const blocks = groupByMonth(waiting)
    if (blocks.length > 0) await this.#insert(blocks)
    const assigned = blocks.reduce((sum, { batchIds }) => sum + batchIds.length, 0)
    return { blocks, hasMore: assigned < waiting.length || waiting.length === maxBatchesPerScan }
  }

  /** Skips batches that an operator has deleted by hand: a block that can never be complete again must not block others. */
  async readContent({ batchIds }: ViewBlock): Promise<BlockContent> {
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
  async split({ id, month, batchIds }: ViewBlock): Promise<void> {
    const middle = Math.ceil(batchIds.length / 2)
    const halves = [batchIds.slice(0, middle), batchIds.slice(middle)]
    await this.#inTransaction(async () => {
      await this.#remove(id)
      await this.#insert(halves.map((half) => ({ id: newBlockId(), month, batchIds: half, rejections: 0 })))
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

interface WaitingBatch {
  id: string
  month: IsoDate
  rows: number
  sizeBytes: number
}

function groupByMonth(waiting: readonly WaitingBatch[]): ViewBlock[] {
  const blocks = new Map<IsoDate, { batchIds: string[]; rows: number; sizeBytes: number }>()
  for (const { id, month, rows, sizeBytes } of waiting) {
    const block = blocks.get(month) ?? { batchIds: [], rows: 0, sizeBytes: 0 }
    blocks.set(month, block)
    const fits = block.rows + rows <= maxRows && block.sizeBytes + sizeBytes <= maxBytes
    if (!fits && block.batchIds.length > 0) continue // goes into a later block
    block.batchIds.push(id)
    block.rows += rows
    block.sizeBytes += sizeBytes
  }
  return [...blocks].map(([month, { batchIds }]) => ({ id: newBlockId(), month, batchIds, rejections: 0 }))
}

let lastBlockId = 0n

/**
 * Microseconds since the epoch, and greater than the last ID: unknown to ClickHouse even after a backup was restored. The last
 * three digits are random, because a clock may be set back while ClickHouse still remembers the IDs of that time.
 */
function newBlockId(): string {
  const now = BigInt(Date.now()) * 1000n + BigInt(randomInt(1000))
  lastBlockId = now > lastBlockId ? now : lastBlockId + 1n
  return String(lastBlockId)
}
