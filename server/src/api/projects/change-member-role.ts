import Type from 'typebox'
import type { MemberStore } from '../../people/member-store.ts'
import { type Route, respond, route } from '../route.ts'
import { MemberParams, MemberSchema, Role, refuseRoleBeyond, toResponse } from './member.ts'

export function changeMemberRoleRoute({ members }: { members: MemberStore }): Route {
  return route({
    method: 'PATCH',
    url: '/v2/projects/:projectId/members/:memberId',
    access: 'project:write',
    name: 'changeMemberRole',
    tag: 'Projects',
    summary: "Change a member's role",
    description:
      'The last owner of a project stays one. A lower role ends the open invitations for this member and by them.',
    schemas: {
      params: MemberParams,
      body: Type.Object({ role: Role }, { additionalProperties: false, examples: [{ role: 'viewer' }] }),
      responses: { 200: MemberSchema },
    },
    wantsFreshSession: true,
    async handle({ projectId, params, caller, body, actor }) {
      refuseRoleBeyond(caller, body.role)
      return respond(200, toResponse(await members.changeRole(projectId, params.memberId, body.role, actor)))
    },
  })
}
