import Type, { type Static } from 'typebox'
import {
  defaultFederatedScopes,
  defaultIssuers,
  type FederatedIdentity,
  federatedScopes,
  identityProviders,
} from '../../keys/federation/federated-identity.ts'
import { CreatedBy, DateTime, nullable, SingleLineText, TakenOverBy } from '../schemas.ts'

export const IdentityName = SingleLineText({
  minLength: 1,
  maxLength: 80,
  description:
    'Name of the federated identity. Keys that are given out for it have this name and the number of the run.',
})

export const ProviderSchema = Type.Enum(identityProviders, {
  description:
    'CI service that issues the tokens. `github`: GitHub Actions. `gitlab`: GitLab CI/CD. `other`: any other issuer of ID tokens.',
})

export const IssuerSchema = Type.String({
  minLength: 1,
  maxLength: 300,
  description:
    'URL of the issuer, exactly as in the claim `iss` of the tokens. ' +
    `The default is \`${defaultIssuers.github}\` for \`github\` and \`${defaultIssuers.gitlab}\` for \`gitlab\`.`,
})

export const ClaimsSchema = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9_./:-]{1,100}$' }),
  SingleLineText({ minLength: 1, maxLength: 500 }),
  {
    minProperties: 1,
    maxProperties: 20,
    description:
      'Claims that a token must have, with their exact text: there are no wildcards. Required are `repository` and `ref` for `github`, ' +
      '`project_path` and `ref_path` for `gitlab`, and `sub` for `other`.',
  },
)

export const FederatedScopes = Type.Array(Type.Enum(federatedScopes), {
  minItems: 1,
  maxItems: federatedScopes.length,
  uniqueItems: true,
  description:
    'What the keys can do. The default is ' +
    `${defaultFederatedScopes.map((scope) => `\`${scope}\``).join(' and ')}. \`project:write\` and \`agent:approve\` cannot be given.`,
})

export const federatedIdentityExample = {
  id: 'fid_01m7ehv2q8e3fr6d0xk9cw4y5t',
  name: 'Product repository',
  provider: 'github',
  issuer: 'https://token.actions.githubusercontent.com',
  claims: { repository: 'acme/product', ref: 'refs/heads/main' },
  pinnedClaims: { repository_id: '123456789', repository_owner_id: '987654' },
  scopes: ['agent:read', 'agent:write'],
  createdBy: 'owner@example.com',
  takenOverBy: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  lastUsedAt: '2026-02-02T08:15:00.000Z',
} as const

export const FederatedIdentitySchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the federated identity.' }),
    name: Type.String({ description: 'Name of the federated identity.' }),
    provider: ProviderSchema,
    issuer: Type.String({ description: 'URL of the issuer, exactly as in the claim `iss` of the tokens.' }),
    claims: Type.Record(Type.String(), Type.String(), {
      description: 'Claims that a token must have, with their exact text.',
    }),
    pinnedClaims: nullable(Type.Record(Type.String(), Type.String()), {
      description:
        'IDs of the repository and its owner in the first token that was exchanged. Later tokens must have the same ones: the name can ' +
        'be registered again by someone else. Null before the first exchange.',
    }),
    scopes: Type.Array(Type.Enum(federatedScopes), { description: 'What the keys can do.' }),
    createdBy: CreatedBy('federated identity'),
    takenOverBy: TakenOverBy('federated identity'),
    createdAt: DateTime('Time at which the federated identity was created.'),
    lastUsedAt: nullable(DateTime('Time of the last exchange. Null if there was none.')),
  },
  {
    $id: 'FederatedIdentity',
    description: 'CI runs that can exchange their ID tokens for short-lived API keys of the project.',
    examples: [federatedIdentityExample],
  },
)

export const toFederatedIdentityResponse = (identity: FederatedIdentity): Static<typeof FederatedIdentitySchema> => ({
  id: identity.id,
  name: identity.name,
  provider: identity.provider,
  issuer: identity.issuer,
  claims: identity.claims,
  pinnedClaims: identity.pinnedClaims,
  scopes: [...identity.scopes],
  createdBy: identity.createdBy,
  takenOverBy: identity.takenOverBy,
  createdAt: identity.createdAt.toISOString(),
  lastUsedAt: identity.lastUsedAt?.toISOString() ?? null,
})
