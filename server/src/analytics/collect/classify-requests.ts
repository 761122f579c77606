/** Classifies the requests that a source reported: returns the page views among them, and the number of drops per reason. */
import { type CountingSource, classifyRequest, type SiteRequest } from '../classify/classify-request.ts'
import type { ClientDetector } from '../classify/client-detector.ts'
import type { DropReason } from '../classify/drop-reason.ts'
import type { AnalyticsSite } from '../settings/analytics-settings-store.ts'
import type { View } from './view.ts'

export interface ObservedRequest extends Omit<SiteRequest, 'source'> {
  at: Date | 'too_old'
}

export type DropCounts = Partial<Record<DropReason, number>>

/** The path is without its query, which may hold personal data. */
export interface DroppedEvent {
  path: string
  reason: DropReason
}

export interface ClassifiedRequests {
  views: View[]
  dropped: DropCounts
  /** The first few dropped requests. */
  examples: DroppedEvent[]
}

const maxExamples = 5
const maxExampleCharacters = 200

export function classifyRequests(
  requests: Iterable<ObservedRequest>,
  {
    site,
    clientDetector,
    source,
    importId = '',
  }: { site: AnalyticsSite; clientDetector: ClientDetector; source: CountingSource; importId?: string },
): ClassifiedRequests {
  const views: View[] = []
  const dropped: DropCounts = {}
  const examples: DroppedEvent[] = []
  const rule = { clientDetector, humanSource: site.settings.humanSource }
  for (const { at, ...request } of requests) {
    const classified = classifyRequest({ ...request, source }, rule)
    const reason = !classified.counted ? classified.reason : at === 'too_old' ? at : undefined
    if (reason !== undefined) {
      dropped[reason] = (dropped[reason] ?? 0) + 1
      if (examples.length < maxExamples) examples.push({ path: toExamplePath(request.path), reason })
    }
    if (!classified.counted || at === 'too_old') continue
    views.push({
      projectId: site.projectId,
      at,
      path: classified.path,
      class: classified.class,
      client: classified.client,
      userAgent: classified.userAgent,
      surface: classified.surface,
      acceptsMarkdown: classified.acceptsMarkdown,
      ruleVersion: clientDetector.version,
      source,
      importId,
      views: 1,
    })
  }
  return { views, dropped, examples }
}

/** PostgreSQL accepts neither NUL nor lone surrogates. */
const toExamplePath = (path: string): string =>
  path
    .replace(/[?#].*$/s, '')
    .slice(0, maxExampleCharacters)
    .replaceAll('\0', '\uFFFD')
    .toWellFormed()
