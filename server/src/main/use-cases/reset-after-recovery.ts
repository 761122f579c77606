/**
 * `colophon-server reset-after-recovery`: PostgreSQL was recovered to an earlier time with another tool, and gets the same changes as rows
 * that `restore` has restored.
 */
import { tryLoaderLock } from '../../analytics/load/loader.ts'
import { resetAfterRestore } from '../../backups/reset-after-restore.ts'
import { createDatabase } from '../../database/database.ts'
import type { LogConfig, ServicesConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { planPostgresMigrations } from '../../platform/migrations/postgres-migrations.ts'
import { createPostgresPool, withPostgresConnection } from '../../platform/postgres.ts'
import { openStores } from '../processes/open-stores.ts'
import { UsageError } from '../usage-error.ts'

/** Can be repeated after any failure. */
export async function resetAfterRecovery(
  config: { postgres: ServicesConfig['postgres']; log: LogConfig },
  { keepSessions }: { keepSessions: boolean },
): Promise<void> {
  await withPostgresConnection(config.postgres, 'colophon reset-after-recovery', async (client) => {
    if (!(await tryLoaderLock(client)))
      throw new UsageError('A worker is connected to this database. Stop all processes of Colophon first.')
    if ((await planPostgresMigrations(client)).pending.length > 0)
      throw new UsageError('The migrations of this version are not applied yet. Run colophon-server migrate first.')
    await client.query('BEGIN')
    await resetAfterRestore(client, { keepSessions })
    await client.query('COMMIT')
  })
  const pool = createPostgresPool(config.postgres, createLog('reset-after-recovery', config.log))
  try {
    const entry = { action: 'instance.recovered', subject: 'instance', detail: {} } as const
    await openStores(createDatabase(pool)).audit.recordInstanceEvent({ kind: 'operator' }, entry)
  } finally {
    await pool.end()
  }
}
