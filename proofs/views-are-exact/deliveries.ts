/** Deliveries: batches from servers in every form that the API accepts, and beacons from browsers. */
import { gzipSync } from 'node:zlib'
import {
  type GeneratedRequest,
  type GeneratedSite,
  generatePageRequest,
  generateRequest,
} from './generated-requests.ts'
import type { CountedClient } from './known-clients.ts'
import type { AiScope, ReferenceModel } from './reference-model.ts'
import { pick } from './site-pages.ts'
import type { ReportableTimeSpan } from './view-times.ts'

type Random = () => number

export interface ViewsProject extends GeneratedSite {
  id: string
  key: string
  siteKey: string
  respectDoNotTrack: boolean
  /** Empty: any origin. */
  allowedOrigins: readonly string[]
  /** The default for callers that give none. */
  aiScope: AiScope
  /** The views that should be counted in the project. */
  model: ReferenceModel
}

export interface ExpectedView {
  path: string
  client: CountedClient
  at: number | 'receipt'
}

export interface Delivery {
  project: ViewsProject
  path: string
  headers: readonly string[]
  body: string | Buffer
  events: number
  /** The views that it adds, once. */
  expectedViews: readonly ExpectedView[]
  /** Number of requests that are not counted, by drop reason. */
  dropped: Readonly<Record<string, number>>
  /** The expected status: accepted, or rejected as a whole. */
  status: 200 | 204 | 400 | 403
}

/** The same batch with an invalid event: nothing of it may be counted. */
export const withInvalidEvent = (batch: Delivery): Delivery => ({
  ...batch,
  headers: ['authorization', `Bearer ${batch.project.key}`, 'content-type', 'application/x-ndjson'],
  body: '{"path":"/docs","userAgent":"curl/8.7.1"}\n{"path":"/docs","userAgent":17}\n',
  expectedViews: [],
  dropped: {},
  status: 400,
})

/** Deliveries with views that count at their receipt must not be in flight at a quiet moment. */
export const countsAtReceipt = ({ expectedViews }: Delivery): boolean =>
  expectedViews.some(({ at }) => at === 'receipt')

const serverCapabilities = { accept: true, prefetch: true, unitMs: 1, acceptsOld: false } as const

export function generateBatch(
  project: ViewsProject,
  span: ReportableTimeSpan,
  size: number,
  id: string,
  random: Random,
): Delivery {
  const receipts = random() < 0.08
  const requests = Array.from({ length: size }, () =>
    generateRequest(project, span, { ...serverCapabilities, receipts }, random),
  )
  const isLines = random() < 0.5
  const lines = requests.map((request) => formatRequest(request, random))
  const text = isLines ? lines.join('\n') + pick(['', '\n'], random) : `{"views":[${lines.join(',')}]}`
  const isCompressed = random() < 0.5
  return {
    status: 200,
    project,
    path: `/v1/ingest/${project.id}/views`,
    headers: [
      'authorization',
      `Bearer ${project.key}`,
      'idempotency-key',
      id,
      'content-type',
      isLines ? 'application/x-ndjson' : 'application/json',
      ...(isCompressed ? ['content-encoding', 'gzip'] : []),
    ],
    body: isCompressed ? gzipSync(text, { level: 1 }) : text,
    events: size,
    ...summarizeOutcomes(requests),
  }
}

export function summarizeOutcomes(requests: readonly GeneratedRequest[]): Pick<Delivery, 'expectedViews' | 'dropped'> {
  const expectedViews: ExpectedView[] = []
  const dropped: Record<string, number> = {}
  for (const { outcome } of requests) {
    if ('dropped' in outcome) dropped[outcome.dropped] = (dropped[outcome.dropped] ?? 0) + 1
    else expectedViews.push(outcome)
  }
  return { expectedViews, dropped }
}

/** Values that equal their default may be omitted. */
function formatRequest(
  { target, userAgent, accept, method, status, prefetch, atMs }: GeneratedRequest,
  random: Random,
): string {
  const includesDefaults = random() < 0.3
  return JSON.stringify({
    path: target,
    userAgent,
    ...(atMs !== undefined && { at: formatTime(atMs, random) }),
    ...((includesDefaults || method !== 'GET') && { method }),
    ...((includesDefaults || status !== 200) && { status }),
    ...((includesDefaults || accept !== '') && { accept }),
    ...((includesDefaults || prefetch) && { prefetch }),
  })
}

/** Sometimes with another UTC offset. */
function formatTime(ms: number, random: Random): string {
  if (random() < 0.9) return new Date(ms).toISOString()
  const offsetHours = pick([-9, -1, 2, 11], random)
  const sign = offsetHours < 0 ? '-' : '+'
  const offset = `${sign}${String(Math.abs(offsetHours)).padStart(2, '0')}:00`
  return new Date(ms + offsetHours * 3600 * 1000).toISOString().replace('Z', offset)
}

/** A beacon identifies the page by its URL and the client by the User-Agent header. */
export function generateBeacon(project: ViewsProject, id: string, random: Random): Delivery {
  const { target, userAgent, path, client } = generatePageRequest(project, false, random)
  const optsOut = random() < 0.1
  const optOut = optsOut
    ? pick(
        [
          ['dnt', '1'],
          ['sec-gpc', '1'],
        ] as const,
        random,
      )
    : []
  const isForeignOrigin = project.allowedOrigins.length > 0 && random() < 0.05
  const origins =
    project.allowedOrigins.length > 0 && !isForeignOrigin ? project.allowedOrigins : ['https://anywhere.example']
  const isOptOutRespected = optsOut && project.respectDoNotTrack
  const isCounted =
    client.class === 'human' && project.humanSource === 'script' && !isOptOutRespected && !isForeignOrigin
  const asJson = random() < 0.2
  return {
    status: isForeignOrigin ? 403 : 204,
    project,
    path: '/v1/collect',
    headers: [
      'content-type',
      asJson ? 'application/json' : 'text/plain;charset=UTF-8',
      'origin',
      pick(origins, random),
      'user-agent',
      /^[ -~]+$/.test(userAgent) ? userAgent : 'docs-reader 3',
      ...optOut,
    ],
    body: JSON.stringify({ key: project.siteKey, id, path: target }),
    events: 1,
    expectedViews: isCounted ? [{ path, client, at: 'receipt' }] : [],
    dropped: {},
  }
}
