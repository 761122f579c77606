import { expect, test } from 'vitest'
import { addDays, isCalendarDay, isTimeZone, startOfDay, toCalendarDay } from './zoned-days.ts'

test.each([
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  ['2026-01-01', 'Asia/Kathmandu', '2025-12-31T18:15:00.000Z'],
  ['2026-01-01', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z'],
  ['2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z'],
  ['2026-03-09', 'America/New_York', '2026-03-09T04:00:00.000Z'],
  ['2026-01-01', 'UTC', '2026-01-01T00:00:00.000Z'],
])('%s begins in %s at %s', (day, zone, expected) => {
  const start = startOfDay(day, zone)
  expect(start.toISOString()).toBe(expected)
  expect(toCalendarDay(start, zone)).toBe(day)
  expect(toCalendarDay(new Date(start.getTime() - 1), zone)).toBe(addDays(day, -1))
})

test('validates days and time zones', () => {
  expect(['2026-02-28', '2026-02-30', '2026-2-1', 'yesterday'].map(isCalendarDay)).toEqual([true, false, false, false])
  expect(['Europe/Berlin', 'Mars', ''].map(isTimeZone)).toEqual([true, false, false])
})
