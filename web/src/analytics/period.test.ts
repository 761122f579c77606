import { expect, test } from 'vitest'
import { formatIntervalStart, toPeriod } from './period.ts'
import { parseAnalyticsSearchParams } from './search.ts'

const now = new Date('2026-11-15T15:30:00Z')

test('compares 28 days in a time zone with the same part of the previous 28 days', () => {
  expect(toPeriod({ zone: 'Europe/Berlin' }, now)).toMatchObject({
    dates: { dateFrom: '2026-10-18T22:00:00.000Z', dateTo: '2026-11-15T23:00:00.000Z' },
    previous: { dateFrom: '2026-09-20T22:00:00.000Z', dateTo: '2026-10-18T15:30:00.000Z' },
    interval: 'day',
    days: ['2026-10-19', '2026-11-15'],
    isOngoing: true,
  })
})

test('the previous period of a past custom range ends where the range begins', () => {
  const search = { range: 'custom', from: '2026-03-01', to: '2026-03-31', zone: 'UTC' } as const
  const period = toPeriod(search, now)
  expect(period.dates).toEqual({ dateFrom: '2026-03-01T00:00:00.000Z', dateTo: '2026-04-01T00:00:00.000Z' })
  expect(period.previous).toEqual({ dateFrom: '2026-01-29T00:00:00.000Z', dateTo: '2026-03-01T00:00:00.000Z' })
})

test('the previous period is not empty right after midnight', () => {
  const { previous } = toPeriod({ range: 'today', zone: 'UTC' }, new Date('2026-11-15T00:00:00Z'))
  expect(Date.parse(previous.dateTo)).toBeGreaterThan(Date.parse(previous.dateFrom))
})

test('ignores invalid and unknown parameters in the URL', () => {
  expect(
    parseAnalyticsSearchParams({
      range: '3d',
      from: '2026-02-30',
      zone: 'Mars',
      ai: 'some',
      q: 2026,
      list: -1,
      x: 'y',
    }),
  ).toEqual({ q: '2026' })
})

test('labels hours with the weekday if the range has two days', () => {
  const at = '2026-11-14T13:00:00Z'
  const [oneDay, twoDays] = (['2026-11-14', '2026-11-15'] as const).map((to) =>
    formatIntervalStart(at, toPeriod({ range: 'custom', from: '2026-11-14', to, zone: 'UTC' }, now)),
  )
  expect(oneDay).toBe('13:00')
  expect(twoDays).toMatch(/^Sat,? 13:00$/)
})
