/**
 * Sessions, links and invitations that were ended or used after a backup would be valid again. So everyone signs in again, and people who
 * have not accepted an invitation are invited again.
 */
import type { ClientBase } from 'pg'

const tables = ['person_session', 'person_verification', 'one_time_link', 'passkey_challenge', 'invitation']

export async function endSessionsAfterRestore(client: ClientBase): Promise<void> {
  for (const table of tables) await client.query(`DELETE FROM ${table}`)
}
