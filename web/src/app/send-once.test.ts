import { expect, test } from 'vitest'
import { SendOnce } from './send-once.ts'

test('the same content has the same key until it was sent', () => {
  const once = new SendOnce()
  const first = once.keyFor({ prompt: 'a' })
  expect(first).toMatch(/^dashboard-[0-9a-f]{32}$/)
  expect(once.keyFor({ prompt: 'a' })).toBe(first)
  expect(once.keyFor({ prompt: 'b' })).not.toBe(first)
  const again = once.keyFor({ prompt: 'b' })
  once.sent()
  expect(once.keyFor({ prompt: 'b' })).not.toBe(again)
})
