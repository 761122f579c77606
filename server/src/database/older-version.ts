/**
 * Whether processes of an older version may still run: during an upgrade, and until an administrator finishes it with
 * `colophon-server upgrade --finish`. Until then the older version must understand everything that is written (docs/decisions/upgrades.md).
 */
import { sql } from 'kysely'
import type { Database } from './database.ts'

/** The oldest version beside which this one can run. */
export const oldestSupportedVersion = '0.1.0'

/** What is written after an upgrade is finished can be read by this version and later ones. */
export const finishedVersion = '0.2.0'

/** As a part of the statement that needs it, so that no process works with an outdated value. */
export const olderVersionMayRun = sql<boolean>`(SELECT oldest_version = ${sql.lit(oldestSupportedVersion)} FROM instance_upgrade)`

export async function mayOlderVersionRun(db: Database): Promise<boolean> {
  const { rows } = await sql<{ mayRun: boolean }>`SELECT ${olderVersionMayRun} AS "mayRun"`.execute(db)
  return rows[0]?.mayRun ?? false
}
