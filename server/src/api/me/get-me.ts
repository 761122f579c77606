import Type from 'typebox'
import { scopes } from '../../keys/scopes.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { DateTime, nullable } from '../schemas.ts'

const Me = Type.Object(
  {
    projectId: Type.String({ description: 'ID of the project that the key belongs to.' }),
    keyId: Type.String({ description: 'ID of the key.' }),
    name: Type.String({ description: 'Name of the key.' }),
    scopes: Type.Array(Type.Enum(scopes), { description: 'What the key can do.' }),
    expiresAt: nullable(DateTime('Time at which the key expires. Null if it never expires.')),
  },
  {
    $id: 'Me',
    description: 'The API key that the request was sent with.',
    examples: [
      {
        projectId: 'prj_01m7ehrhx0fk5b0axvny9mpndf',
        keyId: 'key_01m7ehv2q8e3fr6d0xk9cw4y5t',
        name: 'Docs CI',
        scopes: ['agent:read', 'agent:write'],
        expiresAt: '2027-01-31T00:00:00.000Z',
      },
    ],
  },
)

export function getMeRoute(): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/me',
    access: 'any-key',
    name: 'getMe',
    tag: 'API keys',
    summary: 'Get your API key',
    description:
      'Returns the project and the scopes of the API key. Use it to test a key: it needs no scope and changes nothing.',
    schemas: { responses: { 200: Me } },
    async handle({ key }) {
      const { projectId, id, name, scopes: keyScopes, expiresAt } = key
      return createResponse(200, {
        projectId,
        keyId: id,
        name,
        scopes: [...keyScopes],
        expiresAt: expiresAt?.toISOString() ?? null,
      })
    },
  })
}
