/** Migrates all services to the schema of this version, under one lock: any number of replicas may call it concurrently. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Connection } from '@temporalio/client'
import type { ClientBase } from 'pg'
import { ensureClickhouseDatabase } from '../clickhouse.ts'
import type { MigrateConfig } from '../config.ts'
import type { Log } from '../log.ts'
import { withPostgresConnection } from '../postgres.ts'
import { ensureTemporalNamespace } from '../temporal.ts'
import { waitForBackupLock } from './backup-lock.ts'
import { migrateClickhouse } from './clickhouse-migrations.ts'
import type { MigrationPlan } from './migration-files.ts'
import { assertVersionMayRun, readOldestVersion } from './oldest-version.ts'
import { migratePostgres, planPostgresMigrations } from './postgres-migrations.ts'
import { type Grants, reconcileGrants } from './reconcile-grants.ts'

const lockKey = 0x636f6c6f // "colo"

/** What the platform has to know of the product. */
export interface MigratedProduct {
  grants: Grants
  /** See oldest-version.ts. */
  finishedVersion: string
}

export async function migrate(
  config: MigrateConfig,
  { grants, finishedVersion }: MigratedProduct,
  { clickhouse, temporal }: { clickhouse: ClickHouseClient; temporal: Connection },
  log: Log,
): Promise<void> {
  // A separate connection: the lock lives as long as it does, so that a killed process releases it.
  await withPostgresConnection(config.postgres, 'colophon migrate', async (client) => {
    // Without this, PostgreSQL notices only at the end of a long statement that the client has disconnected.
    await client.query("SET client_connection_check_interval = '1s'")
    await acquireLock(client, log)
    assertVersionMayRun(await readOldestVersion(client), finishedVersion)
    if ((await planPostgresMigrations(client)).pending.length > 0)
      await waitForBackupLock(client, () => log.info('waiting for a backup to finish'))
    const logApplied = (service: string) => (name: string) =>
      log.info({ service, migration: name }, 'migration applied')
    const { unknown } = warnIfNewer(await migratePostgres(client, logApplied('postgres')), log)
    if (config.databaseRoles) {
      // Processes of another version may need privileges that this one does not declare.
      const isOnlyVersion = unknown.length === 0 && (await readOldestVersion(client)) === finishedVersion
      const changed = await reconcileGrants(client, grants, config.databaseRoles, { revokes: isOnlyVersion })
      if (changed.granted + changed.revoked > 0) log.info(changed, 'privileges of the database roles changed')
    }
    await ensureClickhouseDatabase(config.clickhouse)
    warnIfNewer(await migrateClickhouse(clickhouse, logApplied('clickhouse')), log)
    await ensureTemporalNamespace(temporal, config.temporal.namespace)
  })
}

async function acquireLock(client: ClientBase, log: Log): Promise<void> {
  const { rows } = await client.query<{ acquired: boolean }>('SELECT pg_try_advisory_lock($1) AS acquired', [lockKey])
  if (rows[0]?.acquired) return
  log.info('waiting for another process to finish migrating')
  await client.query('SELECT pg_advisory_lock($1)', [lockKey])
}

function warnIfNewer(plan: MigrationPlan, log: Log): MigrationPlan {
  if (plan.unknown.length > 0) log.warn({ migrations: plan.unknown }, 'schema is newer than this version, continuing')
  return plan
}
