import Type from 'typebox'
import type { ClientDetector } from '../../analytics/classify/client-detector.ts'
import { type DropReason, dropReasons } from '../../analytics/classify/drop-reason.ts'
import { classifyRequests, type ObservedRequest } from '../../analytics/collect/classify-requests.ts'
import type { SourceActivityRecorder } from '../../analytics/collect/source-activity-recorder.ts'
import type { PostgresViewBuffer } from '../../analytics/collect/view-buffer.ts'
import { resolveViewTime } from '../../analytics/collect/view-time.ts'
import type { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ndjsonExample, parseEventTime, parseJsonEvents, parseNdjsonEvents, ViewEvents } from './view-events.ts'

const dropReasonDescriptions: Readonly<Record<DropReason, string>> = {
  not_get: 'Number of requests dropped because their method is not GET.',
  not_successful: 'Number of requests dropped because their status is neither 200 nor 304.',
  prefetch: 'Number of requests dropped because the browser fetched the page in advance.',
  invalid_path: 'Number of requests dropped because their path is not valid.',
  path_too_long: 'Number of requests dropped because the path of the page is longer than 1024 characters.',
  not_a_page: 'Number of requests dropped because they are for an asset or another file that is not a page.',
  counted_elsewhere:
    'Number of requests dropped because another source counts this kind of client in the project, for example the script.',
  too_old: 'Number of requests dropped because they are more than 13 months old.',
}

const IngestedViews = Type.Object(
  {
    counted: Type.Integer({
      description:
        'Number of page views stored. Human and AI views appear in the counts of pages within 10 seconds while ClickHouse ' +
        'is available; search engines and other bots appear only in the views by client.',
    }),
    dropped: Type.Object(
      Object.fromEntries(
        dropReasons.map((reason) => [
          reason,
          Type.Optional(Type.Integer({ minimum: 1, description: dropReasonDescriptions[reason] })),
        ]),
      ),
      { description: 'Number of requests dropped, by reason. A reason that does not occur is absent.' },
    ),
    isDuplicate: Type.Boolean({
      description:
        'Whether views with this `Idempotency-Key` were already stored within the last 7 days. If so, nothing of this ' +
        'request was stored; `counted` and `dropped` still describe this request.',
    }),
  },
  {
    $id: 'IngestedViews',
    description: 'How many of the reported requests were counted as page views, and why the others were dropped.',
    examples: [{ counted: 118, dropped: { not_a_page: 340, not_successful: 7 }, isDuplicate: false }],
  },
)

export function ingestViewsRoute({
  viewBuffer,
  sourceActivity,
  siteCache,
  clientDetector,
}: {
  viewBuffer: PostgresViewBuffer
  sourceActivity: SourceActivityRecorder
  siteCache: AnalyticsSiteCache
  clientDetector: ClientDetector
}): Route {
  return defineRoute({
    method: 'POST',
    url: '/v1/ingest/:projectId/views',
    access: 'analytics:write',
    name: 'ingestViews',
    tag: 'Page views',
    summary: 'Ingest page views from a server',
    description:
      'Send all requests of your site; Colophon drops those that are not page views and classifies the clients of the others. ' +
      'Send JSON, or `application/x-ndjson` with one request per line, optionally with `Content-Encoding: gzip`. The limits ' +
      'are 10,000 requests and 8 MiB (uncompressed). A 200 response means that the page views are stored. After a timeout or ' +
      'a 5xx response, send them again with the same `Idempotency-Key`.',
    schemas: {
      params: ProjectParams,
      headers: Type.Object({
        'idempotency-key': Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 255,
            description:
              'Your unique name for this batch. A batch that is sent again with the same key within 7 days is counted once.',
            examples: ['web-1-2026-01-31T12:00'],
          }),
        ),
      }),
      body: ViewEvents,
      responses: { 200: IngestedViews },
    },
    largeBody: {
      maxBytes: 8 * 1024 * 1024,
      allowGzip: true,
      parsers: { 'application/json': parseJsonEvents, 'application/x-ndjson': parseNdjsonEvents },
      textExamples: { 'application/x-ndjson': ndjsonExample },
    },
    async handle({ projectId, body, headers }) {
      const site = await siteCache.findByProject(projectId)
      const requests = toRequests(body.views, new Date())
      const { views, dropped, examples } = classifyRequests(requests, { site, clientDetector, source: 'servers' })
      const idempotencyKey = headers['idempotency-key']
      const outcome = await viewBuffer.append({
        projectId,
        source: 'servers',
        countsHumans: site.settings.humanSource === 'servers',
        deliveryId: idempotencyKey === undefined ? undefined : { text: `ingest ${idempotencyKey}`, retention: 'week' },
        views,
      })
      if (outcome === 'stored')
        sourceActivity.record({ projectId, source: 'servers', counted: views.length, dropped, examples })
      return createResponse(200, { counted: views.length, dropped, isDuplicate: outcome === 'repeated' })
    },
  })
}

function* toRequests(events: ViewEvents['views'], receivedAt: Date): Iterable<ObservedRequest> {
  for (const { path, userAgent, at, method = 'GET', status = 200, accept = '', prefetch = false } of events) {
    const time = at === undefined ? receivedAt : resolveViewTime(parseEventTime(at) ?? receivedAt, receivedAt)
    yield { path, userAgent, method, status, accept, prefetch, at: time }
  }
}
