import type { JobMessage } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { durationInWords, stepTimesOf } from './step-times.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const message = (times: Partial<JobMessage>): JobMessage => ({
  number: 1,
  prompt: 'p',
  status: 'running',
  outcome: null,
  error: null,
  reply: null,
  createdAt: at(0),
  failedCheck: null,
  comment: null,
  startedAt: null,
  claimedAt: null,
  publishingStartedAt: null,
  endedAt: null,
  ...times,
})
const now = new Date(at(60))

test('a turn that went all the way', () => {
  const times = stepTimesOf(message({ claimedAt: at(3), publishingStartedAt: at(40), endedAt: at(42) }), now)
  expect(times).toEqual([
    { step: 'waited', milliseconds: 3_000, isNow: false },
    { step: 'worked', milliseconds: 37_000, isNow: false },
    { step: 'published', milliseconds: 2_000, isNow: false },
  ])
})

test('a turn under way counts up to now', () => {
  expect(stepTimesOf(message({ startedAt: at(1) }), now)).toEqual([
    { step: 'waited', milliseconds: 60_000, isNow: true },
  ])
  expect(stepTimesOf(message({ claimedAt: at(10) }), now).at(-1)).toEqual({
    step: 'worked',
    milliseconds: 50_000,
    isNow: true,
  })
})

test('a turn that was dropped, or failed before publishing', () => {
  expect(stepTimesOf(message({ endedAt: at(5) }), now)).toEqual([{ step: 'waited', milliseconds: 5_000, isNow: false }])
  expect(stepTimesOf(message({ claimedAt: at(1), endedAt: at(5) }), now).map(({ step }) => step)).toEqual([
    'waited',
    'worked',
  ])
})

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_250, '1.3 s'],
  [9_960, '10 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [80_000, '1 min 20 s'],
  [3_600_000, '1 h'],
  [3_900_000, '1 h 5 min'],
])('%d ms is %s', (milliseconds, words) => expect(durationInWords(milliseconds)).toBe(words))
