/** Ranges whose edges lie where a mistake would show: at views themselves, at days, months and quarters of an hour. */
import { pick } from './site-pages.ts'
import type { AiMeaning, Range, ViewModel } from './view-model.ts'
import { randomMoment, type TimeSpan } from './view-times.ts'

type Random = () => number

export interface AskedRange {
  range: Range
  /** `dateFrom=…&dateTo=…` as a caller would write it. */
  query: string
  /** Undefined: as the project has it. */
  ai: AiMeaning | undefined
}

export const everything: Range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

export function randomRange(model: ViewModel, span: TimeSpan, stillMs: readonly number[], random: Random): AskedRange {
  const ai = pick(['all', 'assistants', undefined] as const, random)
  for (;;) {
    const [from, to] = [randomEdge(), randomEdge()].map((ms) => atStillMoment(ms, stillMs)).sort((a, b) => a - b)
    if (from === undefined || to === undefined || from === to) continue
    const hasFrom = random() < 0.92
    const hasTo = random() < 0.92
    const bounds = [hasFrom && `dateFrom=${writeEdge(from, random)}`, hasTo && `dateTo=${writeEdge(to, random)}`]
    return {
      range: { fromMs: hasFrom ? from : everything.fromMs, toMs: hasTo ? to : everything.toMs },
      query: bounds.filter((bound) => bound !== false).join('&'),
      ai,
    }
  }

  function randomEdge(): number {
    const choice = random()
    if (choice < 0.35) return model.momentOf(Math.floor(random() * model.size)) + Math.floor(random() * 3) - 1
    if (choice < 0.45) return pick(stillMs, random)
    if (choice < 0.5) return span.nowMs + Math.floor(random() * 1e10)
    return randomMoment(span, random)
  }
}

/** In the time of the run only these moments are known to be between views. */
function atStillMoment(ms: number, stillMs: readonly number[]): number {
  const first = stillMs[0] ?? 0
  const last = stillMs.at(-1) ?? 0
  if (ms < first || ms > last) return ms
  return stillMs.reduce((nearest, still) => (Math.abs(still - ms) < Math.abs(nearest - ms) ? still : nearest))
}

const dayMs = 24 * 3600 * 1000

function writeEdge(ms: number, random: Random): string {
  const text = new Date(ms).toISOString()
  if (ms % dayMs === 0 && random() < 0.5) return text.slice(0, 10)
  if (random() < 0.8) return text
  return encodeURIComponent(new Date(ms + 5.5 * 3600 * 1000).toISOString().replace('Z', '+05:30'))
}
