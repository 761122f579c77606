import Type from 'typebox'
import type { KeyStore } from '../../keys/key-store.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ApiKeySchema, toApiKeyResponse } from './api-key.ts'

export function listKeysRoute({ keys }: { keys: KeyStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/keys',
    access: 'project:read',
    name: 'listKeys',
    tag: 'API keys',
    summary: 'List API keys',
    description:
      'Returns the API keys of the project, newest first, including revoked keys. Secrets are not included: they are shown only when a key is created.',
    schemas: {
      params: ProjectParams,
      query: CursorQuery('key'),
      responses: {
        200: Type.Object({
          keys: Type.Array(ApiKeySchema, { description: 'API keys, newest first.' }),
          nextCursor: NextCursor,
        }),
      },
    },
    async handle({ projectId, query }) {
      const page = await readCursorPage(query, (range) => keys.list(projectId, range))
      return createResponse(200, { keys: page.items.map(toApiKeyResponse), nextCursor: page.nextCursor })
    },
  })
}
