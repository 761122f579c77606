import type { MemberStore } from '../../people/member-store.ts'
import { type Route, respond, route } from '../route.ts'
import { MemberParams, MemberSchema, toResponse } from './member.ts'

export function removeMemberRoute({ members }: { members: MemberStore }): Route {
  return route({
    method: 'DELETE',
    url: '/v2/projects/:projectId/members/:memberId',
    access: 'project:write',
    name: 'removeMember',
    tag: 'Projects',
    summary: 'Remove somebody from a project',
    description:
      'The last owner of a project stays. Ends the open invitations for this member and by them; API keys and runners that ' +
      'they made go on until they are revoked. Answers with the member as they were.',
    schemas: { params: MemberParams, responses: { 200: MemberSchema } },
    handle: async ({ projectId, params, actor }) =>
      respond(200, toResponse(await members.remove(projectId, params.memberId, actor))),
  })
}
