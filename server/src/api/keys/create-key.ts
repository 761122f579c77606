import Type from 'typebox'
import { networkMistake } from '../../keys/key-rules.ts'
import type { KeyStore } from '../../keys/key-store.ts'
import { type FieldError, Problem } from '../../platform/http/problem.ts'
import { type Route, respond, route } from '../route.ts'
import { DateTime, nullable, OneLine, ProjectParams } from '../schemas.ts'
import { KeySchema, Scopes, toResponse } from './key.ts'

const lastDateTime = new Date('9999-12-31T23:59:59.999Z')

export function createKeyRoute({ keys }: { keys: KeyStore }): Route {
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/keys',
    access: 'project:write',
    wantsFreshSession: true,
    name: 'createKey',
    tag: 'API keys',
    summary: 'Make an API key',
    description: 'The secret is in this answer and nowhere else. A key cannot give another more than it has itself.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        {
          name: OneLine({ minLength: 1, maxLength: 100 }),
          scopes: Scopes,
          expiresAt: Type.Optional(nullable(DateTime('When the key ends; null or left out: never.'))),
          allowedNetworks: Type.Optional(
            Type.Array(Type.String({ maxLength: 50 }), {
              maxItems: 50,
              description: 'Like `203.0.113.0/24`; empty: from everywhere.',
            }),
          ),
        },
        {
          additionalProperties: false,
          examples: [
            {
              name: 'CI',
              scopes: ['agent:read', 'agent:write'],
              expiresAt: '2099-12-31T00:00:00Z',
              allowedNetworks: ['203.0.113.0/24'],
            },
          ],
        },
      ),
      responses: {
        201: Type.Object({
          key: KeySchema,
          secret: Type.String({ description: 'The key itself. Shown once: keep it now.' }),
        }),
      },
    },
    async handle({ projectId, body: { name, scopes, expiresAt, allowedNetworks = [] }, actor }) {
      const errors = allowedNetworks.flatMap((network, index): FieldError[] => {
        const message = networkMistake(network)
        return message === undefined ? [] : [{ path: `body/allowedNetworks/${index}`, message }]
      })
      const ends = expiresAt ? new Date(expiresAt) : null
      if (ends && !(ends > new Date())) errors.push({ path: 'body/expiresAt', message: 'has to be in the future' })
      // Its zone can take the last day of 9999 further, and we could not write that as a date-time.
      if (ends && ends > lastDateTime)
        errors.push({ path: 'body/expiresAt', message: 'has to be before the year 10000' })
      const [first] = errors
      if (first) throw new Problem('invalid_request', `${first.path} ${first.message}.`, { errors })
      const made = await keys.create(projectId, { name, scopes, expiresAt: ends, allowedNetworks }, actor)
      return respond(201, { key: toResponse(made.key), secret: made.secret })
    },
  })
}
