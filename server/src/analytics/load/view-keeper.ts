/** Every hour: views that a project no longer keeps are deleted, and deliveries that need not be known any more. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import type { Kysely } from 'kysely'
import type { Log } from '../../platform/log.ts'
import type { AnalyticsTables } from '../tables.ts'
import { expireViews } from './expire-views.ts'
import { forgetDeliveries } from './forget-deliveries.ts'
import { forgetTallies } from './forget-tallies.ts'

const everyMs = 3_600_000

export function startViewKeeper({
  db,
  clickhouse,
  shard,
  log,
}: {
  db: Kysely<AnalyticsTables>
  clickhouse: ClickHouseClient
  shard: number
  log: Log
}): { stop(): Promise<void> } {
  const stopping = new AbortController()

  const round = async () => {
    const deliveries = await forgetDeliveries(db)
    await forgetTallies(db)
    const projects = await expireViews(db, clickhouse, shard)
    if (deliveries > 0 || projects > 0) log.info({ shard, deliveries, projects }, 'forgot old deliveries and views')
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      await round().catch((error: unknown) => log.warn({ shard, error: String(error) }, 'could not forget what is old'))
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
