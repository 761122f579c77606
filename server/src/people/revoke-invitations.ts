import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { DatabaseTransaction } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'

/**
 * Revokes the open invitations that a person or an API key created, and those for an email address, in the transaction that
 * takes away their permission.
 */
export async function revokeInvitations(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  { invitedBy, forEmail }: { invitedBy: string; forEmail?: string },
  { because, actor }: { because: string; actor: Actor },
): Promise<void> {
  const revoked = await tx
    .deleteFrom('invitation')
    .where('project_id', '=', projectId)
    .where((where) =>
      where.or([
        where('invited_by', '=', invitedBy),
        ...(forEmail === undefined ? [] : [where('email', '=', forEmail)]),
      ]),
    )
    .returning(['id', 'email'])
    .execute()
  for (const { id, email } of revoked) {
    const detail = { email, because }
    await recordAudit(tx, projectId, actor, { action: 'invitation.revoked', subject: id, detail })
  }
}

export type RevokeInvitations = typeof revokeInvitations
