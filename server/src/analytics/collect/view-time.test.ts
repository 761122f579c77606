import { expect, test } from 'vitest'
import { resolveViewTime } from './view-time.ts'

const receivedAt = new Date('2026-11-15T12:00:00.500Z')

test.each([
  ['2026-11-15T11:59:59.999Z', '2026-11-15T11:59:59.999Z'],
  ['2026-11-15T12:00:00.501Z', '2026-11-15T12:00:00.500Z'],
  ['9999-12-31T23:59:59.999Z', '2026-11-15T12:00:00.500Z'],
  ['2025-10-15T12:00:00.500Z', '2025-10-15T12:00:00.500Z'],
])('a view reported for %s counts at %s', (reported, at) => {
  expect(resolveViewTime(new Date(reported), receivedAt)).toEqual(new Date(at))
})

test.each(['2025-10-15T12:00:00.499Z', '1970-01-01T00:00:00.000Z', '-200000-01-01T00:00:00.000Z'])(
  'a view reported for %s is too old',
  (reported) => {
    expect(resolveViewTime(new Date(reported), receivedAt)).toBe('too_old')
  },
)

test.each([
  ['2026-03-31T12:00:00.000Z', '2025-02-28T12:00:00.000Z'],
  ['2025-03-30T12:00:00.000Z', '2024-02-29T12:00:00.000Z'],
  ['2026-01-31T12:00:00.000Z', '2024-12-31T12:00:00.000Z'],
  ['2026-07-31T12:00:00.000Z', '2025-06-30T12:00:00.000Z'],
])('at %s, views before %s are too old', (received, oldest) => {
  const oldestAt = new Date(oldest)
  expect(resolveViewTime(oldestAt, new Date(received))).toEqual(oldestAt)
  expect(resolveViewTime(new Date(oldestAt.getTime() - 1), new Date(received))).toBe('too_old')
})
