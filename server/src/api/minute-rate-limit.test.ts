import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MinuteRateLimit } from './minute-rate-limit.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const useUp = (limit: MinuteRateLimit, keyId: string) => {
  for (let read = 0; read < 600; read++) limit.consume(keyId)
}

test('allows 600 reads per minute and says how long to wait', () => {
  const limit = new MinuteRateLimit('reads', 600)
  useUp(limit, 'key_1')
  vi.advanceTimersByTime(17_500)
  expect(() => limit.consume('key_1')).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      headers: { 'retry-after': '43' },
      detail: 'Rate limit exceeded: 600 reads per minute. Retry in 43 s.',
    }),
  )
})

test('does not limit other keys', () => {
  const limit = new MinuteRateLimit('reads', 600)
  useUp(limit, 'key_1')
  expect(() => useUp(limit, 'key_2')).not.toThrow()
})

test('allows reads again after the time in Retry-After', () => {
  const limit = new MinuteRateLimit('reads', 600)
  useUp(limit, 'key_1')
  expect(() => limit.consume('key_1')).toThrow(expect.objectContaining({ headers: { 'retry-after': '60' } }))
  vi.advanceTimersByTime(59_999)
  expect(() => limit.consume('key_1')).toThrow(expect.objectContaining({ headers: { 'retry-after': '1' } }))
  vi.advanceTimersByTime(1)
  expect(() => useUp(limit, 'key_1')).not.toThrow()
})
