import { expect, test } from 'vitest'
import { timeOfView } from './view-time.ts'

const receivedAt = new Date('2026-11-15T12:00:00.500Z')

test.each([
  ['2026-11-15T11:59:59.999Z', '2026-11-15T11:59:59.999Z'],
  ['2026-11-15T12:00:00.501Z', '2026-11-15T12:00:00.500Z'],
  ['9999-12-31T23:59:59.999Z', '2026-11-15T12:00:00.500Z'],
  ['2025-10-15T12:00:00.500Z', '2025-10-15T12:00:00.500Z'],
])('%s counts at %s', (claimed, at) => {
  expect(timeOfView(new Date(claimed), receivedAt)).toEqual(new Date(at))
})

test.each(['2025-10-15T12:00:00.499Z', '1970-01-01T00:00:00.000Z', '-200000-01-01T00:00:00.000Z'])(
  '%s is too old',
  (claimed) => {
    expect(timeOfView(new Date(claimed), receivedAt)).toBe('too_old')
  },
)
