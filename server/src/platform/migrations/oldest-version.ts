/**
 * PostgreSQL records the oldest version that may run on the instance (docs/decisions/upgrades.md). `finishedVersion`: what this version
 * writes after its upgrade is finished can be read by that version and later ones.
 */
import type { ClientBase, Pool } from 'pg'
import { isNewerVersion } from '../is-newer-version.ts'

/** This version must not run on the instance. */
export class VersionTooOldError extends Error {
  override name = 'VersionTooOldError'
}

/** Null: not recorded, because no version that records it has migrated the database. */
export async function readOldestVersion(database: ClientBase | Pool): Promise<string | null> {
  const { rows: tables } = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('instance_upgrade') IS NOT NULL AS exists",
  )
  if (!tables[0]?.exists) return null
  const { rows } = await database.query<{ oldestVersion: string }>(
    'SELECT oldest_version AS "oldestVersion" FROM instance_upgrade',
  )
  return rows[0]?.oldestVersion ?? null
}

/** Why this version must not run. Null: it may. */
export const explainTooOld = (oldestVersion: string | null, finishedVersion: string): string | null =>
  oldestVersion !== null && isNewerVersion(oldestVersion, finishedVersion)
    ? `The upgrade of this instance to ${oldestVersion} is finished, so versions before it cannot run any longer. Use version ` +
      `${oldestVersion} or newer, or restore a backup.`
    : null

export function assertVersionMayRun(oldestVersion: string | null, finishedVersion: string): void {
  const reason = explainTooOld(oldestVersion, finishedVersion)
  if (reason !== null) throw new VersionTooOldError(reason)
}
