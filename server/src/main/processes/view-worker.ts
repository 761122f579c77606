/** The background work for page views: loads them into ClickHouse, and deletes those past a project's retention. */
import { addMissingPartitions, dropExpiredPartitions } from '../../analytics/collect/delivery-ids.ts'
import { startLoader } from '../../analytics/load/loader.ts'
import { startViewRetention } from '../../analytics/load/view-retention.ts'
import { startBackgroundTask } from '../../platform/background-task.ts'
import type { ServicesConfig } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { createPostgresPool } from '../../platform/postgres.ts'
import type { ServiceClients } from './create-service-clients.ts'

export function startViewWorker(
  config: ServicesConfig,
  { database, clickhouse }: ServiceClients,
  log: Log,
): { stop(): Promise<void> } {
  // The loader holds one connection, and a lock on it, while it runs, so it gets a pool of its own.
  const loaderPool = createPostgresPool({ ...config.postgres, poolSize: 1 }, log, 'loader')
  const loader = startLoader({ pool: loaderPool, clickhouse, log })
  const retention = startViewRetention({ db: database, clickhouse, log })
  const partitions = startBackgroundTask({
    async round() {
      await addMissingPartitions(database)
      await dropExpiredPartitions(database)
    },
    intervalMs: 60_000,
    failureMessage: 'could not create or drop partitions of delivery IDs',
    log,
  })
  return {
    async stop() {
      await Promise.all([loader.stop(), retention.stop(), partitions.stop()])
      await loaderPool.end()
    },
  }
}
