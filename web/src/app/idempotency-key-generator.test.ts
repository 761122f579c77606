import { expect, test } from 'vitest'
import { IdempotencyKeyGenerator } from './idempotency-key-generator.ts'

test('keeps the key of the same content until it is sent', () => {
  const keys = new IdempotencyKeyGenerator()
  const first = keys.keyFor({ prompt: 'a' })
  expect(first).toMatch(/^dashboard-[0-9a-f]{32}$/)
  expect(keys.keyFor({ prompt: 'a' })).toBe(first)
  expect(keys.keyFor({ prompt: 'b' })).not.toBe(first)
  const second = keys.keyFor({ prompt: 'b' })
  keys.sent()
  expect(keys.keyFor({ prompt: 'b' })).not.toBe(second)
})
