import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { ServicesConfig } from './config.ts'
import type { Log } from './log.ts'

const connectWithinMs = 5_000
const statementWithinMs = 30_000

export function createPool(config: ServicesConfig['postgres'], log: Log): pg.Pool {
  const pool = new pg.Pool({
    connectionString: config.url,
    max: config.poolSize,
    application_name: 'colophon',
    connectionTimeoutMillis: connectWithinMs,
    statement_timeout: statementWithinMs,
    keepAlive: true,
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ error: error.message }, 'an idle PostgreSQL connection broke'))
  // One in use tells its query by rejecting it, and its listeners besides: without one, the process ends too (tried).
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** `Tables` is each capability's own view of the schema: no file knows all tables. */
export const createDatabase = <Tables>(pool: pg.Pool): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
