import type {
  AcceptInvitationData,
  CreateInvitationData,
  CreateInvitationResponse,
  Invitation,
  ListInvitationsData,
  ListInvitationsResponse,
  LookUpInvitationData,
  LookUpInvitationResponse,
  RevokeInvitationData,
  Session,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type InvitationCalls = ReturnType<typeof createInvitationCalls>

export const createInvitationCalls = (call: OperationCaller) => ({
  /**
   * The invitations that have not been accepted yet.
   * @example
   * const { invitations } = await client.invitations.list(projectId)
   */
  list: (projectId: string, options?: CallOptions) =>
    call<ListInvitationsData, ListInvitationsResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/invitations', path: { projectId } },
      options,
    ),

  /**
   * Invites a person to a project. The link is only in this response, and in the email if one was sent.
   * @example
   * const { url } = await client.invitations.create(projectId, { email: 'kim@example.com', role: 'editor' })
   */
  create: (projectId: string, body: CreateInvitationData['body'], options?: CallOptions) =>
    call<CreateInvitationData, CreateInvitationResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/invitations', path: { projectId }, body },
      options,
    ),

  /**
   * Makes the link of an invitation invalid.
   * @example
   * await client.invitations.revoke(projectId, invitationId)
   */
  revoke: (projectId: string, invitationId: string, options?: CallOptions) =>
    call<RevokeInvitationData, Invitation>(
      'DELETE',
      { url: '/v2/projects/{projectId}/invitations/{invitationId}', path: { projectId, invitationId } },
      options,
    ),

  /**
   * The project, email address and role of an invitation.
   * @example
   * const { email, role } = await client.invitations.lookUp({ token })
   */
  lookUp: (body: LookUpInvitationData['body'], options?: CallOptions) =>
    call<LookUpInvitationData, LookUpInvitationResponse>('POST', { url: '/v2/invitations/lookup', body }, options),

  /**
   * Makes the person a member of the project. People without an account send a name and a password; people with one sign in
   * first, and send only the token.
   * @example
   * await client.invitations.accept({ token, name: 'Kim', password })
   */
  accept: (body: AcceptInvitationData['body'], options?: CallOptions) =>
    call<AcceptInvitationData, Session>('POST', { url: '/v2/invitations/accept', body }, options),
})
