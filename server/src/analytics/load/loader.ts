/** Moves views from PostgreSQL to ClickHouse. Any number may run: one at a time works on a shard. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '../../platform/log.ts'
import { loadRound } from './load-round.ts'
import { LoadStore } from './load-store.ts'

const lockSpace = 0x76696577 // "view"
const betweenRoundsMs = 1_000 // ClickHouse wants few large blocks
const askForLockEveryMs = 2_000

export function startLoader({
  pool,
  clickhouse,
  shard,
  log,
}: {
  pool: Pool
  clickhouse: ClickHouseClient
  shard: number
  log: Log
}): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})

  const loadWhileLocked = async (client: PoolClient) => {
    const store = new LoadStore(client, shard)
    while (!stopping.signal.aborted) {
      const { moreWaits } = await loadRound({ store, clickhouse, log })
      if (!moreWaits) await pause(betweenRoundsMs)
    }
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await withConnection(pool, async (client) => {
          if (await takeLock(client, shard)) await loadWhileLocked(client)
        })
      } catch (error) {
        log.warn({ shard, error: String(error) }, 'the loader of views lost PostgreSQL')
      }
      await pause(askForLockEveryMs)
    }
  })()

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function withConnection(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  client.on('error', () => {}) // the query under way, or the next one, fails with the same error
  try {
    await work(client)
  } finally {
    client.release(true) // closed, not given back: the lock goes with it
  }
}

async function takeLock(client: PoolClient, shard: number): Promise<boolean> {
  // A machine that is gone says no goodbye: after half a minute its lock is free.
  await client.query('SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4')
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS taken', [
    lockSpace,
    shard,
  ])
  return rows[0]?.taken === true
}
