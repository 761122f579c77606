import type { JobEvent } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { isEventIdAfter, omitReplyStep, parseToolArguments, toTurnSteps } from './timeline.ts'

let index = 0
const event = (type: string, second: number, fields: Partial<JobEvent> = {}): JobEvent => ({
  id: `1.1.${index++}`,
  turn: 1,
  attempt: 1,
  type,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  ...fields,
})
const call = (callId: string, second: number, input: object) =>
  event('tool_call', second, { callId, tool: 'read', input: JSON.stringify(input) })

test('merges a tool call and its result, also when calls overlap', () => {
  const steps = toTurnSteps([
    event('text', 0, { text: 'I will check.' }),
    call('a', 1, { path: 'docs/a.md' }),
    call('b', 1, { command: '\nls -l\nwc' }),
    event('tool_result', 4, { callId: 'b', output: 'two', isError: true }),
    event('tool_result', 3, { callId: 'a', output: 'one' }),
    event('notice', 5, { text: 'Trying again.' }),
    event('text', 6, { text: '<pull-request><title>A title</title></pull-request>' }),
  ])
  expect(steps).toMatchObject([
    { kind: 'text', text: 'I will check.' },
    { kind: 'tool_call', subject: 'docs/a.md', result: { output: 'one', isError: false, durationMs: 2000 } },
    { kind: 'tool_call', subject: 'ls -l', result: { output: 'two', isError: true, durationMs: 3000 } },
    { kind: 'notice', text: 'Trying again.' },
  ])
})

test('shows that a runner was lost, and marks its pending calls as lost', () => {
  const steps = toTurnSteps([call('a', 1, { path: 'a' }), event('tool_result', 2, { callId: 'a', attempt: 2 })])
  expect(steps).toMatchObject([{ kind: 'tool_call', result: null, isLost: true }, { kind: 'notice' }])
})

test('shows the text of an unknown event, and omits one without text', () => {
  expect(toTurnSteps([event('thought', 1, { text: 'Hm.' }), event('ping', 2)])).toMatchObject([{ text: 'Hm.' }])
})

test('shows an input that is not JSON unchanged', () => {
  expect(toTurnSteps([event('tool_call', 1, { tool: 'bash', input: '{"command": "ls' })])).toMatchObject([
    { subject: '{"command": "ls', result: null },
  ])
  expect(parseToolArguments('{"path":"a","limit":3}')).toEqual([
    ['path', 'a'],
    ['limit', '3'],
  ])
})

test('does not show the reply twice', () => {
  const steps = toTurnSteps([
    event('text', 1, { text: 'First.' }),
    event('text', 2, { text: 'Done.\n\n<pull-request>' }),
  ])
  expect(omitReplyStep(steps, 'Done.')).toHaveLength(1)
  expect(omitReplyStep(steps, 'Other.')).toHaveLength(2)
  expect(omitReplyStep(steps, null)).toHaveLength(2)
})

test('orders events by turn, attempt and index', () => {
  expect([
    isEventIdAfter('1.1.10', '1.1.9'),
    isEventIdAfter('2.1.0', '1.9.9'),
    isEventIdAfter('1.1.9', '1.1.9'),
  ]).toEqual([true, true, false])
})
