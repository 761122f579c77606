import { expect, test } from 'vitest'
import { findFirstFullyMeasuredDay, isBeforeMeasurement, toMeasuredSince } from './measured-since.ts'

test('returns the later of the two days', () => {
  expect(findFirstFullyMeasuredDay({ human: '2026-03-01', ai: '2026-05-05' })).toBe('2026-05-05')
  expect(findFirstFullyMeasuredDay({ human: '2026-06-01', ai: '2026-05-05' })).toBe('2026-06-01')
  expect(findFirstFullyMeasuredDay(toMeasuredSince({ human: null, ai: '2026-05-05' }))).toBeUndefined()
})

test('an interval that reaches into the first measured day counts as measured', () => {
  expect(isBeforeMeasurement('2026-05-01T00:00:00Z', 'day', '2026-05-05')).toBe(true)
  expect(isBeforeMeasurement('2026-05-04T00:00:00Z', 'day', '2026-05-05')).toBe(false)
  expect(isBeforeMeasurement('2026-05-01T00:00:00Z', 'week', '2026-05-05')).toBe(false)
  expect(isBeforeMeasurement('2026-05-01T00:00:00Z', 'day', undefined)).toBe(false)
})
