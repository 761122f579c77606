/** The background half of page views: into ClickHouse, and out again when a project no longer keeps them. */
import { startLoader } from '../analytics/load/loader.ts'
import { startViewKeeper } from '../analytics/load/view-keeper.ts'
import type { AnalyticsTables } from '../analytics/tables.ts'
import type { ServicesConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { createDatabase, createPool } from '../platform/postgres.ts'
import type { ConnectedServices } from './connect-services.ts'

const shard = 0 // the only one there is

export function startViews(
  config: ServicesConfig,
  { pool, clickhouse }: ConnectedServices,
  log: Log,
): { stop(): Promise<void> } {
  // The loader keeps its connection, with its lock, for as long as it runs: one of the shared pool would be missing there.
  const ofLoader = createPool({ ...config.postgres, poolSize: 1 }, log)
  const loader = startLoader({ pool: ofLoader, clickhouse, shard, log })
  const keeper = startViewKeeper({ db: createDatabase<AnalyticsTables>(pool), clickhouse, shard, log })
  return {
    async stop() {
      await Promise.all([loader.stop(), keeper.stop()])
      await ofLoader.end()
    },
  }
}
