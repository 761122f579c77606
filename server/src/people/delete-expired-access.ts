import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** Deletes expired sessions, one-time links, invitations and OpenID sign-ins in progress, and old records of sent invitations. */
export async function deleteExpiredAccess(db: Database): Promise<void> {
  for (const table of ['person_session', 'one_time_link', 'invitation', 'person_verification'] as const)
    await db.deleteFrom(table).where('expires_at', '<', sql<Date>`now()`).execute()
  await db.deleteFrom('invitation_email').where('at', '<', sql<Date>`now() - interval '1 hour'`).execute()
}
