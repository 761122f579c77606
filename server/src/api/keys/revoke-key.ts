import Type from 'typebox'
import type { KeyStore } from '../../keys/key-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { IdParam, ProjectParams } from '../schemas.ts'
import { ApiKeySchema, apiKeyExample, toApiKeyResponse } from './api-key.ts'

export function revokeKeyRoute({ keys }: { keys: KeyStore }): Route {
  return defineRoute({
    method: 'DELETE',
    url: '/v2/projects/:projectId/keys/:keyId',
    access: 'project:write',
    name: 'revokeKey',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description:
      'Takes effect immediately. Keys that this key created are revoked too, and their open invitations expire. Revoking a key again has no effect.',
    schemas: {
      params: Type.Object({
        ...ProjectParams.properties,
        keyId: IdParam('ID of the key.', 'key_01m7ehv2q8e3fr6d0xk9cw4y5t'),
      }),
      responses: { 200: ApiKeySchema },
    },
    responseExamples: { 200: { ...apiKeyExample, revokedAt: '2026-02-02T09:30:00.000Z' } },
    handle: async ({ projectId, params, actor }) =>
      createResponse(200, toApiKeyResponse(await keys.revoke(projectId, params.keyId, actor))),
  })
}
