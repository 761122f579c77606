/** Moves views from PostgreSQL to ClickHouse. Any number of loaders may run; only one at a time works. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { ClientBase, Pool, PoolClient } from 'pg'
import { type BackgroundTask, sleepUntilAborted, startBackgroundTask } from '../../platform/background-task.ts'
import { hasRestoreMarker } from '../../platform/clickhouse.ts'
import type { Log } from '../../platform/log.ts'
import { onlyShard } from '../tables.ts'
import { BlockStore } from './block-store.ts'
import { loadBlocks } from './load-blocks.ts'
import { StandbyWait } from './standby-wait.ts'

const lockNamespace = 0x76696577 // "view"
const betweenRoundsMs = 1_000 // ClickHouse works best with few, large blocks
const tryLockEveryMs = 2_000

export function startLoader({
  pool,
  clickhouse,
  log,
}: {
  pool: Pool
  clickhouse: ClickHouseClient
  log: Log
}): BackgroundTask {
  const loadWhileLocked = async (client: PoolClient, stopping: AbortSignal) => {
    const store = new BlockStore(client)
    const standbys = new StandbyWait(client, log)
    await waitForRestore(clickhouse, log, stopping)
    while (!stopping.aborted) {
      const { hasMore } = await loadBlocks({ store, standbys, clickhouse, log })
      if (!hasMore) await sleepUntilAborted(betweenRoundsMs, stopping)
    }
  }
  return startBackgroundTask({
    round: (stopping) =>
      withConnection(pool, async (client) => {
        // A machine that crashes does not close its connections. With keepalives, its lock is free after half a minute.
        await client.query(
          'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4',
        )
        if (await tryLoaderLock(client)) await loadWhileLocked(client, stopping)
      }),
    intervalMs: tryLockEveryMs,
    failureMessage: 'view loader lost its PostgreSQL connection',
    log,
  })
}

/**
 * A restore that was interrupted has left only a part of the views, and deletes all when it is repeated. The lock is kept, so that `restore`
 * requires that this process is stopped first. No other can begin while a loader works.
 */
async function waitForRestore(clickhouse: ClickHouseClient, log: Log, stopping: AbortSignal): Promise<void> {
  let isLogged = false
  while (!stopping.aborted) {
    try {
      if (!(await hasRestoreMarker(clickhouse))) return
      if (!isLogged)
        log.error('views are not loaded: a restore was interrupted. Stop all processes, and run restore again')
      isLogged = true
    } catch (error) {
      log.warn({ error: String(error).slice(0, 1_000) }, 'could not load views, will retry')
    }
    await sleepUntilAborted(betweenRoundsMs, stopping)
  }
}

async function withConnection(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  client.on('error', () => {}) // the current query, or the next one, fails with the same error
  try {
    await work(client)
  } finally {
    client.release(true) // closes the connection instead of reusing it, which releases the lock
  }
}

/** False: a loader works, or a backup is being restored. */
export async function tryLoaderLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ acquired: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS acquired', [
    lockNamespace,
    onlyShard,
  ])
  return rows[0]?.acquired === true
}
