/** Deletes event counts that are more than a week old: no query reads them. */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'

export async function deleteExpiredEventCounts(db: Database): Promise<void> {
  await sql`DELETE FROM source_event_count WHERE hour < now() - interval '8 days'`.execute(db)
}
