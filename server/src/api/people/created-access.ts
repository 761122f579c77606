import Type, { type Static } from 'typebox'
import { scopes } from '../../keys/scopes.ts'
import type { CreatedAccess } from '../../offboarding/offboarding.ts'
import { DateTime, nullable } from '../schemas.ts'

export const CreatedAccessSchema = Type.Object(
  {
    kind: Type.Enum(['key', 'federated_identity', 'runner', 'invitation'] as const, {
      description:
        '`key`: an API key. `federated_identity`: CI runs that can get API keys. `runner`: a runner of the project. `invitation`: an open ' +
        'invitation to the project.',
    }),
    id: Type.String({ description: 'ID of the key, federated identity, runner or invitation.' }),
    projectId: Type.String({ description: 'ID of the project that it gives access to.' }),
    name: Type.String({
      description: 'Name of the key, federated identity or runner, or the email address that was invited.',
    }),
    scopes: nullable(Type.Array(Type.Enum(scopes)), {
      description: 'Scopes of the key, or of the keys of the federated identity. Null for a runner and an invitation.',
    }),
    createdBy: Type.String({
      description: 'The person, or the API key of theirs, that created it or has taken it over.',
    }),
    createdAt: DateTime('Time at which it was created.'),
    lastUsedAt: nullable(DateTime('Time at which it was last used. Null if it was never used, or is an invitation.')),
  },
  {
    $id: 'CreatedAccess',
    description: 'Access to a project that a person created, directly or with an API key: it is revoked with theirs.',
    examples: [
      {
        kind: 'key',
        id: 'key_01m7ehv2q8e3fr6d0xk9cw4y5t',
        projectId: 'prj_01m7ehrhx0fk5b0axvny9mpndf',
        name: 'Docs CI',
        scopes: ['agent:read', 'agent:write'],
        createdBy: 'owner@example.com',
        createdAt: '2026-01-31T12:00:00.000Z',
        lastUsedAt: '2026-02-02T08:15:00.000Z',
      },
    ],
  },
)

export const toCreatedAccessResponse = (access: CreatedAccess): Static<typeof CreatedAccessSchema> => ({
  kind: access.kind,
  id: access.id,
  projectId: access.projectId,
  name: access.kind === 'invitation' ? access.email : access.name,
  scopes: 'scopes' in access && access.scopes ? [...access.scopes] : null,
  createdBy: access.responsible,
  createdAt: access.createdAt.toISOString(),
  lastUsedAt: access.lastUsedAt?.toISOString() ?? null,
})

/** IDs of created access to keep. */
export const Keep = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: 100,
  description:
    'IDs of keys, federated identities, runners and invitations that are not revoked. You take them over: they are revoked when you lose access. ' +
    'An API key cannot take anything over.',
})
