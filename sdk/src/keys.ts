import type {
  CreateKeyData,
  CreateKeyResponse,
  ListKeysData,
  ListKeysResponse,
  RevokeKeyData,
  RevokeKeyResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type KeyCalls = ReturnType<typeof createKeyCalls>

export const createKeyCalls = (call: OperationCaller) => ({
  /**
   * One page, newest first, including revoked keys, without their secrets. Pass `nextCursor` as `cursor` to get the next page;
   * null means that this is the last one.
   */
  list: (projectId: string, query: NonNullable<ListKeysData['query']> = {}, options?: CallOptions) =>
    call<ListKeysData, ListKeysResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/keys', path: { projectId }, query },
      options,
    ),

  /** The secret is only in this response. A key cannot grant scopes that it does not have itself. */
  create: (projectId: string, body: CreateKeyData['body'], options?: CallOptions) =>
    call<CreateKeyData, CreateKeyResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/keys', path: { projectId }, body },
      options,
    ),

  /** Takes effect at the next request, for this key and every key created with it. Safe to repeat. */
  revoke: (projectId: string, keyId: string, options?: CallOptions) =>
    call<RevokeKeyData, RevokeKeyResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}/keys/{keyId}', path: { projectId, keyId } },
      options,
    ),
})
