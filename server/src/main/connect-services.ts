import type { ClickHouseClient } from '@clickhouse/client'
import type { Connection } from '@temporalio/client'
import type { Pool } from 'pg'
import { createClickhouse } from '../platform/clickhouse.ts'
import type { ServicesConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { createPool } from '../platform/postgres.ts'
import { createTemporalConnection } from '../platform/temporal.ts'

export interface ConnectedServices {
  pool: Pool
  clickhouse: ClickHouseClient
  temporal: Connection
  close(): Promise<void>
}

/** Opens no connection yet, so a process starts and reports on `/readyz` while a service is unreachable. */
export function connectServices(config: ServicesConfig, log: Log): ConnectedServices {
  const pool = createPool(config.postgres, log)
  const clickhouse = createClickhouse(config.clickhouse)
  const temporal = createTemporalConnection(config.temporal)
  return {
    pool,
    clickhouse,
    temporal,
    close: async () => void (await Promise.allSettled([pool.end(), clickhouse.close(), temporal.close()])),
  }
}
