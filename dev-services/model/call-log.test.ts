import { expect, it } from 'vitest'
import { CallLog } from './call-log.ts'

it('keeps the last ten thousand calls, and counts on when cleared', () => {
  const log = new CallLog()
  for (let call = 0; call < 10_001; call += 1) log.add({ wire: 'openai-responses', headerNames: [] })
  const kept = log.since(0)
  expect([kept.length, kept[0]?.sequence, kept.at(-1)?.sequence]).toEqual([10_000, 2, 10_001])
  expect(log.since(10_000)).toHaveLength(1)

  log.clear()
  expect(log.since(0)).toEqual([])
  expect(log.add({ wire: 'openai-responses', headerNames: [] }).sequence).toBe(10_002)
})
