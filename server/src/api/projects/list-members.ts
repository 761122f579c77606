import Type from 'typebox'
import type { MemberStore } from '../../people/member-store.ts'
import { cursorQuery, NextCursor, readPage } from '../cursor-page.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { MemberSchema, toMemberResponse } from './member.ts'

export function listMembersRoute({ members }: { members: MemberStore }): Route {
  return route({
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
      query: cursorQuery('mbr'),
      responses: {
        200: Type.Object({
          members: Type.Array(MemberSchema, { description: 'Members of the project, newest first.' }),
          nextCursor: NextCursor,
        }),
      },
    },
    async handle({ projectId, query }) {
      const page = await readPage(query, (page) => members.list(projectId, page))
      return respond(200, { members: page.items.map(toMemberResponse), nextCursor: page.nextCursor })
    },
  })
}
