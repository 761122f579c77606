import Type, { type Static } from 'typebox'
import type { Key } from '../../keys/key-store.ts'
import { scopes } from '../../keys/scopes.ts'
import { DateTime, nullable } from '../schemas.ts'

export const Scopes = Type.Array(Type.Enum(scopes), { minItems: 1, maxItems: scopes.length, uniqueItems: true })

export const KeySchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    hint: Type.String({ description: 'The beginning of the secret, to know the key by.' }),
    scopes: Type.Array(Type.Enum(scopes)),
    allowedNetworks: Type.Array(Type.String(), { description: 'Empty: from everywhere.' }),
    createdByKeyId: nullable(Type.String(), {
      description: 'The key that made this one; revoking it revokes this one too.',
    }),
    createdAt: DateTime('When the key was made.'),
    expiresAt: nullable(DateTime('When the key ends; null: never.')),
    lastUsedAt: nullable(DateTime('When the key was last used, to the minute.')),
    revokedAt: nullable(DateTime('When the key was revoked.')),
  },
  { $id: 'ApiKey' },
)

export const toResponse = (key: Key): Static<typeof KeySchema> => ({
  id: key.id,
  name: key.name,
  hint: key.prefix,
  scopes: [...key.scopes],
  allowedNetworks: [...key.allowedNetworks],
  createdByKeyId: key.createdByKeyId,
  createdAt: key.createdAt.toISOString(),
  expiresAt: key.expiresAt?.toISOString() ?? null,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  revokedAt: key.revokedAt?.toISOString() ?? null,
})
