import { expect, it } from 'vitest'
import { CallLog } from './call-log.ts'

it('keeps the last 10,000 calls', () => {
  const log = new CallLog()
  for (let call = 0; call < 10_001; call += 1) log.add({ wire: 'openai-responses', headerNames: [] })
  const calls = log.since(0)
  expect([calls.length, calls[0]?.sequence, calls.at(-1)?.sequence]).toEqual([10_000, 2, 10_001])
  expect(log.since(10_000)).toHaveLength(1)
})
