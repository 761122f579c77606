/** Time conditions for ClickHouse queries. They are built from numbers, never from text of a caller. */
import type { MillisecondSpan } from './time-range.ts'

export const buildSpansCondition = (
  column: string,
  spans: readonly MillisecondSpan[],
  toLiteral: (ms: number) => string,
): string => (spans.length === 0 ? 'false' : spans.map((span) => `(${between(column, span, toLiteral)})`).join(' OR '))

function between(column: string, [from, to]: MillisecondSpan, toLiteral: (ms: number) => string): string {
  const bounds = [
    Number.isFinite(from) && `${column} >= ${toLiteral(from)}`,
    Number.isFinite(to) && `${column} < ${toLiteral(to)}`,
  ].filter((bound) => bound !== false)
  return bounds.join(' AND ') || 'true'
}

export const formatDateTime64Literal = (ms: number) => `fromUnixTimestamp64Milli(${ms}, 'UTC')`
export const formatDateLiteral = (ms: number) => `toDate('${new Date(ms).toISOString().slice(0, 10)}')`
export const formatDateTimeLiteral = (ms: number) => `toDateTime(${ms / 1000}, 'UTC')`
