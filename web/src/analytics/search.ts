/** What the address of an analytics page says. Whatever somebody typed into it that is none of this is left out. */
import { isDay, isTimeZone } from './zoned-days.ts'

export const rangeNames = ['today', '7d', '28d', '90d', '12m', 'custom'] as const
export type RangeName = (typeof rangeNames)[number]

export interface AnalyticsSearch {
  range?: RangeName
  /** Of a custom range: its first and its last day. */
  from?: string
  to?: string
  /** The browser's unless said. */
  zone?: string
  ai?: 'all' | 'assistants'
  /** Of the list of pages: a text in their paths, and which page of the list, from 1. */
  q?: string
  list?: number
  /** Of one page in depth. */
  path?: string
}

export function readAnalyticsSearch(search: Record<string, unknown>): AnalyticsSearch {
  const text = (name: string, isGood: (value: string) => boolean = () => true) => {
    const value = search[name]
    // An address like `?q=2026` is read as a number.
    const read = typeof value === 'number' ? String(value) : value
    return typeof read === 'string' && read !== '' && isGood(read) ? { [name]: read } : {}
  }
  const list = Number(search.list)
  return {
    ...text('range', (value) => (rangeNames as readonly string[]).includes(value)),
    ...text('from', isDay),
    ...text('to', isDay),
    ...text('zone', isTimeZone),
    ...text('ai', (value) => value === 'all' || value === 'assistants'),
    ...text('q', (value) => value.length <= 200),
    ...text('path', (value) => value.length <= 1024),
    ...(Number.isInteger(list) && list > 1 && list <= 10_000 && { list }),
  }
}
