import Type, { type Static } from 'typebox'
import { findMissingScopes } from '../../keys/key-rules.ts'
import type { ApiKeyRecord } from '../../keys/key-store.ts'
import { scopes } from '../../keys/scopes.ts'
import { CreatedBy, DateTime, nullable, TakenOverBy } from '../schemas.ts'

export const ScopesSchema = Type.Array(Type.Enum(scopes), {
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  description:
    'What the key can do. `project:write` gives full access, and can be granted only together with all other scopes.',
  examples: [['agent:read', 'agent:write']],
})

export const apiKeyExample = {
  id: 'key_01m7ehv2q8e3fr6d0xk9cw4y5t',
  name: 'Docs CI',
  prefix: 'colophon_7Hq2…',
  scopes: ['agent:read', 'agent:write'],
  allowedNetworks: ['203.0.113.0/24'],
  createdByKeyId: null,
  createdBy: 'owner@example.com',
  takenOverBy: null,
  exceedsScopes: false,
  createdAt: '2026-01-31T12:00:00.000Z',
  expiresAt: '2027-01-31T00:00:00.000Z',
  lastUsedAt: '2026-02-02T08:15:00.000Z',
  revokedAt: null,
}

export const ApiKeySchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the key.' }),
    name: Type.String({ description: 'Name of the key.' }),
    prefix: Type.String({ description: 'Beginning of the secret, by which you can recognize the key.' }),
    scopes: Type.Array(Type.Enum(scopes), { description: 'What the key can do.' }),
    allowedNetworks: Type.Array(Type.String(), {
      description: 'Networks that the key can be used from, in CIDR notation. Empty if it can be used from everywhere.',
    }),
    createdByKeyId: nullable(Type.String(), {
      description:
        'ID of the key that created this one. Revoking that key revokes this one too. Null if a person or `colophon-server admin` created it.',
    }),
    createdBy: CreatedBy('key'),
    takenOverBy: TakenOverBy('key'),
    exceedsScopes: Type.Boolean({
      description:
        'Whether the key can do more than its scopes say: it was created before `project:write` required all other scopes. ' +
        'Replace it by one with the scopes that it needs.',
    }),
    createdAt: DateTime('Time at which the key was created.'),
    expiresAt: nullable(DateTime('Time at which the key expires. Null if it never expires.')),
    lastUsedAt: nullable(DateTime('Time at which the key was last used, to the minute. Null if it was never used.')),
    revokedAt: nullable(DateTime('Time at which the key was revoked. Null if it is not revoked.')),
  },
  {
    $id: 'ApiKey',
    description: 'An API key of a project, without its secret.',
    examples: [apiKeyExample],
  },
)

export const toApiKeyResponse = (key: ApiKeyRecord): Static<typeof ApiKeySchema> => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: [...key.scopes],
  allowedNetworks: [...key.allowedNetworks],
  createdByKeyId: key.createdByKeyId,
  createdBy: key.createdBy,
  takenOverBy: key.takenOverBy,
  exceedsScopes: findMissingScopes(key.scopes).length > 0,
  createdAt: key.createdAt.toISOString(),
  expiresAt: key.expiresAt?.toISOString() ?? null,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  revokedAt: key.revokedAt?.toISOString() ?? null,
})
