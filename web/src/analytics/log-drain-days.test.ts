import { expect, test } from 'vitest'
import { summarizeDays } from './log-drain-days.ts'

const now = new Date('2026-11-19T10:00:00Z')
const day = (date: string, more: object = {}) => ({
  day: date,
  counted: 5,
  repeated: 0,
  dropped: 1,
  ignored: 0,
  unreadable: 0,
  ...more,
})

test('counts the days since the first logs, and names those without logs', () => {
  const days = [day('2026-11-19'), day('2026-11-18'), day('2026-11-15')]
  expect(summarizeDays({ days, firstEventAt: '2026-11-15T23:00:00Z' }, now)).toEqual({
    measuredDays: 3,
    expectedDays: 5,
    missingDays: ['2026-11-17', '2026-11-16'],
    today: days[0],
    problem: undefined,
  })
})

test('looks back 30 days, and does not call today missing', () => {
  const summary = summarizeDays({ days: [], firstEventAt: '2025-01-01T00:00:00Z' }, now)
  expect([summary.measuredDays, summary.expectedDays, summary.missingDays.length]).toEqual([0, 30, 29])
})

test.each([
  ['unreadable', day('2026-11-18', { unreadable: 3 })],
  ['other hosts', day('2026-11-19', { counted: 0, dropped: 0, ignored: 9 })],
  [undefined, day('2026-11-19', { ignored: 9 })],
  [undefined, day('2026-11-19', { counted: 0, dropped: 0, ignored: 1 })],
  [undefined, day('2026-11-19', { counted: 1_000, unreadable: 3 })],
  [undefined, day('2026-11-10', { unreadable: 3 })],
] as const)('finds the problem %s', (problem, only) => {
  expect(summarizeDays({ days: [only], firstEventAt: null }, now).problem).toBe(problem)
})
