import pg from 'pg'
import type { ServicesConfig } from './config.ts'
import type { Log } from './log.ts'
import { type MeasuredPoolName, measurePool } from './metrics/measure-pool.ts'
import { isRecording } from './metrics/metrics.ts'

const connectTimeoutMs = 5_000
const statementTimeoutMs = 10_000

/** Longer than the statement timeout: if PostgreSQL can be reached, it is PostgreSQL that ends a statement that takes too long. */
const responseTimeoutMs = 12_000

/** A process that vanished, and whose locks others wait for, loses them after this time. */
export const idleInTransactionTimeoutMs = 10_000

const keepaliveIdleMs = 10_000

/**
 * For PostgreSQL's side of the connection. A machine that loses its power or network closes no connection; with the defaults of
 * Linux PostgreSQL notices it after two hours, and until then keeps the locks of the session. The three settings together end a
 * silent connection after 30 s. A connection string with `options` of its own replaces them.
 */
const keepaliveOptions = [
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=4',
  'tcp_user_timeout=30000',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

/** `name`: in metrics. */
export function createPostgresPool(config: ServicesConfig['postgres'], log: Log, name?: MeasuredPoolName): pg.Pool {
  const pool = new pg.Pool({
    Client: createClientClass(log),
    connectionString: config.url,
    max: config.poolSize,
    application_name: 'colophon',
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: responseTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    options: keepaliveOptions,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepaliveIdleMs,
    pipeline: true, // changes nothing for callers that wait for each response, as Kysely does: see pipelined-transaction.ts
  })
  // The pool replaces an idle connection that breaks; without a listener the error would end the process.
  pool.on('error', (error) => log.warn({ error: error.message }, 'idle PostgreSQL connection lost'))
  // A connection in use rejects its query and also emits `error`: without a listener the process ends too (tried).
  pool.on('connect', (client) => client.on('error', () => {}))
  if (name && isRecording()) measurePool(pool, name)
  return pool
}

/** The message of `pg` when `query_timeout` has passed; it has no code. */
const responseTimeoutMessage = 'Query read timeout'

/** PostgreSQL became a standby after a failover: a new connection may reach the new primary. */
const readOnlyCode = '25006'

/** The role has no privilege for the statement. */
const deniedCode = '42501'

/**
 * Closes a connection that cannot be used any longer, so that the pool opens a new one. `pg` itself keeps a connection whose
 * response timed out, and every later query on it waits behind the first one (tried).
 */
const createClientClass = (log: Log) =>
  class extends pg.Client {
    override query(...parameters: unknown[]): never {
      const query = super.query as (...parameters: unknown[]) => unknown
      const result = query.apply(this, parameters)
      if (result instanceof Promise)
        result.catch(({ message, code }: { message: string; code?: string }) => {
          if (message === responseTimeoutMessage || code === readOnlyCode) void this.end().catch(() => {})
          if (code === deniedCode) log.error({ error: message }, deniedMessage)
        })
      return result as never
    }
  }

/** Background work goes on after a failure, so this has to be logged here. */
export const deniedMessage =
  'PostgreSQL denied a statement to the database role of this process: run colophon-server migrate of this version'

/** A connection of a command, without a pool and its timeouts. Its locks are released when it ends, also if the process is killed. */
export async function withPostgresConnection<Result>(
  config: Pick<ServicesConfig['postgres'], 'url'>,
  applicationName: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: config.url, application_name: applicationName })
  client.on('error', () => {}) // the current query, or the next one, fails with the same error
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
