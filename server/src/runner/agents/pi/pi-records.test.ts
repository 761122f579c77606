import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePiRecord } from './pi-records.ts'

const read = (record: object) => parsePiRecord(JSON.stringify(record))

describe('pi records', () => {
  it('become events of limited length', () => {
    const long = `\u001b[31m${'x'.repeat(100_000)}`
    const text = read({ type: 'message_update', assistantMessageEvent: { type: 'text_end', content: long } })
    const call = read({
      type: 'tool_execution_start',
      toolCallId: 'a',
      toolName: 'write',
      args: { content: long, n: 1 },
    })
    const result = read({
      type: 'tool_execution_end',
      toolCallId: 'a',
      result: { content: [{ type: 'text', text: long }] },
    })
    for (const record of [text, call, result]) {
      expect(record).toMatchObject({ kind: 'event' })
      expect(JSON.stringify(record).length).toBeLessThan(33_000)
      expect(JSON.stringify(record)).not.toContain('[31m')
    }
    expect(call).toMatchObject({ event: { arguments: { n: '1' } } })
  })

  it.each([
    ['stop', { kind: 'finished' }],
    ['toolUse', { kind: 'finished' }],
    ['length', { kind: 'length_limit' }],
    ['aborted', { kind: 'aborted' }],
    ['error', { kind: 'model_failed', message: '529 overloaded' }],
    ['something new', { kind: 'model_failed', message: '529 overloaded' }],
  ])('map the stop reason %s', (stopReason, stop) => {
    const message = { role: 'assistant', content: [], stopReason, errorMessage: '529 overloaded' }
    expect(read({ type: 'message_end', message })).toMatchObject({ kind: 'response', stop })
  })

  it('ignore invalid usage counts', () => {
    const usage = { input: 5, output: -1, cacheRead: '7', cacheWrite: 1.5 }
    const record = read({ type: 'message_end', message: { role: 'assistant', stopReason: 'stop', usage } })
    expect(record).toMatchObject({
      usage: { inputTokens: 5, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    })
  })

  it('are parsed without throwing, whatever they contain', () => {
    const types = ['message_update', 'message_end', 'tool_execution_start', 'tool_execution_end', 'auto_retry_start']
    const type = fc.constantFrom(...types, 'compaction_end', 'response', 'agent_settled')
    const record = fc.tuple(
      type,
      fc.dictionary(fc.constantFrom('message', 'args', 'result', 'content'), fc.jsonValue()),
    )
    fc.assert(fc.property(record, ([type, rest]) => void read({ ...rest, type })))
    fc.assert(fc.property(fc.string(), (line) => void expect(parsePiRecord(line)).toBeUndefined()))
  })
})
