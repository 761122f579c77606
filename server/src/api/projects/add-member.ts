import Type from 'typebox'
import { emailPattern } from '../../people/email.ts'
import type { MemberStore } from '../../people/member-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { MemberSchema, Role, refuseRoleBeyond, toResponse } from './member.ts'

const Email = Type.String({ pattern: emailPattern, description: "The person's email address." })

export function addMemberRoute({ members }: { members: MemberStore }): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/members',
    access: 'project:write',
    name: 'addMember',
    tag: 'Projects',
    summary: 'Add somebody to a project',
    description:
      'They come in with an invitation of this project, and not before. Adding somebody who is there already changes ' +
      'nothing and answers with them as they are.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { email: Email, role: Role },
        { additionalProperties: false, examples: [{ email: 'writer@example.com', role: 'editor' }] },
      ),
      responses: { 200: MemberSchema },
    },
    wantsFreshSession: true,
    async handle({ projectId, caller, body, actor }) {
      refuseRoleBeyond(caller, body.role)
      return respond(200, toResponse(await members.add(projectId, body, actor)))
    },
  })
}
