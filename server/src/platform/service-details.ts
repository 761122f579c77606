/** Versions and sizes of the services, for operators. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Connection } from '@temporalio/client'
import type { Pool } from 'pg'

export interface ServiceDetails {
  version: string
  /** Of Colophon's database. Null: the service does not report it. */
  usedBytes: number | null
  /** Of its disk. Null: the service does not report it. */
  freeBytes: number | null
}

export async function readPostgresDetails(pool: Pool): Promise<ServiceDetails> {
  const { rows } = await pool.query<{ version: string; bytes: string }>(
    "SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes",
  )
  return { version: firstWord(rows[0]?.version), usedBytes: Number(rows[0]?.bytes), freeBytes: null }
}

export async function readClickhouseDetails(clickhouse: ClickHouseClient): Promise<ServiceDetails> {
  const response = await clickhouse.query({
    query: `SELECT version() AS version, (SELECT min(unreserved_space) FROM system.disks) AS free,
              (SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()) AS used`,
    format: 'JSONEachRow',
  })
  const [row] = await response.json<{ version: string; free: string; used: string }>()
  return { version: row?.version ?? '', usedBytes: Number(row?.used), freeBytes: Number(row?.free) }
}

const temporalTimeoutMs = 2_000

export async function readTemporalDetails(temporal: Connection): Promise<ServiceDetails> {
  const info = await temporal.withDeadline(Date.now() + temporalTimeoutMs, () =>
    temporal.workflowService.getSystemInfo({}),
  )
  return { version: info.serverVersion ?? '', usedBytes: null, freeBytes: null }
}

/** Without the name of the package, as in "17.6 (Debian 17.6-1)". */
const firstWord = (text = '') => text.split(' ')[0] ?? ''
