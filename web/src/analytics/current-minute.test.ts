import { afterEach, expect, test, vi } from 'vitest'
import { readCurrentMinute } from './current-minute.ts'

afterEach(() => vi.useRealTimers())

test('changes when the next minute begins', () => {
  vi.useFakeTimers({ now: new Date('2026-11-15T23:59:59.999Z') })
  expect(readCurrentMinute()).toEqual(new Date('2026-11-15T23:59:00Z'))
  vi.setSystemTime(new Date('2026-11-16T00:00:00Z'))
  expect(readCurrentMinute()).toEqual(new Date('2026-11-16T00:00:00Z'))
})
