import type { InvitationStore } from '../../people/invitation-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { InvitationParams, InvitationSchema, toInvitationResponse } from './invitation.ts'

export function revokeInvitationRoute({ invitations }: { invitations: InvitationStore }): Route {
  return defineRoute({
    method: 'DELETE',
    url: '/v2/projects/:projectId/invitations/:invitationId',
    access: 'project:write',
    name: 'revokeInvitation',
    tag: 'People',
    summary: 'Revoke an invitation',
    description: 'The invitation link stops working immediately. Returns the invitation that was revoked.',
    schemas: { params: InvitationParams, responses: { 200: InvitationSchema } },
    handle: async ({ projectId, params, actor }) =>
      createResponse(200, toInvitationResponse(await invitations.revoke(projectId, params.invitationId, actor))),
  })
}
