import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/**
 * Deletes expired sessions, one-time links, invitations and sign-ins in progress, and old records of sent invitations, of used codes,
 * failed sign-ins and the networks that people signed in from.
 */
export async function deleteExpiredAccess(db: Database): Promise<void> {
  for (const table of [
    'person_session',
    'one_time_link',
    'invitation',
    'person_verification',
    'passkey_challenge',
  ] as const)
    await db.deleteFrom(table).where('expires_at', '<', sql<Date>`now()`).execute()
  await db.deleteFrom('invitation_email').where('at', '<', sql<Date>`now() - interval '1 hour'`).execute()
  await db.deleteFrom('used_totp_code').where('used_at', '<', sql<Date>`now() - interval '5 minutes'`).execute()
  await db.deleteFrom('sign_in_counter').where('last_failed_at', '<', sql<Date>`now() - interval '1 day'`).execute()
  await db.deleteFrom('person_network').where('last_signed_in_at', '<', sql<Date>`now() - interval '90 days'`).execute()
}
