import Type from 'typebox'
import { emailPattern } from '../../people/email.ts'
import type { MemberStore } from '../../people/member-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { assertCanGrantRole, MemberParams, MemberSchema, Role, toMemberResponse } from './member.ts'

const Email = Type.String({ pattern: emailPattern, description: 'Email address of the person.' })

export interface MemberRouteDeps {
  members: MemberStore
}

export const memberRoutes = ({ members }: MemberRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/members',
    access: 'project:read',
    name: 'listMembers',
    tag: 'Projects',
    summary: 'List members',
    description:
      'Returns the members of a project, newest first. To get the next page, repeat the request with `nextCursor` as ' +
      '`cursor`.',
    schemas: {
      params: ProjectParams,
      query: CursorQuery('mbr'),
      responses: {
        200: Type.Object({
          members: Type.Array(MemberSchema, { description: 'Members of the project, newest first.' }),
          nextCursor: NextCursor,
        }),
      },
    },
    async handle({ projectId, query }) {
      const page = await readCursorPage(query, (page) => members.list(projectId, page))
      return createResponse(200, { members: page.items.map(toMemberResponse), nextCursor: page.nextCursor })
    },
  }),
  defineRoute({
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
  }),
  defineRoute({
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
  }),
  defineRoute({
    method: 'DELETE',
    url: '/v2/projects/:projectId/members/:memberId',
    access: 'project:write',
    name: 'removeMember',
    tag: 'Projects',
    summary: 'Remove a member',
    description:
      'The person loses access immediately, and the open invitations that they created, and those for their email ' +
      'address, are revoked. API keys and runners that they created keep working: revoke them separately. The last owner ' +
      'of a project cannot be removed. Returns the member that was removed.',
    schemas: { params: MemberParams, responses: { 200: MemberSchema } },
    handle: async ({ projectId, params, actor }) =>
      createResponse(200, toMemberResponse(await members.remove(projectId, params.memberId, actor))),
  }),
]
