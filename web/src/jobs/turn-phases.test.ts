import type { JobMessage } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { formatDuration, toTurnPhases } from './turn-phases.ts'

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
  isAutomatic: false,
  resolvesConflicts: false,
  startedAt: null,
  claimedAt: null,
  publishingStartedAt: null,
  endedAt: null,
  ...times,
})
const now = new Date(at(60))

test('reports all phases of a completed turn', () => {
  const phases = toTurnPhases(message({ claimedAt: at(3), publishingStartedAt: at(40), endedAt: at(42) }), now)
  expect(phases).toEqual([
    { phase: 'waited', durationMs: 3_000, isCurrent: false },
    { phase: 'worked', durationMs: 37_000, isCurrent: false },
    { phase: 'published', durationMs: 2_000, isCurrent: false },
  ])
})

test('measures the current phase up to now', () => {
  expect(toTurnPhases(message({ startedAt: at(1) }), now)).toEqual([
    { phase: 'waited', durationMs: 60_000, isCurrent: true },
  ])
  expect(toTurnPhases(message({ claimedAt: at(10) }), now).at(-1)).toEqual({
    phase: 'worked',
    durationMs: 50_000,
    isCurrent: true,
  })
})

test('leaves out the wait for an approval until the approved result is published', () => {
  const approved = message({ status: 'queued', claimedAt: at(1), publishingStartedAt: at(5) })
  expect(toTurnPhases(approved, now)).toEqual([
    { phase: 'waited', durationMs: 1_000, isCurrent: false },
    { phase: 'worked', durationMs: 4_000, isCurrent: false },
  ])
})

test('omits phases that a turn did not reach', () => {
  expect(toTurnPhases(message({ endedAt: at(5) }), now)).toEqual([
    { phase: 'waited', durationMs: 5_000, isCurrent: false },
  ])
  expect(toTurnPhases(message({ claimedAt: at(1), endedAt: at(5) }), now).map(({ phase }) => phase)).toEqual([
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
])('%d ms is %s', (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text))
