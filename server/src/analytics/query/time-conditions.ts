/** Time conditions for ClickHouse queries. They are built from numbers, never from text of a caller. */
import type { Span } from './time-range.ts'

export const withinSpans = (column: string, spans: readonly Span[], toLiteral: (ms: number) => string): string =>
  spans.length === 0 ? 'false' : spans.map((span) => `(${between(column, span, toLiteral)})`).join(' OR ')

function between(column: string, [from, to]: Span, toLiteral: (ms: number) => string): string {
  const bounds = [
    Number.isFinite(from) && `${column} >= ${toLiteral(from)}`,
    Number.isFinite(to) && `${column} < ${toLiteral(to)}`,
  ].filter((bound) => bound !== false)
  return bounds.join(' AND ') || 'true'
}

export const momentLiteral = (ms: number) => `fromUnixTimestamp64Milli(${ms}, 'UTC')`
export const dayLiteral = (ms: number) => `toDate('${new Date(ms).toISOString().slice(0, 10)}')`
export const secondLiteral = (ms: number) => `toDateTime(${ms / 1000}, 'UTC')`
