/** `colophon-server upgrade --finish`: no process of an older version will run any longer, so this one may use all of its formats. */
import { grants } from '../../database/grants.ts'
import { finishedVersion } from '../../database/older-version.ts'
import type { MigrateConfig } from '../../platform/config.ts'
import { assertVersionMayRun } from '../../platform/migrations/oldest-version.ts'
import { planPostgresMigrations } from '../../platform/migrations/postgres-migrations.ts'
import { reconcileGrants } from '../../platform/migrations/reconcile-grants.ts'
import { withPostgresConnection } from '../../platform/postgres.ts'
import { UsageError } from '../usage-error.ts'

/** Returns the oldest version that could run before. */
export async function finishUpgrade(config: Pick<MigrateConfig, 'postgres' | 'databaseRoles'>): Promise<string> {
  return withPostgresConnection(config.postgres, 'colophon upgrade', async (client) => {
    const { pending, unknown } = await planPostgresMigrations(client)
    if (pending.length > 0)
      throw new UsageError('The migrations of this version are not applied yet. Run colophon-server migrate first.')
    await client.query('BEGIN')
    const { rows } = await client.query<{ oldestVersion: string }>(
      'SELECT oldest_version AS "oldestVersion" FROM instance_upgrade FOR UPDATE',
    )
    const before = rows[0]?.oldestVersion ?? finishedVersion
    assertVersionMayRun(before, finishedVersion)
    if (unknown.length > 0)
      throw new UsageError('A newer version has migrated this instance. Finish the upgrade with that version.')
    await client.query('UPDATE instance_upgrade SET oldest_version = $1', [finishedVersion])
    await client.query('COMMIT')
    if (config.databaseRoles) await reconcileGrants(client, grants, config.databaseRoles, { revokes: true })
    return before
  })
}
