import type { MemberStore } from '../../people/member-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { MemberParams, MemberSchema, toMemberResponse } from './member.ts'

export function removeMemberRoute({ members }: { members: MemberStore }): Route {
  return defineRoute({
    method: 'DELETE',
    url: '/v2/projects/:projectId/members/:memberId',
    access: 'project:write',
    name: 'removeMember',
    tag: 'Projects',
    summary: 'Remove a member',
    description:
      'The person loses access immediately, and the open invitations that they created, and those for their email ' +
      'address, are revoked. API keys and runners that they created keep working: revoke them separately. The last owner ' +
      'of a project cannot be removed. Returns the member that was removed.',
    schemas: { params: MemberParams, responses: { 200: MemberSchema } },
    handle: async ({ projectId, params, actor }) =>
      createResponse(200, toMemberResponse(await members.remove(projectId, params.memberId, actor))),
  })
}
