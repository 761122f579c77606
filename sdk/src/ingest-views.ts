import type { IngestedViews, IngestViewsData } from './generated/types.gen.ts'
import { type IdempotentCallOptions, toIdempotencyHeaders } from './idempotency.ts'
import type { OperationCaller } from './operation.ts'

export type ViewIngestCalls = ReturnType<typeof createViewIngestCalls>

export const createViewIngestCalls = (call: OperationCaller) => ({
  /**
   * Reports requests that a site served. Retried with one idempotency key, which is remembered for a week, so that no view
   * counts twice.
   * @example
   * await client.views.ingest(projectId, { views: [{ path: '/docs/start', userAgent: 'ChatGPT-User/1.0' }] })
   */
  ingest: (projectId: string, body: IngestViewsData['body'], options: IdempotentCallOptions = {}) =>
    call<IngestViewsData, IngestedViews>(
      'POST',
      { url: '/v1/ingest/{projectId}/views', path: { projectId }, body, ...toIdempotencyHeaders(options) },
      options,
    ),
})
