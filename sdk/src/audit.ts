import type { AuditEntry, ListAuditEntriesData, ListAuditEntriesResponse } from './generated/types.gen.ts'
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type Audit = ReturnType<typeof audit>

export function audit(call: CallOperation) {
  /** One page, newest first. While `nextCursor` is not null, it is the `cursor` of the next. */
  const list = (projectId: string, query: NonNullable<ListAuditEntriesData['query']> = {}, options?: CallOptions) =>
    call<ListAuditEntriesData, ListAuditEntriesResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/audit', path: { projectId }, query },
      options,
    )

  /** Every entry, newest first; a page is asked for when it is come to. */
  async function* all(projectId: string, options?: CallOptions): AsyncGenerator<AuditEntry, void, undefined> {
    let page = await list(projectId, { limit: 250 }, options)
    yield* page.entries
    while (page.nextCursor !== null) {
      page = await list(projectId, { limit: 250, cursor: page.nextCursor }, options)
      yield* page.entries
    }
  }

  return { list, all }
}
