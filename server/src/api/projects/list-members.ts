import Type from 'typebox'
import type { MemberStore } from '../../people/member-store.ts'
import { nextCursor, pageQuery, readPage } from '../page.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { MemberSchema, toResponse } from './member.ts'

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
      query: pageQuery('mbr'),
      responses: { 200: Type.Object({ members: Type.Array(MemberSchema), nextCursor }) },
    },
    async handle({ projectId, query }) {
      const page = await readPage(query, (which) => members.list(projectId, which))
      return respond(200, { members: page.items.map(toResponse), nextCursor: page.nextCursor })
    },
  })
}
