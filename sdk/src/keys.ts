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
  /** One page, newest first, revoked ones too, without their secrets. While `nextCursor` is not null, it is the `cursor` of the next. */
  list: (projectId: string, query: NonNullable<ListKeysData['query']> = {}, options?: CallOptions) =>
    call<ListKeysData, ListKeysResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/keys', path: { projectId }, query },
      options,
    ),

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
