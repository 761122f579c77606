import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { DatabaseTransaction } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'

/** Revokes the open invitations for an email address, in the transaction that takes away the person's access. */
export async function revokeInvitationsFor(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  email: string,
  { because, actor }: { because: string; actor: Actor },
): Promise<void> {
  const revoked = await tx
    .deleteFrom('invitation')
    .where('project_id', '=', projectId)
    .where('email', '=', email)
    .returning('id')
    .execute()
  for (const { id } of revoked) {
    const detail = { email, because }
    await recordAudit(tx, projectId, actor, { action: 'invitation.revoked', subject: id, detail })
  }
}
