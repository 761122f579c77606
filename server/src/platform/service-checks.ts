/** How `/readyz` finds out that an engine does its work, not only that it listens. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Connection } from '@temporalio/client'
import type { Pool } from 'pg'
import { NotReady } from './http/readiness.ts'
import { planClickhouse } from './migrations/clickhouse-migrations.ts'
import { planPostgres } from './migrations/postgres-migrations.ts'

/**
 * Writes to the log of changes and waits for it to be on disk, without touching a table: a database whose disk is full
 * answers SELECT 1 and refuses all work. That it became a standby or was set to read only has to be asked: the one refuses
 * this write with an error that says nothing, the other takes it (tried).
 */
const writeProbe = `SELECT CASE current_setting('transaction_read_only')
  WHEN 'off' THEN pg_logical_emit_message(true, 'colophon', 'readyz') END AS written`

export function checkPostgres(pool: Pool): () => Promise<void> {
  const migrated = once(() => planPostgres(pool))
  return async () => {
    let written: string | null | undefined
    try {
      written = (await pool.query<{ written: string | null }>(writeProbe)).rows[0]?.written
    } catch (error) {
      if ((error as { code?: string }).code === '53100') throw new NotReady('disk_full', "PostgreSQL's disk is full")
      throw error
    }
    if (!written) throw new NotReady('read_only', 'PostgreSQL takes no writes')
    await migrated()
  }
}

const clickhouseFreeBytes = 512 * 1024 * 1024 // below this merges stop, and soon after them inserts

export function checkClickhouse(clickhouse: ClickHouseClient): () => Promise<void> {
  const migrated = once(() => planClickhouse(clickhouse))
  return async () => {
    const response = await clickhouse.query({
      query: 'SELECT min(unreserved_space) AS free FROM system.disks',
      format: 'JSONEachRow',
    })
    const [disk] = await response.json<{ free: string }>()
    if (Number(disk?.free) < clickhouseFreeBytes) throw new NotReady('disk_full', "ClickHouse's disk is almost full")
    await migrated()
  }
}

const grpcNotFound = 5

export function checkTemporal(temporal: Connection, namespace: string): () => Promise<void> {
  return async () => {
    try {
      await temporal.withDeadline(Date.now() + 2_000, () => temporal.workflowService.describeNamespace({ namespace }))
    } catch (error) {
      if ((error as { code?: number }).code === grpcNotFound) {
        throw new NotReady('namespace_missing', `Temporal has no namespace ${namespace}: run colophon-server migrate`)
      }
      throw error
    }
  }
}

/** Migrations are never taken back: once nothing is pending, nothing ever is for this version. */
function once(plan: () => Promise<{ pending: readonly unknown[] }>): () => Promise<void> {
  let current = false
  return async () => {
    if (current) return
    const { pending } = await plan()
    if (pending.length > 0) {
      throw new NotReady('migrations_pending', `${pending.length} migrations are pending: run colophon-server migrate`)
    }
    current = true
  }
}
