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
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type Invitations = ReturnType<typeof invitations>

export const invitations = (call: CallOperation) => ({
  /** Those that nobody has used yet. */
  list: (projectId: string, options?: CallOptions) =>
    call<ListInvitationsData, ListInvitationsResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/invitations', path: { projectId } },
      options,
    ),

  /** The link is in this answer and nowhere else, but in the mail where one went out. */
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

  /** What an invitation is for. */
  look: (body: LookUpInvitationData['body'], options?: CallOptions) =>
    call<LookUpInvitationData, LookUpInvitationResponse>('POST', { url: '/v2/invitations/lookup', body }, options),

  accept: (body: AcceptInvitationData['body'], options?: CallOptions) =>
    call<AcceptInvitationData, Session>('POST', { url: '/v2/invitations/accept', body }, options),
})
