import type { IngestedViews, IngestViewsData } from './generated/types.gen.ts'
import { type IdempotentCallOptions, toIdempotencyHeaders } from './idempotency.ts'
import type { OperationCaller } from './operation.ts'

export type ViewIngestCalls = ReturnType<typeof createViewIngestCalls>

export const createViewIngestCalls = (call: OperationCaller) => ({
  /** Reports requests that a site served. With an idempotency key, it is safe to repeat for a week. */
  ingest: (projectId: string, body: IngestViewsData['body'], options: IdempotentCallOptions = {}) =>
    call<IngestViewsData, IngestedViews>(
      'POST',
      { url: '/v1/ingest/{projectId}/views', path: { projectId }, body, ...toIdempotencyHeaders(options) },
      options,
    ),
})
