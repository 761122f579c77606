import { expect, test } from 'vitest'
import { TokenBuckets } from './token-buckets.ts'

test('allows a burst, then the steady rate, for each key', () => {
  const buckets = new TokenBuckets({ perSecond: 2, burst: 3 })
  const consume = (key: string, atMs: number) => buckets.tryConsume(key, atMs)
  expect([1, 2, 3, 4].map(() => consume('a', 0))).toEqual([true, true, true, false])
  expect(consume('b', 0)).toBe(true)
  expect([400, 500, 501, 1_000].map((atMs) => consume('a', atMs))).toEqual([false, true, false, true])
  expect([1, 2, 3, 4].map(() => consume('a', 60_000))).toEqual([true, true, true, false])
})

test('a cost that is larger than the burst is allowed once, and has to be refilled', () => {
  const buckets = new TokenBuckets({ perSecond: 2, burst: 3 })
  const consume = (cost: number, atMs: number) => buckets.tryConsume('a', atMs, cost)
  expect(consume(11, 0)).toBe(true)
  expect([3_000, 4_000].map((atMs) => consume(1, atMs))).toEqual([false, false])
  expect(consume(1, 4_500)).toBe(true)
})
