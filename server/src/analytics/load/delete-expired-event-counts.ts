/** Deletes event counts that are more than a week old: no query reads them. */
import { type Kysely, sql } from 'kysely'
import type { AnalyticsTables } from '../tables.ts'

export async function deleteExpiredEventCounts(db: Kysely<AnalyticsTables>): Promise<void> {
  await sql`DELETE FROM source_event_count WHERE hour < now() - interval '8 days'`.execute(db)
}
