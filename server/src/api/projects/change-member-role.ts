import Type from 'typebox'
import type { MemberStore } from '../../projects/member-store.ts'
import { answer, type Route, route } from '../route.ts'
import { asAnswer, MemberParams, MemberSchema, Role } from './member.ts'

export function changeMemberRoleRoute({ members }: { members: MemberStore }): Route {
  return route({
    method: 'PATCH',
    url: '/v2/projects/:projectId/members/:memberId',
    access: 'project:write',
    name: 'changeMemberRole',
    tag: 'Projects',
    summary: "Change a member's role",
    description: 'The last owner of a project stays one.',
    schemas: {
      params: MemberParams,
      body: Type.Object({ role: Role }, { additionalProperties: false, examples: [{ role: 'viewer' }] }),
      answers: { 200: MemberSchema },
    },
    handle: async ({ key, params, body, actor }) =>
      answer(200, asAnswer(await members.changeRole(key.projectId, params.memberId, body.role, actor))),
  })
}
