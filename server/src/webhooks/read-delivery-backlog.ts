/** The deliveries of events that have not ended. For metrics. */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

export interface DeliveryBacklog {
  waiting: number
  /** Of endpoints that accept deliveries: those that fail are the matter of their owners, who are told. */
  oldestDueAgeSeconds: number
}

export async function readDeliveryBacklog(db: Database): Promise<DeliveryBacklog> {
  const { rows } = await sql<{ waiting: number; age: number }>`
    SELECT count(*)::int AS waiting,
      coalesce(extract(epoch FROM now() - min(due_at) FILTER (
        WHERE due_at < now() AND endpoint.consecutive_failures = 0)), 0)::float8 AS age
    FROM endpoint_delivery AS delivery
      JOIN webhook_endpoint AS endpoint ON endpoint.id = delivery.endpoint_id AND endpoint.disabled_at IS NULL
    WHERE delivery.status = 'pending'`.execute(db)
  return { waiting: rows[0]?.waiting ?? 0, oldestDueAgeSeconds: rows[0]?.age ?? 0 }
}
