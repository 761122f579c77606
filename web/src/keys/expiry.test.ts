import { expect, test } from 'vitest'
import { expiresAtOf } from './expiry.ts'
import { networksIn } from './networks.ts'

const now = new Date('2026-06-15T12:00:00Z')

test('a key lasts for days, until the end of a day, or for ever', () => {
  expect(expiresAtOf('30', '', now)).toBe('2026-07-15T12:00:00.000Z')
  expect(expiresAtOf('never', '2026-07-01', now)).toBeNull()
  const end = new Date(String(expiresAtOf('date', '2026-07-01', now)))
  expect([end.getDate(), end.getHours(), end.getMinutes()]).toEqual([1, 23, 59])
})

test('networks are read as people write them', () => {
  expect(networksIn(' 10.0.0.0/8, 203.0.113.7\n2001:db8::/32 ')).toEqual(['10.0.0.0/8', '203.0.113.7', '2001:db8::/32'])
  expect(networksIn('')).toEqual([])
})
