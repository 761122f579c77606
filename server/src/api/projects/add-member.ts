import Type from 'typebox'
import type { MemberStore } from '../../projects/member-store.ts'
import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { asAnswer, MemberSchema, Role } from './member.ts'

// Not the whole grammar of addresses, which nobody uses: something, an @, something, and nothing that breaks a line.
const Email = Type.String({
  pattern: '^[^\\s\\u0000-\\u001f\\u007f-\\u009f@<>",;]{1,64}@[^\\s\\u0000-\\u001f\\u007f-\\u009f@<>",;]{1,189}$',
  description: "The person's email address.",
})

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
