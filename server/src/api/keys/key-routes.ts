import Type from 'typebox'
import { formatActor } from '../../audit/audit-store.ts'
import { describeInvalidNetwork } from '../../keys/key-rules.ts'
import type { KeyStore } from '../../keys/key-store.ts'
import { scopes } from '../../keys/scopes.ts'
import { type FieldError, Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { requireRecentSignInOf } from '../authenticate-session.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, IdParam, nullable, ProjectParams, SingleLineText } from '../schemas.ts'
import { ApiKeySchema, apiKeyExample, ScopesSchema, toApiKeyResponse } from './api-key.ts'

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

const exampleSecret = 'colophon_7Hq2exampleexampleexampleexampleabc123'

const lastDateTime = new Date('9999-12-31T23:59:59.999Z')

export interface KeyRouteDeps {
  keys: KeyStore
}

export const keyRoutes = ({ keys }: KeyRouteDeps): Route[] => [
  defineRoute({
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
  }),
  defineRoute({
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
  }),
  defineRoute({
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
  }),
  defineRoute({
    method: 'DELETE',
    url: '/v2/projects/:projectId/keys/:keyId',
    access: 'project:write',
    name: 'revokeKey',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description:
      'Takes effect immediately. Keys, runners and open invitations that this key created, also through other keys, are revoked too. Revoking a key again has no effect. A person needs a recent sign-in to revoke a key that they did not create.',
    schemas: {
      params: Type.Object({
        ...ProjectParams.properties,
        keyId: IdParam('ID of the key.', 'key_01m7ehv2q8e3fr6d0xk9cw4y5t'),
      }),
      responses: { 200: ApiKeySchema },
    },
    responseExamples: { 200: { ...apiKeyExample, revokedAt: '2026-02-02T09:30:00.000Z' } },
    problems: ['reauthentication_required'],
    async handle({ projectId, params, caller, actor }) {
      const { createdBy, takenOverBy } = await keys.get(projectId, params.keyId)
      if ((takenOverBy ?? createdBy) !== formatActor(actor)) requireRecentSignInOf(caller)
      return createResponse(200, toApiKeyResponse(await keys.revoke(projectId, params.keyId, actor)))
    },
  }),
]
