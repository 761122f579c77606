/** How much work is waiting, and for how long: counts and ages only. */
import type { Pool } from 'pg'
import { type Report, readOrExplain } from './report.ts'

const age = (column: string) => `round(extract(epoch FROM now() - min(${column})))::int AS oldest_seconds`

const queries = {
  jobs: `SELECT status, outcome, count(*)::int AS jobs, ${age('progressed_at')} FROM job
    WHERE status = 'active' OR updated_at > now() - interval '7 days' GROUP BY status, outcome ORDER BY jobs DESC`,
  stalledJobs: `SELECT count(*)::int AS jobs, max(stalled_wakes) AS most_wakes FROM job WHERE status = 'active' AND stalled_wakes > 0`,
  turns: `SELECT status, count(*)::int AS turns, ${age('created_at')} FROM turn WHERE ended_at IS NULL GROUP BY status`,
  turnErrors: `SELECT error_code, count(*)::int AS turns FROM turn
    WHERE error_code IS NOT NULL AND ended_at > now() - interval '7 days' GROUP BY error_code ORDER BY turns DESC`,
  attempts: `SELECT claimed_at IS NOT NULL AS is_claimed, count(*)::int AS attempts, ${age('queued_at')}
    FROM turn_attempt WHERE ended_at IS NULL GROUP BY is_claimed`,
  lostAttempts: `SELECT count(*)::int AS attempts FROM turn_attempt WHERE lost_at > now() - interval '7 days'`,
  runners: `SELECT CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at < now() THEN 'expired'
      WHEN last_seen_at IS NULL THEN 'never connected' WHEN last_seen_at < now() - interval '2 minutes' THEN 'offline'
      ELSE 'online' END AS state, count(*)::int AS runners FROM runner GROUP BY state`,
  viewBuffer: `SELECT count(*)::int AS batches, coalesce(sum(rows), 0)::bigint AS views,
      coalesce(sum(size_bytes), 0)::bigint AS bytes, ${age('created_at')} FROM view_batch`,
  viewBlocks: `SELECT quarantined_at IS NOT NULL AS is_quarantined, count(*)::int AS blocks, max(rejections) AS most_rejections
    FROM view_block GROUP BY is_quarantined`,
  webhookDeliveries: `SELECT status, count(*)::int AS deliveries, ${age('due_at')} FROM endpoint_delivery
    WHERE ended_at IS NULL GROUP BY status`,
  projects: 'SELECT count(*)::int AS projects FROM project',
}

export async function reportQueues(pool: Pool): Promise<Report> {
  const report: Report = {}
  for (const [name, query] of Object.entries(queries))
    report[name] = await readOrExplain(async () => (await pool.query<Report>(query)).rows)
  return report
}
