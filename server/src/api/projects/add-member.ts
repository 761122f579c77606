import Type from 'typebox'
import { emailPattern } from '../../projects/email.ts'
import type { MemberStore } from '../../projects/member-store.ts'
import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { asAnswer, MemberSchema, Role } from './member.ts'

const Email = Type.String({ pattern: emailPattern, description: "The person's email address." })

export function addMemberRoute({ members }: { members: MemberStore }): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/members',
    access: 'project:write',
    name: 'addMember',
    tag: 'Projects',
    summary: 'Add somebody to a project',
    description: 'Adding somebody who is there already changes nothing and answers with them as they are.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { email: Email, role: Role },
        { additionalProperties: false, examples: [{ email: 'writer@example.com', role: 'editor' }] },
      ),
      answers: { 200: MemberSchema },
    },
    handle: async ({ key, body, actor }) => answer(200, asAnswer(await members.add(key.projectId, body, actor))),
  })
}
