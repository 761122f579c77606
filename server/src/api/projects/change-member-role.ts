import Type from 'typebox'
import type { MemberStore } from '../../people/member-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { assertCanGrantRole, MemberParams, MemberSchema, Role, toMemberResponse } from './member.ts'

export function changeMemberRoleRoute({ members }: { members: MemberStore }): Route {
  return defineRoute({
    method: 'PATCH',
    url: '/v2/projects/:projectId/members/:memberId',
    access: 'project:write',
    name: 'changeMemberRole',
    tag: 'Projects',
    summary: "Change a member's role",
    description:
      'Changes the role of a member, immediately. The role of the last owner cannot be changed. A lower role also revokes ' +
      'the open invitations that the member created, and those for their email address.',
    schemas: {
      params: MemberParams,
      body: Type.Object({ role: Role }, { additionalProperties: false, examples: [{ role: 'viewer' }] }),
      responses: { 200: MemberSchema },
    },
    requiresRecentSignIn: true,
    async handle({ projectId, params, caller, body, actor }) {
      assertCanGrantRole(caller, body.role)
      return createResponse(
        200,
        toMemberResponse(await members.changeRole(projectId, params.memberId, body.role, actor)),
      )
    },
  })
}
