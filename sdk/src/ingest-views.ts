import type { IngestedViews, IngestViewsData } from './generated/types.gen.ts'
import { type IdempotentCallOptions, idempotencyHeaders } from './idempotency.ts'
import type { CallOperation } from './operation.ts'

export type IngestViews = ReturnType<typeof ingestViews>

export const ingestViews = (call: CallOperation) => ({
  /** Reports requests that a site served. With an idempotency key, it is safe to repeat for a week. */
  ingest: (projectId: string, body: IngestViewsData['body'], options: IdempotentCallOptions = {}) =>
    call<IngestViewsData, IngestedViews>(
      'POST',
      { url: '/v1/ingest/{projectId}/views', path: { projectId }, body, ...idempotencyHeaders(options) },
      options,
    ),
})
