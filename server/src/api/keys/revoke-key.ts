import Type from 'typebox'
import type { KeyStore } from '../../keys/key-store.ts'
import { type Route, respond, route } from '../route.ts'
import { idParam, ProjectParams } from '../schemas.ts'
import { KeySchema, toResponse } from './key.ts'

export function revokeKeyRoute({ keys }: { keys: KeyStore }): Route {
  return route({
    method: 'DELETE',
    url: '/v2/projects/:projectId/keys/:keyId',
    access: 'project:write',
    name: 'revokeKey',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description:
      'Holds at the next request, everywhere, for this key and for every key it made, and ends their open ' +
      'invitations. Revoking it again changes nothing.',
    schemas: {
      params: Type.Object({ ...ProjectParams.properties, keyId: idParam("The key's id, like `key_…`.") }),
      responses: { 200: KeySchema },
    },
    handle: async ({ projectId, params, actor }) =>
      respond(200, toResponse(await keys.revoke(projectId, params.keyId, actor))),
  })
}
