/** Ranges with boundaries where a mistake would show: at views, and at the start of days, months and quarter hours. */

import type { AiScope, Range, ReferenceModel } from './reference-model.ts'
import { pick } from './site-pages.ts'
import { type ReportableTimeSpan, randomTime } from './view-times.ts'

type Random = () => number

export interface RangeQuery {
  range: Range
  /** `dateFrom=…&dateTo=…` as a caller could write it. */
  query: string
  /** Undefined for the project's default. */
  aiScope: AiScope | undefined
}

export const allTime: Range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

export function randomRange(
  model: ReferenceModel,
  span: ReportableTimeSpan,
  quietMs: readonly number[],
  random: Random,
): RangeQuery {
  const aiScope = pick(['all', 'assistants', undefined] as const, random)
  for (;;) {
    const [from, to] = [randomBoundary(), randomBoundary()]
      .map((ms) => nearestQuietMoment(ms, quietMs))
      .sort((a, b) => a - b)
    if (from === undefined || to === undefined || from === to) continue
    const hasFrom = random() < 0.92
    const hasTo = random() < 0.92
    const bounds = [
      hasFrom && `dateFrom=${formatBoundary(from, random)}`,
      hasTo && `dateTo=${formatBoundary(to, random)}`,
    ]
    return {
      range: { fromMs: hasFrom ? from : allTime.fromMs, toMs: hasTo ? to : allTime.toMs },
      query: bounds.filter((bound) => bound !== false).join('&'),
      aiScope,
    }
  }

  function randomBoundary(): number {
    const choice = random()
    if (choice < 0.35) return model.viewTimeMs(Math.floor(random() * model.size)) + Math.floor(random() * 3) - 1
    if (choice < 0.45) return pick(quietMs, random)
    if (choice < 0.5) return span.nowMs + Math.floor(random() * 1e10)
    return randomTime(span, random)
  }
}

/** During the run only the quiet moments are certain to be between views. */
function nearestQuietMoment(ms: number, quietMs: readonly number[]): number {
  const first = quietMs[0] ?? 0
  const last = quietMs.at(-1) ?? 0
  if (ms < first || ms > last) return ms
  return quietMs.reduce((nearest, quiet) => (Math.abs(quiet - ms) < Math.abs(nearest - ms) ? quiet : nearest))
}

const dayMs = 24 * 3600 * 1000

function formatBoundary(ms: number, random: Random): string {
  const text = new Date(ms).toISOString()
  if (ms % dayMs === 0 && random() < 0.5) return text.slice(0, 10)
  if (random() < 0.8) return text
  return encodeURIComponent(new Date(ms + 5.5 * 3600 * 1000).toISOString().replace('Z', '+05:30'))
}
