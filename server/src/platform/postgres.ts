import pg from 'pg'
import type { ServicesConfig } from './config.ts'
import type { Log } from './log.ts'

const connectTimeoutMs = 5_000
const statementTimeoutMs = 30_000

export function createPostgresPool(config: ServicesConfig['postgres'], log: Log): pg.Pool {
  const pool = new pg.Pool({
    connectionString: config.url,
    max: config.poolSize,
    application_name: 'colophon',
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
  })
  // The pool replaces an idle connection that breaks; without a listener the error would end the process.
  pool.on('error', (error) => log.warn({ error: error.message }, 'idle PostgreSQL connection lost'))
  // A connection in use rejects its query and also emits `error`: without a listener the process ends too (tried).
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
