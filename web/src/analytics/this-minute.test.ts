import { afterEach, expect, test, vi } from 'vitest'
import { thisMinute } from './this-minute.ts'

afterEach(() => vi.useRealTimers())

test('the same within a minute, another in the next', () => {
  vi.useFakeTimers({ now: new Date('2026-11-15T23:59:59.999Z') })
  expect(thisMinute()).toEqual(new Date('2026-11-15T23:59:00Z'))
  vi.setSystemTime(new Date('2026-11-16T00:00:00Z'))
  expect(thisMinute()).toEqual(new Date('2026-11-16T00:00:00Z'))
})
