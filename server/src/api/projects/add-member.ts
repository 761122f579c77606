import Type from 'typebox'
import { emailPattern } from '../../people/email.ts'
import type { MemberStore } from '../../people/member-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { assertCanGrantRole, MemberSchema, Role, toMemberResponse } from './member.ts'

const Email = Type.String({ pattern: emailPattern, description: 'Email address of the person.' })

export function addMemberRoute({ members }: { members: MemberStore }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/members',
    access: 'project:write',
    name: 'addMember',
    tag: 'Projects',
    summary: 'Add a member',
    description:
      'Reserves a role for a person. They get access once they accept an invitation to this project. Adding an existing ' +
      'member changes nothing and returns that member, with the role they have.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { email: Email, role: Role },
        { additionalProperties: false, examples: [{ email: 'writer@example.com', role: 'editor' }] },
      ),
      responses: { 200: MemberSchema },
    },
    requiresRecentSignIn: true,
    async handle({ projectId, caller, body, actor }) {
      assertCanGrantRole(caller, body.role)
      return createResponse(200, toMemberResponse(await members.add(projectId, body, actor)))
    },
  })
}
