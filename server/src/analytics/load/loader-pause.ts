/**
 * While this lock is held, no block is on its way to ClickHouse: what PostgreSQL does not list as waiting or unfinished is there. A backup
 * holds it for the moment in which it notes what ClickHouse has.
 */
import type { ClientBase } from 'pg'
import { onlyShard } from '../tables.ts'

const lockNamespace = 0x76736e70 // "vsnp", for "view snapshot"
const lockId = [lockNamespace, onlyShard]

/**
 * Other loads are not excluded: only one loader works at a time. If this rejects, the caller must close the connection, which releases the
 * lock. In a transaction that has failed, releasing it here would fail as well, and hide the reason.
 */
export async function whileNotPaused<Result>(client: ClientBase, load: () => Promise<Result>): Promise<Result> {
  await client.query('SELECT pg_advisory_lock_shared($1, $2)', lockId)
  const result = await load()
  await client.query('SELECT pg_advisory_unlock_shared($1, $2)', lockId)
  return result
}

/** Waits for the block that is being loaded. */
export async function pauseLoader(client: ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1, $2)', lockId)
}

export async function resumeLoader(client: ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1, $2)', lockId)
}
