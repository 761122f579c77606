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
  /** The invitations that have not been accepted yet. */
  list: (projectId: string, options?: CallOptions) =>
    call<ListInvitationsData, ListInvitationsResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/invitations', path: { projectId } },
      options,
    ),

  /** The link is only in this response, and in the email if one was sent. */
  create: (projectId: string, body: CreateInvitationData['body'], options?: CallOptions) =>
    call<CreateInvitationData, CreateInvitationResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/invitations', path: { projectId }, body },
      options,
    ),

  revoke: (projectId: string, invitationId: string, options?: CallOptions) =>
    call<RevokeInvitationData, Invitation>(
      'DELETE',
      { url: '/v2/projects/{projectId}/invitations/{invitationId}', path: { projectId, invitationId } },
      options,
    ),

  /** The project, email address and role of an invitation. */
  lookUp: (body: LookUpInvitationData['body'], options?: CallOptions) =>
    call<LookUpInvitationData, LookUpInvitationResponse>('POST', { url: '/v2/invitations/lookup', body }, options),

  accept: (body: AcceptInvitationData['body'], options?: CallOptions) =>
    call<AcceptInvitationData, Session>('POST', { url: '/v2/invitations/accept', body }, options),
})
