/** A time range, exact to the millisecond, and the parts of it that can be read from sums. All in UTC. */
export interface TimeRange {
  /** Undefined: no lower bound. */
  from: Date | undefined
  /** Exclusive. Undefined: no upper bound. */
  to: Date | undefined
}

/** In milliseconds, without the end. Infinite where there is no bound. */
export type MillisecondSpan = readonly [fromMs: number, toMs: number]

export interface SplitMillisecondSpan {
  /** Whole units, which are in a table of sums. */
  wholeUnits: MillisecondSpan[]
  /** The remainders at the edges. */
  remainder: MillisecondSpan[]
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
export const quarterHourMs = 15 * minuteMs

/** There are no views outside these bounds, and ClickHouse's dates do not reach much further. */
const earliestMs = 0
const latestMs = Date.UTC(2100, 0)

export function toMillisecondSpan({ from, to }: TimeRange): MillisecondSpan {
  const fromMs = from === undefined || from.getTime() <= earliestMs ? Number.NEGATIVE_INFINITY : from.getTime()
  const toMs = to === undefined || to.getTime() > latestMs ? Number.POSITIVE_INFINITY : to.getTime()
  return [Math.min(fromMs, latestMs), Math.max(toMs, earliestMs)]
}

/** Restricts a range to a project's retention: older views are not returned, whether or not they are deleted yet. */
export function clampToRetention(range: TimeRange, retentionMonths: number | null, now: Date): TimeRange {
  if (retentionMonths === null) return range
  const retainedFrom = startOfRetention(retentionMonths, now)
  return { ...range, from: range.from && range.from > retainedFrom ? range.from : retainedFrom }
}

const startOfRetention = (months: number, now: Date) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))

interface Unit {
  floor(ms: number): number
  ceil(ms: number): number
}

const fixedUnit = (unitMs: number): Unit => ({
  floor: (ms) => Math.floor(ms / unitMs) * unitMs,
  ceil: (ms) => Math.ceil(ms / unitMs) * unitMs,
})

const month: Unit = {
  floor: (ms) => startOfMonth(ms, 0),
  ceil: (ms) => (startOfMonth(ms, 0) === ms ? ms : startOfMonth(ms, 1)),
}

function startOfMonth(ms: number, monthsLater: number): number {
  if (!Number.isFinite(ms)) return ms
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + monthsLater)
}

export const splitByQuarterHour = (span: MillisecondSpan) => split(span, fixedUnit(quarterHourMs))
export const splitByDay = (span: MillisecondSpan) => split(span, fixedUnit(dayMs))
export const splitByMonth = (span: MillisecondSpan) => split(span, month)

function split([from, to]: MillisecondSpan, unit: Unit): SplitMillisecondSpan {
  const first = Math.min(unit.ceil(from), to)
  const last = Math.max(unit.floor(to), first)
  const edges: MillisecondSpan[] = [
    [from, first],
    [last, to],
  ]
  return { wholeUnits: first < last ? [[first, last]] : [], remainder: edges.filter(([start, end]) => start < end) }
}
