/** Deletes counts of events that no query reads any longer. */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'

export async function deleteExpiredEventCounts(db: Database): Promise<void> {
  await sql`DELETE FROM source_event_count WHERE hour < now() - interval '8 days'`.execute(db)
  await sql`DELETE FROM log_drain_day WHERE day < (now() AT TIME ZONE 'UTC')::date - 40`.execute(db)
}
