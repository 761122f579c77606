import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keptRange, type Span, spanOf, splitByDay, splitByMonth, splitByQuarterHour } from './time-range.ts'

const moment = fc.oneof(
  fc.integer({ min: 1, max: Date.UTC(2099, 0) }),
  fc.integer({ min: 1, max: 40_000 }).map((days) => days * 86_400_000),
  fc.integer({ min: 1, max: 1_200 }).map((months) => Date.UTC(1970, months)),
)
const bound = fc.option(moment, { nil: undefined })

const asDate = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms))

test.each([
  ['a quarter of an hour', splitByQuarterHour, (ms: number) => ms % 900_000 === 0],
  ['a day', splitByDay, (ms: number) => ms % 86_400_000 === 0],
  ['a month', splitByMonth, (ms: number) => new Date(ms).toISOString().endsWith('-01T00:00:00.000Z')],
])('a range is whole parts of %s and less than that at each edge, without gaps or overlaps', (_, split, isEdge) => {
  fc.assert(
    fc.property(bound, bound, (from, to) => {
      fc.pre(from === undefined || to === undefined || from < to)
      const span = spanOf({ from: asDate(from), to: asDate(to) })
      const { whole, rest } = split(span)
      const pieces: Span[] = [...whole, ...rest].sort(([a], [b]) => a - b)
      expect(pieces[0]?.[0]).toBe(span[0])
      expect(pieces.at(-1)?.[1]).toBe(span[1])
      for (const [index, [start]] of pieces.slice(1).entries()) expect(start).toBe(pieces[index]?.[1])
      for (const edge of whole.flat()) if (Number.isFinite(edge)) expect(isEdge(edge)).toBe(true)
      for (const [start, end] of rest) expect(end - start).toBeLessThan(31 * 86_400_000)
    }),
  )
})

test('dates that no view can have are as good as none', () => {
  expect(spanOf({ from: new Date('0001-01-01T00:00:00Z'), to: new Date('9999-12-31T23:59:59Z') })).toEqual([
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ])
  const [from, to] = spanOf({ from: new Date('0001-01-01T00:00:00Z'), to: new Date('0002-01-01T00:00:00Z') })
  expect([from, to]).toEqual([Number.NEGATIVE_INFINITY, 0])
})

test.each([
  ['2026-03-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
  ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  ['2026-01-15T00:00:00.000Z', '2025-12-01T00:00:00.000Z'],
])('at %s one month is kept since %s', (now, since) => {
  const kept = keptRange({ from: undefined, to: undefined }, 1, new Date(now))
  expect(kept.from?.toISOString()).toBe(since)
  const later = new Date('2026-03-30T00:00:00Z')
  expect(keptRange({ from: later, to: undefined }, 1, new Date(now)).from).toEqual(later)
  expect(keptRange({ from: undefined, to: undefined }, null, new Date(now)).from).toBeUndefined()
})
