import type {
  AuditEntry,
  ListAuditEntriesData,
  ListAuditEntriesResponse,
  ListInstanceAuditEntriesData,
  ListInstanceAuditEntriesResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type AuditCalls = ReturnType<typeof createAuditCalls>

export function createAuditCalls(call: OperationCaller) {
  /** One page, newest first. Pass `nextCursor` as `cursor` to get the next page; null means that this is the last one. */
  const list = (projectId: string, query: NonNullable<ListAuditEntriesData['query']> = {}, options?: CallOptions) =>
    call<ListAuditEntriesData, ListAuditEntriesResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/audit', path: { projectId }, query },
      options,
    )

  /** Every entry, newest first. Each page is requested when iteration reaches it. */
  async function* all(projectId: string, options?: CallOptions): AsyncGenerator<AuditEntry, void, undefined> {
    let page = await list(projectId, { limit: 250 }, options)
    yield* page.entries
    while (page.nextCursor !== null) {
      page = await list(projectId, { limit: 250, cursor: page.nextCursor }, options)
      yield* page.entries
    }
  }

  /** One page of the audit log of the instance, newest first. For operators. */
  const listInstance = (query: NonNullable<ListInstanceAuditEntriesData['query']> = {}, options?: CallOptions) =>
    call<ListInstanceAuditEntriesData, ListInstanceAuditEntriesResponse>('GET', { url: '/v2/audit', query }, options)

  return { list, all, listInstance }
}
