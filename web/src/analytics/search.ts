/** The query parameters of the analytics pages. Unknown and invalid ones are ignored. */
import { isCalendarDay, isTimeZone } from './zoned-days.ts'

export const rangeNames = ['today', '7d', '28d', '90d', '12m', 'custom'] as const
export type RangeName = (typeof rangeNames)[number]

export interface AnalyticsSearchParams {
  range?: RangeName
  /** First and last day of a custom range. */
  from?: string
  to?: string
  /** Time zone. Defaults to that of the browser. */
  zone?: string
  ai?: 'all' | 'assistants'
  /** Filters the list of pages by a text in their paths. `list` is the page of the list, from 1. */
  q?: string
  list?: number
  /** The path whose details are shown. */
  path?: string
}

export function parseAnalyticsSearchParams(search: Record<string, unknown>): AnalyticsSearchParams {
  const parameter = (name: string, isValid: (value: string) => boolean = () => true) => {
    const value = search[name]
    // The router parses `?q=2026` as a number.
    const text = typeof value === 'number' ? String(value) : value
    return typeof text === 'string' && text !== '' && isValid(text) ? { [name]: text } : {}
  }
  const list = Number(search.list)
  return {
    ...parameter('range', (value) => (rangeNames as readonly string[]).includes(value)),
    ...parameter('from', isCalendarDay),
    ...parameter('to', isCalendarDay),
    ...parameter('zone', isTimeZone),
    ...parameter('ai', (value) => value === 'all' || value === 'assistants'),
    ...parameter('q', (value) => value.length <= 200),
    ...parameter('path', (value) => value.length <= 1024),
    ...(Number.isInteger(list) && list > 1 && list <= 10_000 && { list }),
  }
}
