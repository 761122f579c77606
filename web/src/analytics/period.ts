/** The period that a page shows, and the previous one to compare it with, as parameters of the API. */
import type { AnalyticsSearchParams, RangeName } from './search.ts'
import { addDays, type CalendarDay, daysBetween, readBrowserTimeZone, startOfDay, toCalendarDay } from './zoned-days.ts'

export interface DateRange {
  dateFrom: string
  /** The end of the last day, even if it is in the future, so that the range stays the same while the page is open. */
  dateTo: string
}

export interface Period {
  dates: DateRange
  /** Has the same length. For an ongoing period, only the part that corresponds to the elapsed time. */
  previous: DateRange
  interval: 'hour' | 'day' | 'week' | 'month'
  zone: string
  /** First and last day. */
  days: [CalendarDay, CalendarDay]
  /** The previous period in a sentence, for example "the previous 28 days". */
  previousLabel: string
  isOngoing: boolean
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

export const resolveRangeName = ({ range = defaultRange, from, to }: AnalyticsSearchParams): RangeName =>
  range === 'custom' && (from === undefined || to === undefined || from > to) ? defaultRange : range

export function toPeriod(search: AnalyticsSearchParams, now: Date): Period {
  const zone = search.zone ?? readBrowserTimeZone()
  const today = toCalendarDay(now, zone)
  const range = resolveRangeName(search)
  const [first, last] = range === 'custom' ? [search.from ?? today, search.to ?? today] : lastDays(range, today)
  const dayCount = daysBetween(first, last) + 1
  const end = startOfDay(addDays(last, 1), zone)
  const isOngoing = end > now
  const previousStart = startOfDay(addDays(first, -dayCount), zone)
  const previousEnd = isOngoing
    ? new Date(now.getTime() - dayCount * 86_400_000)
    : startOfDay(addDays(last, 1 - dayCount), zone)
  return {
    dates: { dateFrom: startOfDay(first, zone).toISOString(), dateTo: end.toISOString() },
    previous: {
      dateFrom: previousStart.toISOString(),
      dateTo: new Date(Math.max(previousEnd.getTime(), previousStart.getTime() + 1)).toISOString(),
    },
    interval: dayCount <= 2 ? 'hour' : dayCount <= 120 ? 'day' : dayCount <= 800 ? 'week' : 'month',
    zone,
    days: [first, last],
    previousLabel: `the previous ${range === '12m' ? '12 months' : dayCount === 1 ? 'day' : `${dayCount} days`}`,
    isOngoing,
  }
}

const lastDays = (range: keyof typeof lengthDays, today: CalendarDay): [CalendarDay, CalendarDay] => [
  addDays(today, 1 - lengthDays[range]),
  today,
]

/** The start of an interval, for an axis or a table row. */
export function formatIntervalStart(at: string, { interval, zone, days: [first, last] }: Period): string {
  const date = new Date(at)
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }).format(date)
  switch (interval) {
    case 'hour':
      // In a range of two days, every hour occurs twice.
      return format({ ...(first !== last && { weekday: 'short' }), hour: '2-digit', minute: '2-digit' })
    case 'day':
      return format({ day: 'numeric', month: 'short' })
    case 'week':
      return format({ day: 'numeric', month: 'short', year: '2-digit' })
    case 'month':
      return format({ month: 'short', year: 'numeric' })
  }
}

export function formatDayRange([first, last]: [CalendarDay, CalendarDay]): string {
  const format = (day: CalendarDay) =>
    new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  return first === last ? format(first) : `${format(first)} – ${format(last)}`
}
