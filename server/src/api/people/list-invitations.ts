import Type from 'typebox'
import type { InvitationStore } from '../../people/invitation-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { InvitationSchema, toInvitationResponse } from './invitation.ts'

export function listInvitationsRoute({ invitations }: { invitations: InvitationStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/invitations',
    access: 'project:read',
    name: 'listInvitations',
    tag: 'People',
    summary: 'List invitations',
    description: 'Returns the open invitations of a project, newest first. Expired invitations are left out.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object({
          invitations: Type.Array(InvitationSchema, { description: 'Open invitations of the project, newest first.' }),
        }),
      },
    },
    handle: async ({ projectId }) =>
      createResponse(200, { invitations: (await invitations.list(projectId)).map(toInvitationResponse) }),
  })
}
