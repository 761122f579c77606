import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  clampToRetention,
  type MillisecondSpan,
  splitByDay,
  splitByMonth,
  splitByQuarterHour,
  toMillisecondSpan,
} from './time-range.ts'

const moment = fc.oneof(
  fc.integer({ min: 1, max: Date.UTC(2099, 0) }),
  fc.integer({ min: 1, max: 40_000 }).map((days) => days * 86_400_000),
  fc.integer({ min: 1, max: 1_200 }).map((months) => Date.UTC(1970, months)),
)
const bound = fc.option(moment, { nil: undefined })

const toDate = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms))

test.each([
  ['quarter-hours', splitByQuarterHour, (ms: number) => ms % 900_000 === 0],
  ['days', splitByDay, (ms: number) => ms % 86_400_000 === 0],
  ['months', splitByMonth, (ms: number) => new Date(ms).toISOString().endsWith('-01T00:00:00.000Z')],
])('splits a range into whole %s and shorter remainders at the edges, without gaps or overlaps', (_, split, isEdge) => {
  fc.assert(
    fc.property(bound, bound, (from, to) => {
      fc.pre(from === undefined || to === undefined || from < to)
      const span = toMillisecondSpan({ from: toDate(from), to: toDate(to) })
      const { wholeUnits, remainder } = split(span)
      const parts: MillisecondSpan[] = [...wholeUnits, ...remainder].sort(([a], [b]) => a - b)
      expect(parts[0]?.[0]).toBe(span[0])
      expect(parts.at(-1)?.[1]).toBe(span[1])
      for (const [index, [start]] of parts.slice(1).entries()) expect(start).toBe(parts[index]?.[1])
      for (const edge of wholeUnits.flat()) if (Number.isFinite(edge)) expect(isEdge(edge)).toBe(true)
      for (const [start, end] of remainder) expect(end - start).toBeLessThan(31 * 86_400_000)
    }),
  )
})

test('treats dates that no view can have as no bound', () => {
  expect(toMillisecondSpan({ from: new Date('0001-01-01T00:00:00Z'), to: new Date('9999-12-31T23:59:59Z') })).toEqual([
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ])
  const [from, to] = toMillisecondSpan({ from: new Date('0001-01-01T00:00:00Z'), to: new Date('0002-01-01T00:00:00Z') })
  expect([from, to]).toEqual([Number.NEGATIVE_INFINITY, 0])
})

test.each([
  ['2026-03-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
  ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  ['2026-01-15T00:00:00.000Z', '2025-12-01T00:00:00.000Z'],
])('at %s, a retention of one month starts at %s', (now, start) => {
  const range = clampToRetention({ from: undefined, to: undefined }, 1, new Date(now))
  expect(range.from?.toISOString()).toBe(start)
  const later = new Date('2026-03-30T00:00:00Z')
  expect(clampToRetention({ from: later, to: undefined }, 1, new Date(now)).from).toEqual(later)
  expect(clampToRetention({ from: undefined, to: undefined }, null, new Date(now)).from).toBeUndefined()
})
