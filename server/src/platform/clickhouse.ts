import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { ServicesConfig } from './config.ts'

const requestTimeoutMs = 30_000

export const createClickhouse = (config: ServicesConfig['clickhouse']): ClickHouseClient =>
  createClient({
    url: config.url,
    application: 'colophon',
    request_timeout: requestTimeoutMs,
    log: { level: ClickHouseLogLevel.OFF }, // it would write plain text between our JSON lines; errors are thrown as well
  })
