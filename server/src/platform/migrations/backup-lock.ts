/**
 * A backup reads all tables in one transaction, which can take hours. A migration that changes a table would wait for it, and every statement
 * on that table would wait for the migration. So migrations wait for the end of a backup before they lock anything, and no backup begins
 * before they are applied.
 */
import type { ClientBase } from 'pg'

const key = "hashtextextended('backup', 0)"

/** Until the connection ends. False: a backup is being written, or migrations are being applied. */
export async function tryBackupLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ acquired: boolean }>(`SELECT pg_try_advisory_lock(${key}) AS acquired`)
  return rows[0]?.acquired === true
}

/** Until the connection ends. */
export async function waitForBackupLock(client: ClientBase, onWait: () => void): Promise<void> {
  if (await tryBackupLock(client)) return
  onWait()
  await client.query(`SELECT pg_advisory_lock(${key})`)
}
