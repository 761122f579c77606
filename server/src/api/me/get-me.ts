import Type from 'typebox'
import { scopes } from '../../keys/scopes.ts'
import { type Route, respond, route } from '../route.ts'
import { DateTime, nullable } from '../schemas.ts'

const Me = Type.Object(
  {
    projectId: Type.String(),
    keyId: Type.String(),
    name: Type.String({ description: "The key's name." }),
    scopes: Type.Array(Type.Enum(scopes)),
    expiresAt: nullable(DateTime('When the key ends; null: never.')),
  },
  { $id: 'Me' },
)

export function getMeRoute(): Route {
  return route({
    method: 'GET',
    url: '/v2/me',
    access: 'any-key',
    name: 'getMe',
    tag: 'API keys',
    summary: 'What your API key is good for',
    description: 'The way to test a key: it changes nothing and needs no project id.',
    schemas: { responses: { 200: Me } },
    async handle({ key }) {
      const { projectId, id, name, scopes: keyScopes, expiresAt } = key
      return respond(200, {
        projectId,
        keyId: id,
        name,
        scopes: [...keyScopes],
        expiresAt: expiresAt?.toISOString() ?? null,
      })
    },
  })
}
