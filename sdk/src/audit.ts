import type {
  ListAuditEntriesData,
  ListAuditEntriesResponse,
  ListInstanceAuditEntriesData,
  ListInstanceAuditEntriesResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import { createPagedList, nextCursorQuery } from './paged-list.ts'
import type { CallOptions } from './request.ts'

export type AuditCalls = ReturnType<typeof createAuditCalls>

export const createAuditCalls = (call: OperationCaller) => ({
  /**
   * Who did what in a project, newest first. Awaited, one page; iterated, all entries.
   * @example
   * for await (const entry of client.audit.list(projectId, { limit: 250 })) console.log(entry.at, entry.action)
   */
  list: (projectId: string, query: NonNullable<ListAuditEntriesData['query']> = {}, options?: CallOptions) =>
    createPagedList(
      query,
      (query) =>
        call<ListAuditEntriesData, ListAuditEntriesResponse>(
          'GET',
          { url: '/v2/projects/{projectId}/audit', path: { projectId }, query },
          options,
        ),
      (page) => ({ items: page.entries, next: nextCursorQuery(page) }),
    ),

  /**
   * Who did what on the instance, newest first. For operators. Awaited, one page; iterated, all entries.
   * @example
   * for await (const entry of client.audit.listInstance()) console.log(entry.at, entry.action)
   */
  listInstance: (query: NonNullable<ListInstanceAuditEntriesData['query']> = {}, options?: CallOptions) =>
    createPagedList(
      query,
      (query) =>
        call<ListInstanceAuditEntriesData, ListInstanceAuditEntriesResponse>(
          'GET',
          { url: '/v2/audit', query },
          options,
        ),
      (page) => ({ items: page.entries, next: nextCursorQuery(page) }),
    ),
})
