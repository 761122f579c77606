/** What sources sent more than a week ago nobody asks for. */
import { type Kysely, sql } from 'kysely'
import type { AnalyticsTables } from '../tables.ts'

export async function forgetTallies(db: Kysely<AnalyticsTables>): Promise<void> {
  await sql`DELETE FROM source_event_count WHERE hour < now() - interval '8 days'`.execute(db)
}
