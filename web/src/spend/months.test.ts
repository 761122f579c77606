import { expect, test } from 'vitest'
import { formatMonth, listDays, listMonths } from './months.ts'

test('lists months across a year, newest first', () => {
  expect(listMonths(new Date('2026-02-28T23:59:59Z'), 4)).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
  expect(formatMonth('2026-02')).toBe('February 2026')
})

test('lists all days of a month', () => {
  expect(listDays('2028-02')).toHaveLength(29)
  expect(listDays('2026-11').at(0)).toBe('2026-11-01')
  expect(listDays('2026-11').at(-1)).toBe('2026-11-30')
})
