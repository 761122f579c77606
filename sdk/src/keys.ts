import type {
  CreateKeyData,
  CreateKeyResponse,
  ListKeysData,
  ListKeysResponse,
  RevokeKeyData,
  RevokeKeyResponse,
} from './generated/types.gen.ts'
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type Keys = ReturnType<typeof keys>

export const keys = (call: CallOperation) => ({
  /** Newest first, revoked ones too, without their secrets. */
  list: (projectId: string, options?: CallOptions) =>
    call<ListKeysData, ListKeysResponse>('GET', { url: '/v2/projects/{projectId}/keys', path: { projectId } }, options),

  /** The secret is in this answer and nowhere else. A key cannot give another more than it has itself. */
  create: (projectId: string, body: CreateKeyData['body'], options?: CallOptions) =>
    call<CreateKeyData, CreateKeyResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/keys', path: { projectId }, body },
      options,
    ),

  /** Holds at the next request, for this key and every key it made. Safe to repeat. */
  revoke: (projectId: string, keyId: string, options?: CallOptions) =>
    call<RevokeKeyData, RevokeKeyResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}/keys/{keyId}', path: { projectId, keyId } },
      options,
    ),
})
