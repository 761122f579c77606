import Type from 'typebox'
import type { MemberStore } from '../../projects/member-store.ts'
import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { asAnswer, MemberSchema } from './member.ts'

export function listMembersRoute({ members }: { members: MemberStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/members',
    access: 'project:read',
    name: 'listMembers',
    tag: 'Projects',
    summary: 'The people of a project',
    schemas: {
      params: ProjectParams,
      answers: { 200: Type.Object({ members: Type.Array(MemberSchema) }) },
    },
    handle: async ({ key }) => answer(200, { members: (await members.list(key.projectId)).map(asAnswer) }),
  })
}
