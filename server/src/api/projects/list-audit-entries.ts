import Type from 'typebox'
import type { AuditStore } from '../../audit/audit-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

export const AuditEntrySchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the audit entry.' }),
    at: DateTime('Time at which the action was performed.'),
    actor: Type.String({
      description:
        'Who performed the action: the ID of an API key, the email address of a person, `operator` for ' +
        '`colophon-server admin`, or `code-host`. If the person was deleted, their ID.',
    }),
    action: Type.String({ description: 'The action, for example `key.created`.' }),
    subject: Type.String({ description: 'ID of the object that the action was performed on.' }),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Further details. The fields depend on the action.',
    }),
    requestId: nullable(Type.String(), {
      description: 'ID of the API request that performed the action. Null if it was not performed by an API request.',
    }),
  },
  {
    $id: 'AuditEntry',
    description:
      'An entry of the audit log: who did what. Entries are never changed, except that the email address of a person who is deleted is replaced by their ID.',
    examples: [
      {
        id: 'aud_01m7ej1b6sf0a9h8r2c4n5t3vz',
        at: '2026-01-31T12:00:00.000Z',
        actor: 'owner@example.com',
        action: 'key.created',
        subject: 'key_01m7ej1b5qe6ktv3m8w7x0d2ya',
        detail: { name: 'Handbook CI', scopes: ['agent:read', 'agent:write'] },
        requestId: 'req_01m7hvgt44f20ss3rjjczm5hry',
      },
    ],
  },
)

export interface AuditRouteDeps {
  audit: AuditStore
}

export function listAuditEntriesRoute({ audit }: AuditRouteDeps): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/audit',
    access: 'project:read',
    name: 'listAuditEntries',
    tag: 'Projects',
    summary: 'List audit entries',
    description:
      'Returns who did what in a project, newest first. To get the next page, repeat the request with `nextCursor` as ' +
      '`cursor`.',
    schemas: {
      params: ProjectParams,
      query: CursorQuery('aud'),
      responses: {
        200: Type.Object({
          entries: Type.Array(AuditEntrySchema, { description: 'Entries of the audit log, newest first.' }),
          nextCursor: NextCursor,
        }),
      },
    },
    async handle({ projectId, query }) {
      const page = await readCursorPage(query, (page) => audit.list(projectId, page))
      return createResponse(200, {
        entries: page.items.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
        nextCursor: page.nextCursor,
      })
    },
  })
}
