/** What PostgreSQL says about itself: sizes, connections and slow statements, without the contents of any table. */
import type { Pool } from 'pg'
import { planPostgresMigrations } from '../../platform/migrations/postgres-migrations.ts'
import { type Report, readOrExplain } from './report.ts'

const queries = {
  server: `SELECT current_setting('server_version') AS version, pg_postmaster_start_time() AS started_at,
      pg_is_in_recovery() AS is_standby, pg_database_size(current_database()) AS database_bytes`,
  settings: `SELECT name, setting, unit FROM pg_settings WHERE name IN ('max_connections', 'shared_buffers', 'work_mem',
      'maintenance_work_mem', 'effective_cache_size', 'max_wal_size', 'wal_level', 'synchronous_commit', 'fsync', 'full_page_writes',
      'autovacuum', 'statement_timeout', 'idle_in_transaction_session_timeout', 'random_page_cost', 'server_encoding', 'TimeZone')
    ORDER BY name`,
  connections: `SELECT state, wait_event_type, count(*)::int AS connections,
      round(extract(epoch FROM max(now() - xact_start)))::int AS longest_transaction_seconds
    FROM pg_stat_activity WHERE datname = current_database() GROUP BY state, wait_event_type ORDER BY connections DESC`,
  waitingLocks: `SELECT locktype, mode, count(*)::int AS waiting FROM pg_locks WHERE NOT granted GROUP BY locktype, mode`,
  tables: `SELECT relname AS table, pg_total_relation_size(relid) AS bytes, pg_indexes_size(relid) AS index_bytes,
      n_live_tup AS rows, n_dead_tup AS dead_rows, seq_scan, idx_scan, last_autovacuum, last_autoanalyze
    FROM pg_stat_user_tables WHERE schemaname = current_schema() ORDER BY bytes DESC`,
  unusedIndexes: `SELECT indexrelname AS index, pg_relation_size(indexrelid) AS bytes FROM pg_stat_user_indexes
    WHERE schemaname = current_schema() AND idx_scan = 0 ORDER BY bytes DESC LIMIT 20`,
  migrations: 'SELECT name, applied_at FROM schema_migration ORDER BY name',
}

/**
 * The extension replaces constants in statements that it can plan. Others, such as SET and CREATE ROLE, keep them, so only the first
 * kind is read. Comments remain in the text, and what is still quoted is removed as well.
 */
const slowStatements = `SELECT regexp_replace(regexp_replace(query, '/\\*.*?\\*/|--[^\\n]*', '', 'g'), '''[^'']*''', '''…''', 'g') AS statement,
    calls, round(total_exec_time) AS total_ms, round(mean_exec_time::numeric, 2) AS mean_ms, round(max_exec_time) AS max_ms, rows
  FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND query ~* '^\\s*(select|insert|update|delete|with|merge)\\M'
  ORDER BY total_exec_time DESC LIMIT 30`

export async function reportPostgres(pool: Pool): Promise<Report> {
  const rows = (query: string) => readOrExplain(async () => (await pool.query<Report>(query)).rows)
  const report: Report = {}
  for (const [name, query] of Object.entries(queries)) report[name] = await rows(query)
  report.pendingMigrations = await readOrExplain(async () =>
    (await planPostgresMigrations(pool)).pending.map(({ name }) => name),
  )
  report.slowStatements = await rows(slowStatements)
  return report
}
