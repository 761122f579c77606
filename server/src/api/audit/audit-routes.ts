import { Readable } from 'node:stream'
import Type from 'typebox'
import type { AuditEntry, AuditStore } from '../../audit/audit-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, nullable, ProjectParams } from '../schemas.ts'

const AuditEntrySchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the audit entry.' }),
    at: DateTime('Time at which the action was performed.'),
    actor: Type.String({
      description:
        'Who performed the action: the ID of an API key, the email address of a person, `operator` for ' +
        '`colophon-server admin`, `code-host`, or `anonymous` for someone who failed to sign in. If the person was deleted, their ID.',
    }),
    action: Type.String({ description: 'The action, for example `key.created`.' }),
    subject: Type.String({ description: 'ID of the object that the action was performed on.' }),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Further details. The fields depend on the action.',
    }),
    requestId: nullable(Type.String(), {
      description: 'ID of the API request that performed the action. Null if it was not performed by an API request.',
    }),
    ipAddress: nullable(Type.String(), {
      description:
        'IP address of the client that sent the request. Null if it is not known, or if the person was deleted.',
    }),
  },
  {
    $id: 'AuditEntry',
    description:
      'An entry of the audit log: who did what. Entries are not changed, except that the email address of a person who is deleted is replaced by their ID, and are deleted when they are older than the instance keeps them.',
    examples: [
      {
        id: 'aud_01m7ej1b6sf0a9h8r2c4n5t3vz',
        at: '2026-01-31T12:00:00.000Z',
        actor: 'owner@example.com',
        action: 'key.created',
        subject: 'key_01m7ej1b5qe6ktv3m8w7x0d2ya',
        detail: { name: 'Handbook CI', scopes: ['agent:read', 'agent:write'] },
        requestId: 'req_01m7hvgt44f20ss3rjjczm5hry',
        ipAddress: '192.0.2.7',
      },
    ],
  },
)

export interface AuditRouteDeps {
  audit: AuditStore
}

const AuditPage = Type.Object({
  entries: Type.Array(AuditEntrySchema, { description: 'Entries of the audit log, newest first.' }),
  nextCursor: NextCursor,
})

const pagesDescription =
  'To get the next page, repeat the request with `nextCursor` as `cursor`. With `Accept: application/x-ndjson`, all entries are ' +
  'returned, as one JSON object per line.'

const linesContentType = 'application/x-ndjson'
const linesDescription = 'All entries of the audit log, newest first, each as one line of JSON.'

export const auditRoutes = ({ audit }: AuditRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/audit',
    access: 'project:read',
    name: 'listAuditEntries',
    tag: 'Projects',
    summary: 'List audit entries',
    description: `Returns who did what in a project, newest first. ${pagesDescription}`,
    schemas: { params: ProjectParams, query: CursorQuery('aud'), responses: { 200: AuditPage } },
    stream: {
      contentType: linesContentType,
      description: linesDescription,
      open: async ({ projectId, recheckAccess }) => streamLines(audit.readAll(projectId), recheckAccess),
    },
    handle: async ({ projectId, query }) => readPage(query, (page) => audit.list(projectId, page)),
  }),
  defineRoute({
    method: 'GET',
    url: '/v2/audit',
    access: 'operator',
    name: 'listInstanceAuditEntries',
    tag: 'Service',
    summary: 'List audit entries of the instance',
    description:
      'Returns who signed in or failed to, and what operators and administrators did to the people, models and GitHub Apps of the ' +
      `instance, newest first. What happens in a project is in the audit log of the project. ${pagesDescription}`,
    schemas: { query: CursorQuery('aud'), responses: { 200: AuditPage } },
    stream: {
      contentType: linesContentType,
      description: linesDescription,
      open: async ({ recheckAccess }) => streamLines(audit.readAll('instance'), recheckAccess),
    },
    handle: async ({ query }) => readPage(query, (page) => audit.list('instance', page)),
  }),
]

async function readPage(
  query: { limit?: number; cursor?: string },
  list: Parameters<typeof readCursorPage<AuditEntry>>[1],
) {
  const page = await readCursorPage(query, list)
  return createResponse(200, { entries: page.items.map(toResponse), nextCursor: page.nextCursor })
}

const toResponse = (entry: AuditEntry) => ({ ...entry, at: entry.at.toISOString() })

const recheckEveryEntries = 1_000

/** A long log takes a while: a caller who loses access in the meantime does not get the rest. */
function streamLines(entries: AsyncIterable<AuditEntry>, recheckAccess: () => Promise<void>): Readable {
  async function* lines() {
    let count = 0
    for await (const entry of entries) {
      if (++count % recheckEveryEntries === 0) await recheckAccess()
      yield `${JSON.stringify(toResponse(entry))}\n`
    }
  }
  return Readable.from(lines(), { objectMode: false })
}
