import Type from 'typebox'
import type { MemberStore } from '../../people/member-store.ts'
import { answer, type Route, route } from '../route.ts'
import { asAnswer, MemberParams, MemberSchema, Role, refuseRoleBeyond } from './member.ts'

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
      answers: { 200: MemberSchema },
    },
    wantsFreshSession: true,
    async handle({ projectId, params, caller, body, actor }) {
      refuseRoleBeyond(caller, body.role)
      return answer(200, asAnswer(await members.changeRole(projectId, params.memberId, body.role, actor)))
    },
  })
}
