import Type from 'typebox'
import type { AuditStore } from '../../audit/audit-store.ts'
import { nextCursor, pageQuery, readPage } from '../page.ts'
import { type Route, respond, route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: DateTime('When it was done.'),
    actor: Type.String({ description: "`operator`, the acting key's id, or a person's email address." }),
    action: Type.String({ description: 'Like `key.created`.' }),
    subject: Type.String({ description: 'The id of what was acted upon.' }),
    detail: Type.Record(Type.String(), Type.Unknown()),
    requestId: nullable(Type.String(), { description: 'The request by which it was done.' }),
  },
  { $id: 'AuditEntry' },
)

export function listAuditEntriesRoute({ audit }: { audit: AuditStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/audit',
    access: 'project:read',
    name: 'listAuditEntries',
    tag: 'Projects',
    summary: 'Who did what in a project',
    description: 'Newest first. While `nextCursor` is not null, ask again with it as `cursor`.',
    schemas: {
      params: ProjectParams,
      query: pageQuery('aud'),
      responses: {
        200: Type.Object({ entries: Type.Array(AuditEntry), nextCursor }),
      },
    },
    async handle({ projectId, query }) {
      const page = await readPage(query, (which) => audit.list(projectId, which))
      return respond(200, {
        entries: page.items.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
        nextCursor: page.nextCursor,
      })
    },
  })
}
