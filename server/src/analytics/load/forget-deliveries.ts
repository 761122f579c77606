/** A sender that tries again after a week is not known any more. */
import { type Kysely, sql } from 'kysely'
import type { AnalyticsTables } from '../tables.ts'

const atOnce = 10_000

export async function forgetDeliveries(db: Kysely<AnalyticsTables>): Promise<number> {
  for (let forgotten = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM view_delivery WHERE delivery IN (
        SELECT delivery FROM view_delivery WHERE expires_on < (now() AT TIME ZONE 'UTC')::date LIMIT ${atOnce})`.execute(
      db,
    )
    forgotten += Number(numAffectedRows)
    if (numAffectedRows < atOnce) return forgotten
  }
}
