/** Checks for `/readyz` that a service does its work, not only that it accepts connections. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Connection } from '@temporalio/client'
import type { Pool } from 'pg'
import { hasRestoreMarker } from './clickhouse.ts'
import { ComponentNotReadyError } from './http/readiness.ts'
import { planClickhouseMigrations } from './migrations/clickhouse-migrations.ts'
import { explainTooOld, readOldestVersion } from './migrations/oldest-version.ts'
import { planPostgresMigrations } from './migrations/postgres-migrations.ts'

/**
 * Writes to the write-ahead log and waits until it is on disk, without touching a table: a database with a full disk
 * still responds to SELECT 1. A standby or read-only database must be detected explicitly: a standby rejects this write
 * with an error that does not say why, and a read-only database accepts it (tried).
 */
const writeProbe = `SELECT CASE current_setting('transaction_read_only')
  WHEN 'off' THEN pg_logical_emit_message(true, 'colophon', 'readyz') END AS written`

/** `finishedVersion`: see oldest-version.ts. */
export function createPostgresCheck(pool: Pool, finishedVersion: string): () => Promise<void> {
  const assertMigrated = untilFirstSuccess(() => planPostgresMigrations(pool))
  return async () => {
    let written: string | null | undefined
    try {
      written = (await pool.query<{ written: string | null }>(writeProbe)).rows[0]?.written
    } catch (error) {
      if ((error as { code?: string }).code === '53100')
        throw new ComponentNotReadyError('disk_full', 'the disk of PostgreSQL is full')
      throw error
    }
    if (!written) throw new ComponentNotReadyError('read_only', 'PostgreSQL is read-only')
    await assertMigrated()
    // Each time: the upgrade to a newer version can be finished while this process runs.
    const tooOld = explainTooOld(await readOldestVersion(pool), finishedVersion)
    if (tooOld !== null) throw new ComponentNotReadyError('version_too_old', tooOld)
  }
}

const minClickhouseFreeBytes = 512 * 1024 * 1024 // below this, merges stop and soon afterwards inserts

export function createClickhouseCheck(clickhouse: ClickHouseClient): () => Promise<void> {
  const assertMigrated = untilFirstSuccess(() => planClickhouseMigrations(clickhouse))
  return async () => {
    const response = await clickhouse.query({
      query: 'SELECT min(unreserved_space) AS free FROM system.disks',
      format: 'JSONEachRow',
    })
    const [disk] = await response.json<{ free: string }>()
    if (Number(disk?.free) < minClickhouseFreeBytes)
      throw new ComponentNotReadyError('disk_full', 'the disk of ClickHouse is almost full')
    await assertMigrated()
    if (await hasRestoreMarker(clickhouse))
      throw new ComponentNotReadyError(
        'restore_unfinished',
        'views are being restored, or a restore was interrupted: run colophon-server restore again',
      )
  }
}

const grpcNotFound = 5

export function createTemporalCheck(temporal: Connection, namespace: string): () => Promise<void> {
  return async () => {
    try {
      await temporal.withDeadline(Date.now() + 2_000, () => temporal.workflowService.describeNamespace({ namespace }))
    } catch (error) {
      if ((error as { code?: number }).code === grpcNotFound) {
        throw new ComponentNotReadyError(
          'namespace_missing',
          `the Temporal namespace ${namespace} does not exist: run colophon-server migrate`,
        )
      }
      throw error
    }
  }
}

/** Migrations are never reverted: once none is pending, none will be for this version. */
function untilFirstSuccess(plan: () => Promise<{ pending: readonly unknown[] }>): () => Promise<void> {
  let isMigrated = false
  return async () => {
    if (isMigrated) return
    const { pending } = await plan()
    if (pending.length > 0) {
      throw new ComponentNotReadyError(
        'migrations_pending',
        `${pending.length} migrations are pending: run colophon-server migrate`,
      )
    }
    isMigrated = true
  }
}
