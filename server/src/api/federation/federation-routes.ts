import Type from 'typebox'
import { maxIdTokenCharacters } from '../../keys/federation/decode-id-token.ts'
import { defaultFederatedScopes, defaultIssuers, federatedScopes } from '../../keys/federation/federated-identity.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, IdParam, ProjectParams } from '../schemas.ts'
import { type ExchangeTokenDeps, exchangeToken } from './exchange-token.ts'
import {
  ClaimsSchema,
  FederatedIdentitySchema,
  FederatedScopes,
  federatedIdentityExample,
  IdentityName,
  IssuerSchema,
  ProviderSchema,
  toFederatedIdentityResponse,
} from './federated-identity.ts'

export interface FederationRouteDeps extends ExchangeTokenDeps {
  /** The audience that tokens must have. */
  publicUrl: string
}

const FederatedIdentities = Type.Object(
  {
    audience: Type.String({
      description: 'Audience that the tokens must have: the public URL of the instance.',
      examples: ['https://colophon.example.com'],
    }),
    identities: Type.Array(FederatedIdentitySchema, { description: 'Federated identities, newest first.' }),
  },
  { examples: [{ audience: 'https://colophon.example.com', identities: [federatedIdentityExample] }] },
)

const exampleSecret = 'colophon_7Hq2exampleexampleexampleexampleabc123'

export function federationRoutes(deps: FederationRouteDeps): Route[] {
  const { federatedIdentities: identities, publicUrl: audience } = deps
  return [
    defineRoute({
      method: 'GET',
      url: '/v2/projects/:projectId/federated-identities',
      access: 'project:read',
      name: 'listFederatedIdentities',
      tag: 'API keys',
      summary: 'List federated identities',
      description: 'Returns the CI runs that can get short-lived API keys of the project, newest first.',
      schemas: { params: ProjectParams, responses: { 200: FederatedIdentities } },
      handle: async ({ projectId }) =>
        createResponse(200, {
          audience,
          identities: (await identities.list(projectId)).map(toFederatedIdentityResponse),
        }),
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/projects/:projectId/federated-identities',
      access: 'project:write',
      requiresRecentSignIn: true,
      name: 'createFederatedIdentity',
      tag: 'API keys',
      summary: 'Create a federated identity',
      description:
        'From now on, CI runs with these claims can exchange their ID tokens for short-lived API keys of the project, so that no secret ' +
        'is stored in CI. Runs for pull requests are never accepted. A key that expires or is limited to networks cannot create one. A ' +
        'project can have 100 federated identities.',
      schemas: {
        params: ProjectParams,
        body: Type.Object(
          {
            name: IdentityName,
            provider: ProviderSchema,
            issuer: Type.Optional(IssuerSchema),
            claims: ClaimsSchema,
            scopes: Type.Optional(FederatedScopes),
          },
          {
            additionalProperties: false,
            examples: [
              {
                name: federatedIdentityExample.name,
                provider: federatedIdentityExample.provider,
                claims: federatedIdentityExample.claims,
              },
            ],
          },
        ),
        responses: { 201: FederatedIdentitySchema },
      },
      async handle({ projectId, body, actor }) {
        const { name, provider, claims, scopes = defaultFederatedScopes } = body
        const issuer = body.issuer ?? defaultIssuers[provider]
        if (issuer === undefined)
          throw new Problem('invalid_request', 'body/issuer is missing.', {
            errors: [{ path: 'body/issuer', message: 'is missing' }],
          })
        const identity = await identities.create(projectId, { name, provider, issuer, claims, scopes }, actor)
        return createResponse(201, toFederatedIdentityResponse(identity))
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v2/projects/:projectId/federated-identities/:identityId',
      access: 'project:write',
      name: 'deleteFederatedIdentity',
      tag: 'API keys',
      summary: 'Delete a federated identity',
      description:
        'Takes effect immediately: no more tokens are exchanged, and the keys that were given out are revoked. Returns the remaining ones.',
      schemas: {
        params: Type.Object({
          ...ProjectParams.properties,
          identityId: IdParam('ID of the federated identity.', federatedIdentityExample.id),
        }),
        responses: { 200: FederatedIdentities },
      },
      async handle({ projectId, params, actor }) {
        await identities.delete(projectId, params.identityId, actor)
        const remaining = await identities.list(projectId)
        return createResponse(200, { audience, identities: remaining.map(toFederatedIdentityResponse) })
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/projects/:projectId/token-exchange',
      access: 'public',
      // CI runs are not browsers. The token itself is the credential, and no cookie is read.
      allowsCrossOrigin: true,
      maxPerMinutePerNetwork: 60,
      name: 'exchangeToken',
      tag: 'API keys',
      summary: 'Exchange an ID token for an API key',
      description:
        'For CI runs. If a federated identity of the project matches the ID token, the response contains an API key that expires with the ' +
        'token, after 60 minutes at the latest. A token can be exchanged once. Its audience must be the public URL of the instance. ' +
        'Why a token was rejected is in the audit log of the project.',
      schemas: {
        params: ProjectParams,
        body: Type.Object(
          {
            token: Type.String({
              minLength: 1,
              maxLength: maxIdTokenCharacters,
              description: 'ID token (JWT) that the CI service issued for the run.',
            }),
          },
          {
            additionalProperties: false,
            examples: [{ token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.eyJpc3MiOiJodHRwczovL2dpdGxhYi5jb20ifQ.c2ln' }],
          },
        ),
        responses: {
          201: Type.Object(
            {
              keyId: Type.String({ description: 'ID of the key.' }),
              secret: Type.String({
                description: 'The secret of the key, to be sent as `Authorization: Bearer`. It is not shown again.',
              }),
              scopes: Type.Array(Type.Enum(federatedScopes), { description: 'What the key can do.' }),
              expiresAt: DateTime('Time at which the key expires.'),
            },
            {
              examples: [
                {
                  keyId: 'key_01m7ehv2q8e3fr6d0xk9cw4y5t',
                  secret: exampleSecret,
                  scopes: ['agent:read', 'agent:write'],
                  expiresAt: '2026-02-02T08:30:00.000Z',
                },
              ],
            },
          ),
        },
      },
      problems: ['unauthenticated', 'rate_limited', 'unavailable'],
      async handle({ params, body, http }) {
        const key = await exchangeToken(deps, params.projectId, body.token, http)
        return createResponse(201, {
          keyId: key.id,
          secret: key.secret,
          scopes: [...key.scopes],
          expiresAt: key.expiresAt.toISOString(),
        })
      },
    }),
  ]
}
