/** Moments at which an off-by-one would show: the edges of days, months and quarters of an hour, to the millisecond. */
type Random = () => number

const quarterHourMs = 15 * 60 * 1000
const dayMs = 24 * 3600 * 1000
export const countedMonths = 13

/** Everything that a sender may tell of at `nowMs`, for as long as a proof runs. */
export interface TimeSpan {
  oldestMs: number
  nowMs: number
}

const longestRunMs = 3 * 3600 * 1000

export function spanBefore(nowMs: number): TimeSpan {
  return { oldestMs: tooOldBefore(nowMs) + longestRunMs, nowMs }
}

/** Now, and at every later moment. */
export function tooOldBefore(nowMs: number): number {
  const oldest = new Date(nowMs)
  oldest.setUTCMonth(oldest.getUTCMonth() - countedMonths)
  return oldest.getTime()
}

/** In the span, its end not included. */
export function randomMoment({ oldestMs, nowMs }: TimeSpan, random: Random): number {
  const anyMs = oldestMs + Math.floor(random() * (nowMs - oldestMs))
  const nearMs = Math.floor(random() * 5) - 2
  const choice = random()
  const moment =
    choice < 0.4
      ? anyMs
      : choice < 0.6
        ? Math.floor(anyMs / dayMs) * dayMs + nearMs
        : choice < 0.75
          ? startOfMonth(anyMs) + nearMs
          : choice < 0.85
            ? Math.floor(anyMs / quarterHourMs) * quarterHourMs + nearMs
            : nowMs - Math.floor(random() * 3 * dayMs)
  return Math.min(Math.max(moment, oldestMs), nowMs - 1)
}

function startOfMonth(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth())
}
