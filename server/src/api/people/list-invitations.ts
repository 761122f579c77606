import Type from 'typebox'
import type { InvitationStore } from '../../people/invitation-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { InvitationSchema, toResponse } from './invitation.ts'

export function listInvitationsRoute({ invitations }: { invitations: InvitationStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/invitations',
    access: 'project:read',
    name: 'listInvitations',
    tag: 'People',
    summary: 'Invitations that nobody has used yet',
    schemas: {
      params: ProjectParams,
      responses: { 200: Type.Object({ invitations: Type.Array(InvitationSchema) }) },
    },
    handle: async ({ projectId }) => respond(200, { invitations: (await invitations.list(projectId)).map(toResponse) }),
  })
}
