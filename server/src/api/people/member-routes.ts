import Type from 'typebox'
import { emailPattern } from '../../people/email.ts'
import type { MemberStore } from '../../people/member-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { CreatedAccessSchema, Keep, toCreatedAccessResponse } from './created-access.ts'
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
    method: 'GET',
    url: '/v2/projects/:projectId/members/:memberId/created',
    access: 'project:read',
    name: 'listCreatedAccess',
    tag: 'Projects',
    summary: 'List what a member created',
    description:
      'Returns the API keys, runners and open invitations that are revoked by default when the member is removed: those that ' +
      'they created or have taken over, and those created with their keys. With `role`, returns only what is revoked when ' +
      'the member gets that lower role.',
    schemas: {
      params: MemberParams,
      query: Type.Object({ role: Type.Optional(Role) }, { additionalProperties: false }),
      responses: {
        200: Type.Object({
          created: Type.Array(CreatedAccessSchema, { description: 'What is revoked, oldest first.' }),
        }),
      },
    },
    async handle({ projectId, params, query }) {
      const created = await members.listCreatedAccess(projectId, params.memberId, query.role)
      return createResponse(200, { created: created.map(toCreatedAccessResponse) })
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
      'what the member created that exceeds it, except what you `keep`: API keys with scopes that the role does not have, ' +
      'runners and open invitations, and everything that was created with a key that is revoked. Open invitations for ' +
      'their email address are revoked as well.',
    schemas: {
      params: MemberParams,
      body: Type.Object(
        { role: Role, keep: Type.Optional(Keep) },
        { additionalProperties: false, examples: [{ role: 'viewer' }] },
      ),
      responses: { 200: MemberSchema },
    },
    requiresRecentSignIn: true,
    async handle({ projectId, params, caller, body, actor }) {
      assertCanGrantRole(caller, body.role)
      return createResponse(
        200,
        toMemberResponse(await members.changeRole(projectId, params.memberId, body.role, actor, body.keep)),
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
      'The person loses access immediately. API keys, runners and open invitations that they created, also with API keys, ' +
      'are revoked, except what you `keep`, and so are open invitations for their email address. The last owner of a ' +
      'project cannot be removed. Returns the member that was removed.',
    requiresRecentSignIn: true,
    schemas: {
      params: MemberParams,
      query: Type.Object(
        {
          keep: Type.Optional(
            Type.String({
              maxLength: 3_100, // of 100 IDs
              pattern: '^[a-z0-9_]+(,[a-z0-9_]+)*$',
              description:
                'IDs, separated by commas, of keys, runners and invitations that are not revoked. You take them over: they ' +
                'are revoked when you lose access. An API key cannot take anything over.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      responses: { 200: MemberSchema },
    },
    handle: async ({ projectId, params, query, actor }) =>
      createResponse(
        200,
        toMemberResponse(await members.remove(projectId, params.memberId, actor, query.keep?.split(','))),
      ),
  }),
]
