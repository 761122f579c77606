import type { JobEvent } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { inputFields, isAfter, stepsOf, withoutReply } from './timeline.ts'

let index = 0
const event = (type: string, second: number, more: Partial<JobEvent> = {}): JobEvent => ({
  id: `1.1.${index++}`,
  turn: 1,
  attempt: 1,
  type,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  ...more,
})
const call = (callId: string, second: number, input: object, more = {}) =>
  event('tool_call', second, { callId, tool: 'read', input: JSON.stringify(input), ...more })

test('a call and its result are one step, also when calls overlap', () => {
  const steps = stepsOf([
    event('text', 0, { text: 'I look.' }),
    call('a', 1, { path: 'docs/a.md' }),
    call('b', 1, { command: '\nls -l\nwc' }),
    event('tool_result', 4, { callId: 'b', output: 'two', isError: true }),
    event('tool_result', 3, { callId: 'a', output: 'one' }),
    event('notice', 5, { text: 'Trying again.' }),
    event('text', 6, { text: '<pull-request><title>A title</title></pull-request>' }),
  ])
  expect(steps).toMatchObject([
    { kind: 'said', text: 'I look.' },
    { kind: 'called', on: 'docs/a.md', result: { output: 'one', failed: false, tookMs: 2000 } },
    { kind: 'called', on: 'ls -l', result: { output: 'two', failed: true, tookMs: 3000 } },
    { kind: 'noticed', text: 'Trying again.' },
  ])
})

test('a lost runner is seen, and what it had begun is not waited for', () => {
  const steps = stepsOf([call('a', 1, { path: 'a' }), event('tool_result', 2, { callId: 'a', attempt: 2 })])
  expect(steps).toMatchObject([{ kind: 'called', result: null, isLost: true }, { kind: 'noticed' }])
})

test('an event of a kind that is not known is shown by its text, or not at all', () => {
  expect(stepsOf([event('thought', 1, { text: 'Hm.' }), event('ping', 2)])).toMatchObject([{ text: 'Hm.' }])
})

test('an input that is no JSON is shown as it is', () => {
  expect(stepsOf([event('tool_call', 1, { tool: 'bash', input: '{"command": "ls' })])).toMatchObject([
    { on: '{"command": "ls', result: null },
  ])
  expect(inputFields('{"path":"a","limit":3}')).toEqual([
    ['path', 'a'],
    ['limit', '3'],
  ])
})

test('the last words are not shown twice', () => {
  const steps = stepsOf([event('text', 1, { text: 'First.' }), event('text', 2, { text: 'Done.\n\n<pull-request>' })])
  expect(withoutReply(steps, 'Done.')).toHaveLength(1)
  expect(withoutReply(steps, 'Other.')).toHaveLength(2)
  expect(withoutReply(steps, null)).toHaveLength(2)
})

test('events have an order', () => {
  expect([isAfter('1.1.10', '1.1.9'), isAfter('2.1.0', '1.9.9'), isAfter('1.1.9', '1.1.9')]).toEqual([
    true,
    true,
    false,
  ])
})
