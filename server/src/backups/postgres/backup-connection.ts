/** A connection for a dump or a restore, which may take hours. */
import pg from 'pg'
import type { ServicesConfig } from '../../platform/config.ts'

/** Text that every version of PostgreSQL reads in the same way. */
const textFormat =
  "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, MDY'; SET IntervalStyle = 'postgres'; SET bytea_output = 'hex'; SET extra_float_digits = 1"

/** If this machine vanishes, PostgreSQL notices it after half a minute, and releases the locks. */
const keepalives = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4'

/** Otherwise PostgreSQL notices only at the end of a statement that the connection is closed. A wait for a lock is one as well. */
const connectionCheck = "SET client_connection_check_interval = '1s'"

/** Of this side, if the machine of PostgreSQL vanishes. Linux sends the first one after two hours by default. */
const keepaliveIdleMs = 10_000

const noTimeouts = 'SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0'

/** `signal`: closes the connection, whatever it is waiting for, so that its snapshot and its locks are gone. */
export async function withBackupConnection<Result>(
  config: ServicesConfig['postgres'],
  work: (client: pg.Client) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: config.url,
    application_name: 'colophon backup',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepaliveIdleMs,
  })
  client.on('error', () => {}) // the current query, or the next one, fails with the same error
  await client.connect()
  const disconnect = () => void client.end().catch(() => {})
  signal?.addEventListener('abort', disconnect)
  try {
    signal?.throwIfAborted()
    await client.query(`${textFormat}; ${keepalives}; ${connectionCheck}; ${noTimeouts}`)
    return await work(client)
  } catch (error) {
    signal?.throwIfAborted() // says more than that the connection was closed
    throw error
  } finally {
    signal?.removeEventListener('abort', disconnect)
    await client.end().catch(() => {})
  }
}
