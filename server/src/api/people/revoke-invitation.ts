import type { InvitationStore } from '../../people/invitation-store.ts'
import { answer, type Route, route } from '../route.ts'
import { asAnswer, InvitationParams, InvitationSchema } from './invitation.ts'

export function revokeInvitationRoute({ invitations }: { invitations: InvitationStore }): Route {
  return route({
    method: 'DELETE',
    url: '/v2/projects/:projectId/invitations/:invitationId',
    access: 'project:write',
    name: 'revokeInvitation',
    tag: 'People',
    summary: 'Take an invitation back',
    schemas: { params: InvitationParams, answers: { 200: InvitationSchema } },
    handle: async ({ projectId, params, actor }) =>
      answer(200, asAnswer(await invitations.revoke(projectId, params.invitationId, actor))),
  })
}
