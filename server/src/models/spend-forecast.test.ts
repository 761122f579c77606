import { expect, test } from 'vitest'
import { forecast } from './spend-store.ts'

test('extends the spend by the average of the last days', () => {
  const now = new Date('2026-11-16T00:00:00Z') // 15 of 30 days have passed
  const recent = { since: new Date('2026-11-09T00:00:00Z'), tokens: 700, costUsd: 14 }
  expect(forecast({ tokens: 1_000, costUsd: 20 }, recent, now)).toEqual({ tokens: 2_500, costUsd: 50 })
})

test('uses the days since the first call if there are fewer, and at least one day', () => {
  const now = new Date('2026-11-29T00:00:00Z')
  const recent = { since: new Date('2026-11-28T12:00:00Z'), tokens: 100, costUsd: 3 }
  expect(forecast({ tokens: 100, costUsd: 3 }, recent, now)).toEqual({ tokens: 300, costUsd: 9 })
})

test('is what was spent if nothing was spent lately', () => {
  const now = new Date('2026-12-20T00:00:00Z')
  expect(forecast({ tokens: 5, costUsd: 1 }, { since: now, tokens: 0, costUsd: 0 }, now)).toEqual({
    tokens: 5,
    costUsd: 1,
  })
})
