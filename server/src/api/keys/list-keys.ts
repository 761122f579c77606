import Type from 'typebox'
import type { KeyStore } from '../../keys/key-store.ts'
import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { asAnswer, KeySchema } from './key.ts'

export function listKeysRoute({ keys }: { keys: KeyStore }): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/keys',
    access: 'project:read',
    name: 'listKeys',
    tag: 'API keys',
    summary: 'The API keys of a project',
    description: 'Newest first, revoked ones too. Secrets are not among it: they are shown once, when a key is made.',
    schemas: { params: ProjectParams, answers: { 200: Type.Object({ keys: Type.Array(KeySchema) }) } },
    handle: async ({ key }) => answer(200, { keys: (await keys.list(key.projectId)).map(asAnswer) }),
  })
}
