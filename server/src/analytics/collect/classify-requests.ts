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

export const maxExamples = 5
const maxExampleCharacters = 200

export interface ClassificationRule {
  site: AnalyticsSite
  clientDetector: ClientDetector
  source: CountingSource
  importId?: string
}

export function classifyRequests(requests: Iterable<ObservedRequest>, rule: ClassificationRule): ClassifiedRequests {
  const views: View[] = []
  const dropped: DropCounts = {}
  const examples: DroppedEvent[] = []
  for (const request of requests) {
    const view = classifyObservedRequest(request, rule)
    if (typeof view !== 'string') views.push(view)
    else {
      dropped[view] = (dropped[view] ?? 0) + 1
      if (examples.length < maxExamples) examples.push(toDroppedEvent(request, view))
    }
  }
  return { views, dropped, examples }
}

/** Returns the page view, or why there is none. */
export function classifyObservedRequest(
  { at, ...request }: ObservedRequest,
  { site, clientDetector, source, importId = '' }: ClassificationRule,
): View | DropReason {
  const rule = { clientDetector, humanSource: site.settings.humanSource }
  const classified = classifyRequest({ ...request, source }, rule)
  if (!classified.counted) return classified.reason
  if (at === 'too_old') return at
  return {
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
  }
}

/** PostgreSQL accepts neither NUL nor lone surrogates. */
export const toDroppedEvent = ({ path }: Pick<ObservedRequest, 'path'>, reason: DropReason): DroppedEvent => ({
  path: path
    .replace(/[?#].*$/s, '')
    .slice(0, maxExampleCharacters)
    .replaceAll('\0', '\uFFFD')
    .toWellFormed(),
  reason,
})
