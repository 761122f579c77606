/** Conditions of ClickHouse queries on time. The numbers are ours, never text of a caller. */
import type { Span } from './time-range.ts'

export const during = (column: string, spans: readonly Span[], write: (ms: number) => string): string =>
  spans.length === 0 ? 'false' : spans.map((span) => `(${between(column, span, write)})`).join(' OR ')

function between(column: string, [from, to]: Span, write: (ms: number) => string): string {
  const bounds = [
    Number.isFinite(from) && `${column} >= ${write(from)}`,
    Number.isFinite(to) && `${column} < ${write(to)}`,
  ].filter((bound) => bound !== false)
  return bounds.join(' AND ') || 'true'
}

export const asMoment = (ms: number) => `fromUnixTimestamp64Milli(${ms}, 'UTC')`
export const asDay = (ms: number) => `toDate('${new Date(ms).toISOString().slice(0, 10)}')`
export const asSecond = (ms: number) => `toDateTime(${ms / 1000}, 'UTC')`
