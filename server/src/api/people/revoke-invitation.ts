import type { InvitationStore } from '../../people/invitation-store.ts'
import { type Route, respond, route } from '../route.ts'
import { InvitationParams, InvitationSchema, toResponse } from './invitation.ts'

export function revokeInvitationRoute({ invitations }: { invitations: InvitationStore }): Route {
  return route({
    method: 'DELETE',
    url: '/v2/projects/:projectId/invitations/:invitationId',
    access: 'project:write',
    name: 'revokeInvitation',
    tag: 'People',
    summary: 'Take an invitation back',
    schemas: { params: InvitationParams, responses: { 200: InvitationSchema } },
    handle: async ({ projectId, params, actor }) =>
      respond(200, toResponse(await invitations.revoke(projectId, params.invitationId, actor))),
  })
}
