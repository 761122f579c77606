import { expect, it } from 'vitest'
import { CallLog } from './call-log.ts'

it('keeps the last 10,000 calls, and continues the sequence after it was cleared', () => {
  const log = new CallLog()
  for (let call = 0; call < 10_001; call += 1) log.add({ wire: 'openai-responses', headerNames: [] })
  const calls = log.since(0)
  expect([calls.length, calls[0]?.sequence, calls.at(-1)?.sequence]).toEqual([10_000, 2, 10_001])
  expect(log.since(10_000)).toHaveLength(1)

  log.clear()
  expect(log.since(0)).toEqual([])
  expect(log.add({ wire: 'openai-responses', headerNames: [] }).sequence).toBe(10_002)
})
