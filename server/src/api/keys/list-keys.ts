import Type from 'typebox'
import type { KeyStore } from '../../keys/key-store.ts'
import { nextCursor, pageQuery, readPage } from '../page.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { KeySchema, toResponse } from './key.ts'

export function listKeysRoute({ keys }: { keys: KeyStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/keys',
    access: 'project:read',
    name: 'listKeys',
    tag: 'API keys',
    summary: 'The API keys of a project',
    description: 'Newest first, revoked ones too. Secrets are not among it: they are shown once, when a key is made.',
    schemas: {
      params: ProjectParams,
      query: pageQuery('key'),
      responses: { 200: Type.Object({ keys: Type.Array(KeySchema), nextCursor }) },
    },
    async handle({ projectId, query }) {
      const page = await readPage(query, (which) => keys.list(projectId, which))
      return respond(200, { keys: page.items.map(toResponse), nextCursor: page.nextCursor })
    },
  })
}
