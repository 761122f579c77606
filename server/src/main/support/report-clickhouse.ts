/** What ClickHouse says about itself: sizes, merges, errors and slow queries, without the contents of any table. */
import type { ClickHouseClient } from '@clickhouse/client'
import { planClickhouseMigrations } from '../../platform/migrations/clickhouse-migrations.ts'
import { type Report, readOrExplain } from './report.ts'

const queries = {
  server: 'SELECT version() AS version, uptime() AS uptime_seconds, timezone() AS time_zone',
  disks: 'SELECT free_space, total_space, unreserved_space FROM system.disks',
  tables: `SELECT table, countIf(active) AS active_parts, sumIf(rows, active) AS rows, sumIf(bytes_on_disk, active) AS bytes,
      max(modification_time) AS last_change, countIf(NOT active) AS old_parts
    FROM system.parts WHERE database = currentDatabase() GROUP BY table ORDER BY bytes DESC`,
  detached: `SELECT table, reason, count() AS parts FROM system.detached_parts WHERE database = currentDatabase() GROUP BY table, reason`,
  merges: `SELECT table, count() AS merges, max(elapsed) AS longest_seconds FROM system.merges WHERE database = currentDatabase() GROUP BY table`,
  mutations: `SELECT table, count() AS mutations, countIf(latest_fail_time > 0) AS failed, min(create_time) AS oldest
    FROM system.mutations WHERE database = currentDatabase() AND NOT is_done GROUP BY table`,
  errors: 'SELECT name, value AS count, last_error_time FROM system.errors ORDER BY last_error_time DESC LIMIT 30',
  slowQueries: `SELECT normalizeQuery(any(query)) AS query, count() AS calls, round(avg(query_duration_ms)) AS mean_ms,
      max(query_duration_ms) AS max_ms, max(memory_usage) AS max_memory_bytes, max(read_rows) AS max_read_rows,
      countIf(exception_code != 0) AS failed, groupUniqArrayIf(exception_code, exception_code != 0) AS error_codes
    FROM system.query_log WHERE type != 'QueryStart' AND event_time > now() - INTERVAL 1 DAY AND current_database = currentDatabase()
    GROUP BY normalized_query_hash ORDER BY sum(query_duration_ms) DESC LIMIT 30`,
}

export async function reportClickhouse(clickhouse: ClickHouseClient): Promise<Report> {
  const report: Report = {}
  for (const [name, query] of Object.entries(queries))
    report[name] = await readOrExplain(async () => (await clickhouse.query({ query, format: 'JSONEachRow' })).json())
  report.pendingMigrations = await readOrExplain(async () =>
    (await planClickhouseMigrations(clickhouse)).pending.map(({ name }) => name),
  )
  return report
}
