/** The range of time that a page shows, and the one before it, in the terms of the API. */
import type { AnalyticsSearch, RangeName } from './search.ts'
import { addDays, browserZone, type Day, dayOf, daysBetween, startOfDay } from './zoned-days.ts'

export interface Dates {
  dateFrom: string
  /** Of a range that is still going on, the end of its last day: the next day is none of it, however long the page is open. */
  dateTo: string
}

export interface Period {
  dates: Dates
  /** As long as this one: of a range that is still going on, as much of it as has passed. */
  before: Dates
  interval: 'hour' | 'day' | 'week' | 'month'
  zone: string
  /** First and last. */
  days: [Day, Day]
  /** In a sentence: "than in … before". */
  lengthInWords: string
  isGoingOn: boolean
}

export const rangeLabels: Record<RangeName, string> = {
  today: 'Today',
  '7d': '7 days',
  '28d': '28 days',
  '90d': '90 days',
  '12m': '12 months',
  custom: 'Custom',
}

const defaultRange = '28d'
const lengthDays = { today: 1, '7d': 7, '28d': 28, '90d': 90, '12m': 365 } as const

export const rangeOf = ({ range = defaultRange, from, to }: AnalyticsSearch): RangeName =>
  range === 'custom' && (from === undefined || to === undefined || from > to) ? defaultRange : range

export function periodOf(search: AnalyticsSearch, now: Date): Period {
  const zone = search.zone ?? browserZone()
  const today = dayOf(now, zone)
  const range = rangeOf(search)
  const [first, last] = range === 'custom' ? [search.from ?? today, search.to ?? today] : lastDays(range, today)
  const dayCount = daysBetween(first, last) + 1
  const end = startOfDay(addDays(last, 1), zone)
  const isGoingOn = end > now
  const firstBefore = startOfDay(addDays(first, -dayCount), zone)
  const endBefore = isGoingOn
    ? new Date(now.getTime() - dayCount * 86_400_000)
    : startOfDay(addDays(last, 1 - dayCount), zone)
  return {
    dates: { dateFrom: startOfDay(first, zone).toISOString(), dateTo: end.toISOString() },
    before: {
      dateFrom: firstBefore.toISOString(),
      dateTo: new Date(Math.max(endBefore.getTime(), firstBefore.getTime() + 1)).toISOString(),
    },
    interval: dayCount <= 2 ? 'hour' : dayCount <= 120 ? 'day' : dayCount <= 800 ? 'week' : 'month',
    zone,
    days: [first, last],
    lengthInWords: range === '12m' ? 'the 12 months' : dayCount === 1 ? 'the day' : `the ${dayCount} days`,
    isGoingOn,
  }
}

const lastDays = (range: keyof typeof lengthDays, today: Day): [Day, Day] => [
  addDays(today, 1 - lengthDays[range]),
  today,
]

/** When a step begins, for an axis or a row. */
export function stepLabel(at: string, { interval, zone, days: [first, last] }: Period): string {
  const date = new Date(at)
  const write = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }).format(date)
  switch (interval) {
    case 'hour':
      // Of two days every hour comes twice.
      return write({ ...(first !== last && { weekday: 'short' }), hour: '2-digit', minute: '2-digit' })
    case 'day':
      return write({ day: 'numeric', month: 'short' })
    case 'week':
      return `${write({ day: 'numeric', month: 'short', year: '2-digit' })}`
    case 'month':
      return write({ month: 'short', year: 'numeric' })
  }
}

export function daysInWords([first, last]: [Day, Day]): string {
  const write = (day: Day) =>
    new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  return first === last ? write(first) : `${write(first)} – ${write(last)}`
}
