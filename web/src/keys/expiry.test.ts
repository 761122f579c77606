import { expect, test } from 'vitest'
import { toExpiresAt } from './expiry.ts'
import { parseNetworks } from './parse-networks.ts'

const now = new Date('2026-06-15T12:00:00Z')

test('a key expires after days, at the end of a day, or never', () => {
  expect(toExpiresAt('30', '', now)).toBe('2026-07-15T12:00:00.000Z')
  expect(toExpiresAt('never', '2026-07-01', now)).toBeNull()
  const end = new Date(String(toExpiresAt('date', '2026-07-01', now)))
  expect([end.getDate(), end.getHours(), end.getMinutes()]).toEqual([1, 23, 59])
})

test('splits networks at commas, spaces and line breaks', () => {
  expect(parseNetworks(' 10.0.0.0/8, 203.0.113.7\n2001:db8::/32 ')).toEqual([
    '10.0.0.0/8',
    '203.0.113.7',
    '2001:db8::/32',
  ])
  expect(parseNetworks('')).toEqual([])
})
