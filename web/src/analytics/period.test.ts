import { expect, test } from 'vitest'
import { periodOf, stepLabel } from './period.ts'
import { readAnalyticsSearch } from './search.ts'

const now = new Date('2026-11-15T15:30:00Z')

test('28 days, in a zone, and as much of the 28 before as has passed of these', () => {
  expect(periodOf({ zone: 'Europe/Berlin' }, now)).toMatchObject({
    dates: { dateFrom: '2026-10-18T22:00:00.000Z', dateTo: '2026-11-15T23:00:00.000Z' },
    before: { dateFrom: '2026-09-20T22:00:00.000Z', dateTo: '2026-10-18T15:30:00.000Z' },
    interval: 'day',
    days: ['2026-10-19', '2026-11-15'],
    isGoingOn: true,
  })
})

test('a custom range that has ended has an end, and the one before ends where it begins', () => {
  const search = { range: 'custom', from: '2026-03-01', to: '2026-03-31', zone: 'UTC' } as const
  const period = periodOf(search, now)
  expect(period.dates).toEqual({ dateFrom: '2026-03-01T00:00:00.000Z', dateTo: '2026-04-01T00:00:00.000Z' })
  expect(period.before).toEqual({ dateFrom: '2026-01-29T00:00:00.000Z', dateTo: '2026-03-01T00:00:00.000Z' })
})

test('right after midnight there is still something before', () => {
  const { before } = periodOf({ range: 'today', zone: 'UTC' }, new Date('2026-11-15T00:00:00Z'))
  expect(Date.parse(before.dateTo)).toBeGreaterThan(Date.parse(before.dateFrom))
})

test('what is none of an address is left out', () => {
  expect(
    readAnalyticsSearch({ range: '3d', from: '2026-02-30', zone: 'Mars', ai: 'some', q: 2026, list: -1, x: 'y' }),
  ).toEqual({ q: '2026' })
})

test('of two days an hour says of which', () => {
  const at = '2026-11-14T13:00:00Z'
  const [one, two] = (['2026-11-14', '2026-11-15'] as const).map((to) =>
    stepLabel(at, periodOf({ range: 'custom', from: '2026-11-14', to, zone: 'UTC' }, now)),
  )
  expect(one).toBe('13:00')
  expect(two).toMatch(/^Sat,? 13:00$/)
})
