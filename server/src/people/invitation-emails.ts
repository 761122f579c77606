import { sql } from 'kysely'
import type { DatabaseTransaction } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'

const maxPerHour = 50

/**
 * Returns whether another email may be sent, and if so, counts it as sent. Without a limit, anyone who may invite could send
 * unlimited email to strangers in the name of this instance. The transaction must hold the lock on the project's row.
 */
export async function consumeInvitationEmailLimit(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  email: string,
): Promise<boolean> {
  const { lastHour, recentToSameAddress } = await tx
    .selectFrom('invitation_email')
    .select([
      sql<string>`count(*)`.as('lastHour'),
      sql<string>`count(*) FILTER (WHERE email = ${email} AND at > now() - interval '10 minutes')`.as(
        'recentToSameAddress',
      ),
    ])
    .where('project_id', '=', projectId)
    .where('at', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow()
  if (Number(lastHour) >= maxPerHour || Number(recentToSameAddress) > 0) return false
  await tx.insertInto('invitation_email').values({ project_id: projectId, email }).execute()
  return true
}
