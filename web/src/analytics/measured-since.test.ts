import { expect, test } from 'vitest'
import { asMeasuredSince, bothSince, isBefore } from './measured-since.ts'

test('both since the later of the two, in whichever order they began', () => {
  expect(bothSince({ human: '2026-03-01', ai: '2026-05-05' })).toBe('2026-05-05')
  expect(bothSince({ human: '2026-06-01', ai: '2026-05-05' })).toBe('2026-06-01')
  expect(bothSince(asMeasuredSince({ human: null, ai: '2026-05-05' }))).toBeUndefined()
})

test('a step that reaches into the first day counts', () => {
  expect(isBefore('2026-05-01T00:00:00Z', 'day', '2026-05-05')).toBe(true)
  expect(isBefore('2026-05-04T00:00:00Z', 'day', '2026-05-05')).toBe(false)
  expect(isBefore('2026-05-01T00:00:00Z', 'week', '2026-05-05')).toBe(false)
  expect(isBefore('2026-05-01T00:00:00Z', 'day', undefined)).toBe(false)
})
