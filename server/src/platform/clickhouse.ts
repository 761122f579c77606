import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { EnginesConfig } from './config.ts'

const requestWithinMs = 30_000

export const createClickhouse = (config: EnginesConfig['clickhouse']): ClickHouseClient =>
  createClient({
    url: config.url,
    application: 'colophon',
    request_timeout: requestWithinMs,
    log: { level: ClickHouseLogLevel.OFF }, // it would write plain text between our lines; what fails is thrown as well
  })
