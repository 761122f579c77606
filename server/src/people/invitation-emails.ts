import { sql } from 'kysely'
import type { DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'

const maxPerHour = 50

/**
 * Counts an email as sent, or throws if there were too many. Without a limit, anyone who may invite could send
 * unlimited email to strangers in the name of this instance. The transaction must hold the lock on the project's row.
 */
export async function consumeInvitationEmailLimit(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  email: string,
): Promise<void> {
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
  if (Number(recentToSameAddress) > 0)
    throw new Problem(
      'rate_limited',
      `An invitation was emailed to ${email} within the last 10 minutes, and is still valid. Wait before you send another.`,
      { headers: { 'retry-after': '600' } },
    )
  if (Number(lastHour) >= maxPerHour)
    throw new Problem(
      'rate_limited',
      `The project sent ${maxPerHour} invitations within the last hour. Try again later.`,
      {
        headers: { 'retry-after': '3600' },
      },
    )
  await tx.insertInto('invitation_email').values({ project_id: projectId, email }).execute()
}
