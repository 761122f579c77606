import type { MemberStore } from '../../projects/member-store.ts'
import { answer, type Route, route } from '../route.ts'
import { asAnswer, MemberParams, MemberSchema } from './member.ts'

export function removeMemberRoute({ members }: { members: MemberStore }): Route {
  return route({
    method: 'DELETE',
    url: '/v2/projects/:projectId/members/:memberId',
    access: 'project:write',
    name: 'removeMember',
    tag: 'Projects',
    summary: 'Remove somebody from a project',
    description: 'The last owner of a project stays. Answers with the member as they were.',
    schemas: { params: MemberParams, answers: { 200: MemberSchema } },
    handle: async ({ key, params, actor }) =>
      answer(200, asAnswer(await members.remove(key.projectId, params.memberId, actor))),
  })
}
