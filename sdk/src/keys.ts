import type {
  CreateKeyData,
  CreateKeyResponse,
  ListKeysData,
  ListKeysResponse,
  RevokeKeyData,
  RevokeKeyResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import { createPagedList, nextCursorQuery } from './paged-list.ts'
import type { CallOptions } from './request.ts'

export type KeyCalls = ReturnType<typeof createKeyCalls>

export const createKeyCalls = (call: OperationCaller) => ({
  /**
   * API keys, newest first, including revoked ones, without their secrets. Awaited, one page; iterated, all of them.
   * @example
   * for await (const key of client.keys.list(projectId)) console.log(key.name, key.scopes)
   */
  list: (projectId: string, query: NonNullable<ListKeysData['query']> = {}, options?: CallOptions) =>
    createPagedList(
      query,
      (query) =>
        call<ListKeysData, ListKeysResponse>(
          'GET',
          { url: '/v2/projects/{projectId}/keys', path: { projectId }, query },
          options,
        ),
      (page) => ({ items: page.keys, next: nextCursorQuery(page) }),
    ),

  /**
   * The secret is only in this response. A key cannot grant scopes that it does not have itself.
   * @example
   * const { secret } = await client.keys.create(projectId, { name: 'CI', scopes: ['agent:write'] })
   */
  create: (projectId: string, body: CreateKeyData['body'], options?: CallOptions) =>
    call<CreateKeyData, CreateKeyResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/keys', path: { projectId }, body },
      options,
    ),

  /**
   * Takes effect at the next request, for this key and every key created with it. Safe to repeat.
   * @example
   * await client.keys.revoke(projectId, keyId)
   */
  revoke: (projectId: string, keyId: string, options?: CallOptions) =>
    call<RevokeKeyData, RevokeKeyResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}/keys/{keyId}', path: { projectId, keyId } },
      options,
    ),
})
