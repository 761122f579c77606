/** What PostgreSQL has at an earlier moment must not happen again: everything that may have been continued since. */
import type { ClientBase } from 'pg'
import { resetJobsAfterRestore } from '../jobs/reset-after-restore.ts'
import { deleteBudgetEmailsAfterRestore } from '../models/reset-after-restore.ts'
import { endSessionsAfterRestore } from '../people/reset-after-restore.ts'
import { resetDeliveriesAfterRestore } from '../webhooks/reset-after-restore.ts'

/** In a transaction of the caller, which has the rights of the owner of the tables. */
export async function resetAfterRestore(
  client: ClientBase,
  { keepSessions }: { keepSessions: boolean },
): Promise<void> {
  await resetJobsAfterRestore(client)
  await resetDeliveriesAfterRestore(client)
  await deleteBudgetEmailsAfterRestore(client)
  if (!keepSessions) await endSessionsAfterRestore(client)
}
