/** What senders send: batches of servers in every form the API takes, and beacons of browsers. */
import { gzipSync } from 'node:zlib'
import type { CountedClient } from './known-clients.ts'
import { type MadeRequest, makeReading, makeRequest, type Site } from './made-requests.ts'
import { pick } from './site-pages.ts'
import type { AiMeaning, ViewModel } from './view-model.ts'
import type { TimeSpan } from './view-times.ts'

type Random = () => number

export interface ExactProject extends Site {
  id: string
  key: string
  siteKey: string
  respectDoNotTrack: boolean
  /** Empty: anywhere. */
  allowedOrigins: readonly string[]
  /** What `ai` means where a caller does not say. */
  ai: AiMeaning
  /** What should be counted in it. */
  model: ViewModel
}

export interface DueView {
  path: string
  reader: CountedClient
  at: number | 'receipt'
}

export interface Delivery {
  project: ExactProject
  path: string
  headers: readonly string[]
  body: string | Buffer
  events: number
  /** What it adds, once. */
  due: readonly DueView[]
  /** Of views that were not counted, by reason. */
  dropped: Readonly<Record<string, number>>
  /** With which it is taken, or refused as a whole. */
  status: 200 | 204 | 400 | 403
}

/** The same with one event that is none: nothing of it may be counted. */
export const spoil = (batch: Delivery): Delivery => ({
  ...batch,
  headers: ['authorization', `Bearer ${batch.project.key}`, 'content-type', 'application/x-ndjson'],
  body: '{"path":"/docs","userAgent":"curl/8.7.1"}\n{"path":"/docs","userAgent":17}\n',
  due: [],
  dropped: {},
  status: 400,
})

/** Deliveries whose views count for the moment of their receipt have to keep out of still moments. */
export const tellsOfReceipt = ({ due }: Delivery): boolean => due.some(({ at }) => at === 'receipt')

const tellsAll = { accept: true, prefetch: true, unitMs: 1, takesOld: false } as const

export function makeBatch(project: ExactProject, span: TimeSpan, size: number, id: string, random: Random): Delivery {
  const receipts = random() < 0.08
  const requests = Array.from({ length: size }, () => makeRequest(project, span, { ...tellsAll, receipts }, random))
  const isLines = random() < 0.5
  const lines = requests.map((request) => describe(request, random))
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
    ...tally(requests),
  }
}

export function tally(requests: readonly MadeRequest[]): Pick<Delivery, 'due' | 'dropped'> {
  const due: DueView[] = []
  const dropped: Record<string, number> = {}
  for (const { outcome } of requests) {
    if ('dropped' in outcome) dropped[outcome.dropped] = (dropped[outcome.dropped] ?? 0) + 1
    else due.push(outcome)
  }
  return { due, dropped }
}

/** What is as usual may be left out. */
function describe({ target, userAgent, accept, method, status, prefetch, atMs }: MadeRequest, random: Random): string {
  const saysAll = random() < 0.3
  return JSON.stringify({
    path: target,
    userAgent,
    ...(atMs !== undefined && { at: writeMoment(atMs, random) }),
    ...((saysAll || method !== 'GET') && { method }),
    ...((saysAll || status !== 200) && { status }),
    ...((saysAll || accept !== '') && { accept }),
    ...((saysAll || prefetch) && { prefetch }),
  })
}

/** The same moment may be written with another offset. */
function writeMoment(ms: number, random: Random): string {
  if (random() < 0.9) return new Date(ms).toISOString()
  const offsetHours = pick([-9, -1, 2, 11], random)
  const sign = offsetHours < 0 ? '-' : '+'
  const offset = `${sign}${String(Math.abs(offsetHours)).padStart(2, '0')}:00`
  return new Date(ms + offsetHours * 3600 * 1000).toISOString().replace('Z', offset)
}

/** A browser sends what it sends: the page by its address, the reader by the request's own header. */
export function makeBeacon(project: ExactProject, id: string, random: Random): Delivery {
  const { target, userAgent, path, reader } = makeReading(project, false, random)
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
  const isStray = project.allowedOrigins.length > 0 && random() < 0.05
  const origins = project.allowedOrigins.length > 0 && !isStray ? project.allowedOrigins : ['https://anywhere.example']
  const obeyed = optsOut && project.respectDoNotTrack
  const isCounted = reader.class === 'human' && project.humanSource === 'script' && !obeyed && !isStray
  const asJson = random() < 0.2
  return {
    status: isStray ? 403 : 204,
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
    due: isCounted ? [{ path, reader, at: 'receipt' }] : [],
    dropped: {},
  }
}
