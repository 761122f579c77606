/** Times at which an off-by-one error would show: the boundaries of days, months and quarter hours, to the millisecond. */
type Random = () => number

const quarterHourMs = 15 * 60 * 1000
const dayMs = 24 * 3600 * 1000
export const maxAgeMonths = 13

/** The times that a sender may report throughout a run that starts at `nowMs`. */
export interface ReportableTimeSpan {
  oldestMs: number
  nowMs: number
}

const maxRunMs = 3 * 3600 * 1000

export function spanEndingAt(nowMs: number): ReportableTimeSpan {
  return { oldestMs: oldestAcceptedMs(nowMs) + maxRunMs, nowMs }
}

/** Views before this time are too old at `nowMs`, and at any later time. */
export function oldestAcceptedMs(nowMs: number): number {
  const oldest = new Date(nowMs)
  oldest.setUTCMonth(oldest.getUTCMonth() - maxAgeMonths)
  return oldest.getTime()
}

/** Within the span, whose end is exclusive. */
export function randomTime({ oldestMs, nowMs }: ReportableTimeSpan, random: Random): number {
  const anyMs = oldestMs + Math.floor(random() * (nowMs - oldestMs))
  const nearMs = Math.floor(random() * 5) - 2
  const choice = random()
  const time =
    choice < 0.4
      ? anyMs
      : choice < 0.6
        ? Math.floor(anyMs / dayMs) * dayMs + nearMs
        : choice < 0.75
          ? startOfMonth(anyMs) + nearMs
          : choice < 0.85
            ? Math.floor(anyMs / quarterHourMs) * quarterHourMs + nearMs
            : nowMs - Math.floor(random() * 3 * dayMs)
  return Math.min(Math.max(time, oldestMs), nowMs - 1)
}

function startOfMonth(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth())
}
