import { sql, type Transaction } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { PeopleTables } from './tables.ts'

const maxInHour = 50

/**
 * Whether one more mail may go out; if so it counts as sent. Whoever may invite could otherwise write to strangers in our
 * name without end. In a transaction that holds the project's row.
 */
export async function takeMail(tx: Transaction<PeopleTables>, projectId: Id<'prj'>, email: string): Promise<boolean> {
  const { inHour, justNow } = await tx
    .selectFrom('invitation_email')
    .select([
      sql<string>`count(*)`.as('inHour'),
      sql<string>`count(*) FILTER (WHERE email = ${email} AND at > now() - interval '10 minutes')`.as('justNow'),
    ])
    .where('project_id', '=', projectId)
    .where('at', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow()
  if (Number(inHour) >= maxInHour || Number(justNow) > 0) return false
  await tx.insertInto('invitation_email').values({ project_id: projectId, email }).execute()
  return true
}
