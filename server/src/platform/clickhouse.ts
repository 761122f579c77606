import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { ServicesConfig } from './config.ts'

const requestWithinMs = 30_000

export const createClickhouse = (config: ServicesConfig['clickhouse']): ClickHouseClient =>
  createClient({
    url: config.url,
    application: 'colophon',
    request_timeout: requestWithinMs,
    log: { level: ClickHouseLogLevel.OFF }, // it would write plain text between our lines; what fails is thrown as well
  })
