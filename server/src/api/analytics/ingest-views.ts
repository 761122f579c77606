import Type from 'typebox'
import type { ClientDetector } from '../../analytics/classify/client-detector.ts'
import { dropReasons } from '../../analytics/classify/drop-reason.ts'
import { type SeenRequest, siftRequests } from '../../analytics/collect/sift-requests.ts'
import type { SourceNotes } from '../../analytics/collect/source-notes.ts'
import type { ViewBuffer } from '../../analytics/collect/view-buffer.ts'
import { timeOfView } from '../../analytics/collect/view-time.ts'
import type { KnownSites } from '../../analytics/settings/known-sites.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { readJsonEvents, readNdjsonEvents, timeOfEvent, ViewEvents } from './view-events.ts'

const IngestedViews = Type.Object(
  {
    counted: Type.Integer({
      description:
        'So many are views, and safe. People and AIs among them are in the numbers of pages within 10 seconds, while ' +
        'ClickHouse is up; search engines and other bots only in the list of clientDetector.',
    }),
    dropped: Type.Object(
      Object.fromEntries(dropReasons.map((reason) => [reason, Type.Optional(Type.Integer({ minimum: 1 }))])),
      { description: 'How many are none, by the reason.' },
    ),
    isDuplicate: Type.Boolean({
      description:
        'Views came under this `Idempotency-Key` within the last week: those count, and nothing of this request was added. ' +
        '`counted` and `dropped` still tell of this request.',
    }),
  },
  { $id: 'IngestedViews' },
)

export function ingestViewsRoute({
  viewBuffer,
  sourceNotes,
  knownSites,
  clientDetector,
}: {
  viewBuffer: ViewBuffer
  sourceNotes: SourceNotes
  knownSites: KnownSites
  clientDetector: ClientDetector
}): Route {
  return route({
    method: 'POST',
    url: '/v1/ingest/:projectId/views',
    access: 'analytics:write',
    name: 'ingestViews',
    tag: 'Page views',
    summary: 'Tell of requests that a site answered',
    description:
      'For servers: what among them is a view, and of whom, is found here. As JSON, or as `application/x-ndjson` with one ' +
      'view a line; `Content-Encoding: gzip` is taken. At most 10,000 views and 8 MiB (unpacked) a request. Answered when ' +
      'they are safe: whoever gets no answer sends them again under the same `Idempotency-Key`.',
    schemas: {
      params: ProjectParams,
      headers: Type.Object({
        'idempotency-key': Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 255,
            description: 'What comes again under the same key within a week is not counted again.',
          }),
        ),
      }),
      body: ViewEvents,
      responses: { 200: IngestedViews },
    },
    reads: {
      maxBytes: 8 * 1024 * 1024,
      mayBePacked: true,
      forms: { 'application/json': readJsonEvents, 'application/x-ndjson': readNdjsonEvents },
    },
    async handle({ projectId, body, headers }) {
      const site = await knownSites.ofProject(projectId)
      const seen = asSeen(body.views, new Date())
      const { views, dropped, examples } = siftRequests(seen, { site, clientDetector, source: 'servers' })
      const idempotencyKey = headers['idempotency-key']
      const outcome = await viewBuffer.append({
        projectId,
        shard: site.shard,
        source: 'servers',
        countsHumans: site.settings.humanSource === 'servers',
        deliveryId: idempotencyKey === undefined ? undefined : { text: `ingest ${idempotencyKey}`, keep: 'a week' },
        views,
      })
      if (outcome === 'taken')
        sourceNotes.note({ projectId, source: 'servers', counted: views.length, dropped, examples })
      return respond(200, { counted: views.length, dropped, isDuplicate: outcome === 'repeated' })
    },
  })
}

function* asSeen(events: ViewEvents['views'], receivedAt: Date): Iterable<SeenRequest> {
  for (const { path, userAgent, at, method = 'GET', status = 200, accept = '', prefetch = false } of events) {
    const time = at === undefined ? receivedAt : timeOfView(timeOfEvent(at) ?? receivedAt, receivedAt)
    yield { path, userAgent, method, status, accept, prefetch, at: time }
  }
}
