/**
 * The blocks that go to ClickHouse, and how each fares. All of it over the one connection that holds the shard's lock: a
 * loader that lost its lock can change nothing here. When a call fails that connection is to be let go of.
 */
import { randomInt } from 'node:crypto'
import type { ClientBase } from 'pg'
import type { Day } from '../tables.ts'

/** Batches of one shard and one month that are inserted as one block, with the id as its token. */
export interface Load {
  id: string
  month: Day
  batchIds: readonly string[]
  /** How often ClickHouse has refused it for what is in it. */
  rejections: number
}

export interface Block {
  /** Each gzip: so they are all of them together, one after the other. */
  bodies: Buffer[]
  rows: number
}

const maxRows = 500_000
const maxBytes = 32 * 1024 * 1024 // ClickHouse has a block in memory, several times over
const maxBatchesPerScan = 10_000

export class LoadStore {
  readonly #client: ClientBase
  readonly #shard: number

  constructor(client: ClientBase, shard: number) {
    this.#client = client
    this.#shard = shard
  }

  /** Frozen before, by us or by somebody who is gone: whether they are in nobody knows. Oldest first. */
  async open(): Promise<Load[]> {
    const { rows } = await this.#client.query<Load>(
      `SELECT id, month::text, batch_ids AS "batchIds", rejections FROM view_block
       WHERE shard = $1 AND quarantined_at IS NULL AND retry_at <= clock_timestamp() ORDER BY id`,
      [this.#shard],
    )
    return rows
  }

  /** Freezes what waits, for each month as much as fits into a block. */
  async freeze(): Promise<{ loads: Load[]; moreWaits: boolean }> {
    const { rows: waiting } = await this.#client.query<WaitingBatch>(
      `SELECT id, month::text, rows, size_bytes AS "sizeBytes" FROM view_batch
       WHERE shard = $1 AND id NOT IN (SELECT unnest(batch_ids) FROM view_block WHERE shard = $1)
       ORDER BY id LIMIT $2`,
      [this.#shard, maxBatchesPerScan],
    )
    const loads = groupByMonth(waiting)
    if (loads.length > 0) await this.#insert(loads)
    const frozen = loads.reduce((sum, { batchIds }) => sum + batchIds.length, 0)
    return { loads, moreWaits: frozen < waiting.length || waiting.length === maxBatchesPerScan }
  }

  /** Without what somebody deleted by hand meanwhile: a block that can never be whole again must not be waited for. */
  async read({ batchIds }: Load): Promise<Block> {
    const { rows } = await this.#client.query<{ body: Buffer; rows: number }>(
      `SELECT body, rows FROM unnest($1::bigint[]) WITH ORDINALITY AS member (id, place)
       JOIN view_batch USING (id) ORDER BY place`,
      [batchIds],
    )
    return { bodies: rows.map(({ body }) => body), rows: rows.reduce((sum, batch) => sum + batch.rows, 0) }
  }

  /** It is in: its batches and it are forgotten together. */
  async finish({ id, batchIds }: Load): Promise<void> {
    await this.#together(async () => {
      await this.#client.query('DELETE FROM view_batch WHERE id = ANY($1::bigint[])', [batchIds])
      await this.#remove(id)
    })
  }

  /** It may be in or not, and nothing is wrong with it. */
  async postpone({ id }: Load, seconds: number, error: string): Promise<void> {
    await this.#client.query(
      `UPDATE view_block SET retry_at = clock_timestamp() + make_interval(secs => $3), last_error = $4
       WHERE shard = $1 AND id = $2`,
      [this.#shard, id, seconds, error],
    )
  }

  async countRefusal({ id }: Load, seconds: number, error: string): Promise<void> {
    await this.#client.query(
      `UPDATE view_block SET retry_at = clock_timestamp() + make_interval(secs => $3), last_error = $4,
         rejections = rejections + 1
       WHERE shard = $1 AND id = $2`,
      [this.#shard, id, seconds, error],
    )
  }

  /** Only what ClickHouse refused for what is in it, so that nothing of it is in: the halves have tokens of their own. */
  async split({ id, month, batchIds }: Load): Promise<void> {
    const middle = Math.ceil(batchIds.length / 2)
    const halves = [batchIds.slice(0, middle), batchIds.slice(middle)]
    await this.#together(async () => {
      await this.#remove(id)
      await this.#insert(halves.map((half) => ({ id: newLoadId(), month, batchIds: half, rejections: 0 })))
    })
  }

  async setAside({ id }: Load, error: string): Promise<void> {
    await this.#client.query(
      'UPDATE view_block SET quarantined_at = clock_timestamp(), last_error = $3 WHERE shard = $1 AND id = $2',
      [this.#shard, id, error],
    )
  }

  async #insert(loads: readonly Load[]): Promise<void> {
    for (const { id, month, batchIds } of loads) {
      await this.#client.query('INSERT INTO view_block (shard, id, month, batch_ids) VALUES ($1, $2, $3, $4)', [
        this.#shard,
        id,
        month,
        batchIds,
      ])
    }
  }

  async #remove(id: string): Promise<void> {
    await this.#client.query('DELETE FROM view_block WHERE shard = $1 AND id = $2', [this.#shard, id])
  }

  async #together(work: () => Promise<void>): Promise<void> {
    await this.#client.query('BEGIN')
    await work()
    await this.#client.query('COMMIT')
  }
}

interface WaitingBatch {
  id: string
  month: Day
  rows: number
  sizeBytes: number
}

function groupByMonth(waiting: readonly WaitingBatch[]): Load[] {
  const blocks = new Map<Day, { batchIds: string[]; rows: number; sizeBytes: number }>()
  for (const { id, month, rows, sizeBytes } of waiting) {
    const block = blocks.get(month) ?? { batchIds: [], rows: 0, sizeBytes: 0 }
    blocks.set(month, block)
    const fits = block.rows + rows <= maxRows && block.sizeBytes + sizeBytes <= maxBytes
    if (!fits && block.batchIds.length > 0) continue // for the next block
    block.batchIds.push(id)
    block.rows += rows
    block.sizeBytes += sizeBytes
  }
  return [...blocks].map(([month, { batchIds }]) => ({ id: newLoadId(), month, batchIds, rejections: 0 }))
}

let lastLoadId = 0n

/**
 * Microseconds of time, and more than the last: none that ClickHouse has seen, also after a restored backup. The last three
 * digits are random, as a clock may be set back while ClickHouse still knows the ids of that time.
 */
function newLoadId(): string {
  const now = BigInt(Date.now()) * 1000n + BigInt(randomInt(1000))
  lastLoadId = now > lastLoadId ? now : lastLoadId + 1n
  return String(lastLoadId)
}
