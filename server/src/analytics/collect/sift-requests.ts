/** Requests that a witness saw of a site, sifted: the views among them, and how many were dropped for what. */
import { classify, type SiteRequest, type Witness } from '../classify/classify.ts'
import type { DropReason } from '../classify/drop-reason.ts'
import type { Readers } from '../classify/readers.ts'
import type { Site } from '../settings/settings-store.ts'
import type { View } from './view.ts'

export interface SeenRequest extends Omit<SiteRequest, 'source' | 'verification'> {
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

const mostExamples = 5
const longestExampleCharacters = 200

const unverified = { kind: 'none' } as const

export function siftRequests(
  requests: Iterable<SeenRequest>,
  { site, readers, witness, importId = '' }: { site: Site; readers: Readers; witness: Witness; importId?: string },
): Sifted {
  const views: View[] = []
  const dropped: Dropped = {}
  const examples: DroppedEvent[] = []
  const rule = { readers, peopleCountedBy: site.settings.peopleCountedBy }
  for (const { at, ...request } of requests) {
    const seen = classify({ ...request, source: witness, verification: unverified }, rule)
    const reason = !seen.counted ? seen.reason : at === 'too_old' ? at : undefined
    if (reason !== undefined) {
      dropped[reason] = (dropped[reason] ?? 0) + 1
      if (examples.length < mostExamples) examples.push({ path: exampleOf(request.path), reason })
    }
    if (!seen.counted || at === 'too_old') continue
    views.push({
      projectId: site.projectId,
      at,
      path: seen.path,
      class: seen.class,
      agent: seen.agent,
      userAgent: seen.userAgent,
      surface: seen.surface,
      asksForMarkdown: seen.asksForMarkdown,
      verification: unverified.kind,
      ruleVersion: readers.version,
      source: witness,
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
    .slice(0, longestExampleCharacters)
    .replaceAll('\0', '\uFFFD')
    .toWellFormed()
