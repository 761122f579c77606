/** Migrates all services to the schema of this version, under one lock: any number of replicas may call it concurrently. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Connection } from '@temporalio/client'
import pg from 'pg'
import { ensureClickhouseDatabase } from '../clickhouse.ts'
import type { MigrateConfig } from '../config.ts'
import type { Log } from '../log.ts'
import { ensureTemporalNamespace } from '../temporal.ts'
import { migrateClickhouse } from './clickhouse-migrations.ts'
import type { MigrationPlan } from './migration-files.ts'
import { migratePostgres } from './postgres-migrations.ts'
import { type Grants, reconcileGrants } from './reconcile-grants.ts'

const lockKey = 0x636f6c6f // "colo"

export async function migrate(
  config: MigrateConfig,
  grants: Grants,
  { clickhouse, temporal }: { clickhouse: ClickHouseClient; temporal: Connection },
  log: Log,
): Promise<void> {
  // A separate connection: the lock lives as long as it does, so that a killed process releases it.
  const client = new pg.Client({ connectionString: config.postgres.url, application_name: 'colophon migrate' })
  client.on('error', () => {}) // the running query fails with the same error
  await client.connect()
  try {
    // Without this, PostgreSQL notices only at the end of a long statement that the client has disconnected.
    await client.query("SET client_connection_check_interval = '1s'")
    await acquireLock(client, log)
    const logApplied = (service: string) => (name: string) =>
      log.info({ service, migration: name }, 'migration applied')
    warnIfNewer(await migratePostgres(client, logApplied('postgres')), log)
    if (config.databaseRoles) {
      const changed = await reconcileGrants(client, grants, config.databaseRoles)
      if (changed.granted + changed.revoked > 0) log.info(changed, 'privileges of the database roles changed')
    }
    await ensureClickhouseDatabase(config.clickhouse)
    warnIfNewer(await migrateClickhouse(clickhouse, logApplied('clickhouse')), log)
    await ensureTemporalNamespace(temporal, config.temporal.namespace)
  } finally {
    await client.end()
  }
}

async function acquireLock(client: pg.Client, log: Log): Promise<void> {
  const { rows } = await client.query<{ acquired: boolean }>('SELECT pg_try_advisory_lock($1) AS acquired', [lockKey])
  if (rows[0]?.acquired) return
  log.info('waiting for another process to finish migrating')
  await client.query('SELECT pg_advisory_lock($1)', [lockKey])
}

function warnIfNewer({ unknown }: MigrationPlan, log: Log): void {
  if (unknown.length > 0) log.warn({ migrations: unknown }, 'schema is newer than this version, continuing')
}
