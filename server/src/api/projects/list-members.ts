import Type from 'typebox'
import type { MemberStore } from '../../people/member-store.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { MemberSchema, toMemberResponse } from './member.ts'

export function listMembersRoute({ members }: { members: MemberStore }): Route {
  return defineRoute({
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
  })
}
