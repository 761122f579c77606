/** Brings all engines to this version's schema, under one lock: any number of replicas may call it at once. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Connection } from '@temporalio/client'
import pg from 'pg'
import type { ServicesConfig } from '../config.ts'
import type { Log } from '../log.ts'
import { ensureNamespace } from '../temporal.ts'
import { migrateClickhouse } from './clickhouse-migrations.ts'
import type { MigrationPlan } from './migration-files.ts'
import { migratePostgres } from './postgres-migrations.ts'

const lockKey = 0x636f6c6f // "colo"

export async function migrate(
  config: ServicesConfig,
  { clickhouse, temporal }: { clickhouse: ClickHouseClient; temporal: Connection },
  log: Log,
): Promise<void> {
  // A connection of its own: the lock lives as long as it does, so that a process that is killed gives it back.
  const client = new pg.Client({ connectionString: config.postgres.url, application_name: 'colophon migrate' })
  client.on('error', () => {}) // the query under way fails with the same error
  await client.connect()
  try {
    // Without this PostgreSQL notices only at the end of a long statement that whoever sent it is gone.
    await client.query("SET client_connection_check_interval = '1s'")
    await takeLock(client, log)
    const report = (engine: string) => (name: string) => log.info({ engine, migration: name }, 'migration applied')
    warnOfNewer(await migratePostgres(client, report('postgres')), log)
    warnOfNewer(await migrateClickhouse(clickhouse, report('clickhouse')), log)
    await ensureNamespace(temporal, config.temporal.namespace)
  } finally {
    await client.end()
  }
}

async function takeLock(client: pg.Client, log: Log): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [lockKey])
  if (rows[0]?.taken) return
  log.info('another process is migrating: waiting for it')
  await client.query('SELECT pg_advisory_lock($1)', [lockKey])
}

function warnOfNewer({ unknown }: MigrationPlan, log: Log): void {
  if (unknown.length > 0) log.warn({ migrations: unknown }, 'the schema is newer than this version: going on with it')
}
