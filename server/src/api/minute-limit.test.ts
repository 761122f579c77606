import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MinuteLimit } from './minute-limit.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const takeAll = (limit: MinuteLimit, keyId: string) => {
  for (let read = 0; read < 600; read++) limit.take(keyId)
}

test('a key may read 600 times in a minute, and is told how long to wait', () => {
  const limit = new MinuteLimit('reads', 600)
  takeAll(limit, 'key_1')
  vi.advanceTimersByTime(17_500)
  expect(() => limit.take('key_1')).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      headers: { 'retry-after': '43' },
      detail: 'More than 600 reads in a minute: wait 43 s.',
    }),
  )
})

test('another key is not held back', () => {
  const limit = new MinuteLimit('reads', 600)
  takeAll(limit, 'key_1')
  expect(() => takeAll(limit, 'key_2')).not.toThrow()
})

test('whoever waits as long as told may read again', () => {
  const limit = new MinuteLimit('reads', 600)
  takeAll(limit, 'key_1')
  expect(() => limit.take('key_1')).toThrow(expect.objectContaining({ headers: { 'retry-after': '60' } }))
  vi.advanceTimersByTime(59_999)
  expect(() => limit.take('key_1')).toThrow(expect.objectContaining({ headers: { 'retry-after': '1' } }))
  vi.advanceTimersByTime(1)
  expect(() => takeAll(limit, 'key_1')).not.toThrow()
})
