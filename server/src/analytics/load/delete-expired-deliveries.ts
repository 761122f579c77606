/** Deletes the IDs that the previous version stored, after a week. Newer ones are in partitions, which are dropped (delivery-ids.ts). */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'

const maxRowsPerDelete = 10_000

export async function deleteExpiredDeliveries(db: Database): Promise<number> {
  for (let deleted = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM view_delivery WHERE delivery IN (
        SELECT delivery FROM view_delivery WHERE expires_on < (now() AT TIME ZONE 'UTC')::date LIMIT ${maxRowsPerDelete})`.execute(
      db,
    )
    deleted += Number(numAffectedRows)
    if (numAffectedRows < maxRowsPerDelete) return deleted
  }
}
