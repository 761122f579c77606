/** Requests that a source saw of a site, sifted: the views among them, and how many were dropped for what. */
import { type CountingSource, classify, type SiteRequest } from '../classify/classify.ts'
import type { ClientDetector } from '../classify/client-detector.ts'
import type { DropReason } from '../classify/drop-reason.ts'
import type { Site } from '../settings/settings-store.ts'
import type { View } from './view.ts'

export interface SeenRequest extends Omit<SiteRequest, 'source'> {
  at: Date | 'too_old'
}

export type Dropped = Partial<Record<DropReason, number>>

/** Without its query, where a site may have put anything about its reader. */
export interface DroppedEvent {
  path: string
  reason: DropReason
}

export interface Sifted {
  views: View[]
  dropped: Dropped
  /** The first few of the dropped ones. */
  examples: DroppedEvent[]
}

const maxExamples = 5
const maxExampleCharacters = 200

export function siftRequests(
  requests: Iterable<SeenRequest>,
  {
    site,
    clientDetector,
    source,
    importId = '',
  }: { site: Site; clientDetector: ClientDetector; source: CountingSource; importId?: string },
): Sifted {
  const views: View[] = []
  const dropped: Dropped = {}
  const examples: DroppedEvent[] = []
  const rule = { clientDetector, humanSource: site.settings.humanSource }
  for (const { at, ...request } of requests) {
    const seen = classify({ ...request, source }, rule)
    const reason = !seen.counted ? seen.reason : at === 'too_old' ? at : undefined
    if (reason !== undefined) {
      dropped[reason] = (dropped[reason] ?? 0) + 1
      if (examples.length < maxExamples) examples.push({ path: exampleOf(request.path), reason })
    }
    if (!seen.counted || at === 'too_old') continue
    views.push({
      projectId: site.projectId,
      at,
      path: seen.path,
      class: seen.class,
      client: seen.client,
      userAgent: seen.userAgent,
      surface: seen.surface,
      acceptsMarkdown: seen.acceptsMarkdown,
      ruleVersion: clientDetector.version,
      source,
      importId,
      views: 1,
    })
  }
  return { views, dropped, examples }
}

/** PostgreSQL takes neither NUL nor half a character. */
const exampleOf = (path: string): string =>
  path
    .replace(/[?#].*$/s, '')
    .slice(0, maxExampleCharacters)
    .replaceAll('\0', '\uFFFD')
    .toWellFormed()
