import type { ClickHouseClient } from '@clickhouse/client'
import type { Connection } from '@temporalio/client'
import type { Pool } from 'pg'
import { createDatabase, type Database } from '../../database/database.ts'
import { createClickhouse } from '../../platform/clickhouse.ts'
import type { ServicesConfig } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { MeasuredPoolName } from '../../platform/metrics/measure-pool.ts'
import { createPostgresPool } from '../../platform/postgres.ts'
import { createTemporalConnection } from '../../platform/temporal.ts'

export interface ServiceClients {
  pool: Pool
  /** On `pool`. */
  database: Database
  clickhouse: ClickHouseClient
  temporal: Connection
  close(): Promise<void>
}

/** Opens no connection yet, so a process starts and reports on `/readyz` while a service is unreachable. `name`: in metrics. */
export function createServiceClients(config: ServicesConfig, log: Log, name?: MeasuredPoolName): ServiceClients {
  const pool = createPostgresPool(config.postgres, log, name)
  const clickhouse = createClickhouse(config.clickhouse)
  const temporal = createTemporalConnection(config.temporal)
  return {
    pool,
    database: createDatabase(pool),
    clickhouse,
    temporal,
    close: async () => void (await Promise.allSettled([pool.end(), clickhouse.close(), temporal.close()])),
  }
}
