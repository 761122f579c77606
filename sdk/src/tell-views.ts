import type { IngestedViews, IngestViewsData } from './generated/types.gen.ts'
import type { WorkOptions } from './jobs.ts'
import type { CallOperation } from './operation.ts'

export type TellViews = ReturnType<typeof tellViews>

export const tellViews = (call: CallOperation) => ({
  /** Tells of requests that a site answered. With an idempotency key it is safe to repeat, for a week. */
  ingest: (projectId: string, body: IngestViewsData['body'], options: WorkOptions = {}) =>
    call<IngestViewsData, IngestedViews>(
      'POST',
      {
        url: '/v1/ingest/{projectId}/views',
        path: { projectId },
        body,
        ...(options.idempotencyKey !== undefined && { headers: { 'idempotency-key': options.idempotencyKey } }),
      },
      options,
    ),
})
