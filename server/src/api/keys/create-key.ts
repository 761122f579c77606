import Type from 'typebox'
import { describeInvalidNetwork } from '../../keys/key-rules.ts'
import type { KeyStore } from '../../keys/key-store.ts'
import { type FieldError, Problem } from '../../platform/http/problem.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { DateTime, nullable, ProjectParams, SingleLineText } from '../schemas.ts'
import { ApiKeySchema, apiKeyExample, ScopesSchema, toApiKeyResponse } from './api-key.ts'

const exampleSecret = 'colophon_7Hq2exampleexampleexampleexampleabc123'

const lastDateTime = new Date('9999-12-31T23:59:59.999Z')

export function createKeyRoute({ keys }: { keys: KeyStore }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/keys',
    access: 'project:write',
    requiresRecentSignIn: true,
    name: 'createKey',
    tag: 'API keys',
    summary: 'Create an API key',
    description:
      'The secret is only in this response: store it now. A key cannot create a key with more scopes, more networks or a later expiry than it has itself.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        {
          name: SingleLineText({
            minLength: 1,
            maxLength: 100,
            description: 'Name of the key, for example of the program that uses it.',
          }),
          scopes: ScopesSchema,
          expiresAt: Type.Optional(
            nullable(DateTime('Time at which the key expires. If it is null or omitted, the key never expires.')),
          ),
          allowedNetworks: Type.Optional(
            Type.Array(Type.String({ maxLength: 50 }), {
              maxItems: 50,
              description:
                'Networks that the key can be used from, in CIDR notation. If it is empty or omitted, the key can be used from everywhere.',
            }),
          ),
        },
        {
          additionalProperties: false,
          examples: [
            {
              name: 'Docs CI',
              scopes: ['agent:read', 'agent:write'],
              expiresAt: '2099-12-31T00:00:00Z',
              allowedNetworks: ['203.0.113.0/24'],
            },
          ],
        },
      ),
      responses: {
        201: Type.Object({
          key: ApiKeySchema,
          secret: Type.String({
            description: 'The secret of the key, to be sent as `Authorization: Bearer`. It is not shown again.',
            examples: [exampleSecret],
          }),
        }),
      },
    },
    responseExamples: { 201: { key: { ...apiKeyExample, lastUsedAt: null }, secret: exampleSecret } },
    async handle({ projectId, body: { name, scopes, expiresAt, allowedNetworks = [] }, actor }) {
      const errors = allowedNetworks.flatMap((network, index): FieldError[] => {
        const message = describeInvalidNetwork(network)
        return message === undefined ? [] : [{ path: `body/allowedNetworks/${index}`, message }]
      })
      const expiry = expiresAt ? new Date(expiresAt) : null
      if (expiry && !(expiry > new Date())) errors.push({ path: 'body/expiresAt', message: 'must be in the future' })
      // With a time zone, the last day of 9999 can be in the year 10000 in UTC, which has no date-time format.
      if (expiry && expiry > lastDateTime)
        errors.push({ path: 'body/expiresAt', message: 'must be before the year 10000' })
      const [first] = errors
      if (first) throw new Problem('invalid_request', `${first.path} ${first.message}.`, { errors })
      const { key, secret } = await keys.create(projectId, { name, scopes, expiresAt: expiry, allowedNetworks }, actor)
      return createResponse(201, { key: toApiKeyResponse(key), secret })
    },
  })
}
