/** One round of a shard's loader: first what was begun before, then what waits. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Log } from '../../platform/log.ts'
import { isServiceUnavailable } from '../../platform/service-unavailable.ts'
import { insertBlock, isRefused } from './insert-block.ts'
import type { Load, LoadStore } from './load-store.ts'
import { mendBlock } from './mend-block.ts'

const maxRejections = 5
const againAfterSeconds = { refused: 1, failed: 10 }

interface Shard {
  store: LoadStore
  clickhouse: ClickHouseClient
  log: Log
}

/** Rejects when PostgreSQL failed; ClickHouse's failures are noted and tried again in a later round. */
export async function loadRound(shard: Shard): Promise<{ moreWaits: boolean }> {
  for (const load of await shard.store.open()) {
    // Nothing new is begun in a round in which something fails: it would likely fail too, and what was begun has to be
    // looked for, block by block. The next round does not wait for what was postponed.
    if ((await tryLoad(shard, load, { sentBefore: true })) === 'failed') return { moreWaits: false }
  }
  const { loads, moreWaits } = await shard.store.freeze()
  for (const load of loads) {
    if ((await tryLoad(shard, load, { sentBefore: false })) === 'failed') return { moreWaits: false }
  }
  return { moreWaits }
}

async function tryLoad(shard: Shard, load: Load, { sentBefore }: { sentBefore: boolean }): Promise<'done' | 'failed'> {
  const { store, clickhouse, log } = shard
  const block = await store.read(load)
  try {
    if (block.rows > 0) await insertBlock(clickhouse, load.id, block)
    if (block.rows > 0 && sentBefore) await mendBlock(clickhouse, load, block)
  } catch (error) {
    const words = String(error).slice(0, 1_000)
    if (isRefused(error)) {
      await refused(shard, load, words)
      return 'done'
    }
    log.warn({ load: load.id, month: load.month, rows: block.rows, error: words }, 'views could not be loaded yet')
    if (!isServiceUnavailable(error)) await store.postpone(load, againAfterSeconds.failed, words)
    return 'failed'
  }
  await store.finish(load)
  return 'done'
}

/** One bad batch never stops the rest: it is closed in on by halves, and set aside. */
async function refused({ store, log }: Shard, load: Load, error: string): Promise<void> {
  if (load.rejections + 1 < maxRejections) return store.countRefusal(load, againAfterSeconds.refused, error)
  if (load.batchIds.length > 1) return store.split(load)
  await store.setAside(load, error)
  log.error({ load: load.id, batch: load.batchIds[0], error }, 'a batch of views was set aside: ClickHouse refuses it')
}
