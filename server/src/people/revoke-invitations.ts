import type { Transaction } from 'kysely'
import type { Actor, RecordAudit } from '../audit/audit-store.ts'
import type { AuditTables } from '../audit/tables.ts'
import type { Id } from '../platform/ids.ts'
import type { PeopleTables } from './tables.ts'

/**
 * Revokes the open invitations that a person or an API key created, and those for an email address, in the transaction that
 * takes away their permission.
 */
export type RevokeInvitations = <Tables extends AuditTables>(
  tx: Transaction<Tables>,
  projectId: Id<'prj'>,
  filter: { invitedBy: string; forEmail?: string },
  cause: { because: string; actor: Actor },
) => Promise<void>

export const createInvitationRevoker =
  (recordAudit: RecordAudit): RevokeInvitations =>
  async (tx, projectId, { invitedBy, forEmail }, { because, actor }) => {
    const revoked = await (tx as unknown as Transaction<PeopleTables>)
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
