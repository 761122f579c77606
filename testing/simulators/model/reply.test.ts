import { describe, expect, it } from 'vitest'
import { replyFor, splitText } from './reply.ts'
import type { Step } from './script.ts'

function reply(step: Step) {
  return replyFor(step, { requestBytes: 401, createdAtSeconds: 0, newId: (prefix) => prefix })
}

describe('usage', () => {
  it('is one token per four bytes', () => {
    expect(reply({ say: 'twelve bytes', call: [{ tool: 'ls', arguments: {} }] }).usage).toEqual({
      inputTokens: 101,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 4,
    })
  })

  it('is taken from the script where the script has it', () => {
    expect(reply({ say: 'four', usage: { inputTokens: 7, cacheReadTokens: 8 } }).usage).toEqual({
      inputTokens: 7,
      cacheReadTokens: 8,
      cacheWriteTokens: 0,
      outputTokens: 1,
    })
  })
})

describe('content', () => {
  it('has the number of bytes in the script', () => {
    expect(reply({ sayBytes: 100_001 }).content.text).toHaveLength(100_001)
  })

  it('keeps malformed arguments unchanged', () => {
    expect(reply({ call: [{ tool: 'ls', malformedArguments: '{"path' }] }).content).toEqual({
      kind: 'message',
      text: '',
      calls: [{ tool: 'ls', argumentsJson: '{"path' }],
    })
  })
})

describe('splitText', () => {
  it.each(['', 'short', 'x'.repeat(1_000_000), '👩🏽‍💻'.repeat(100), `${'x'.repeat(23)}👍`])(
    'splits a text into well-formed pieces',
    (text) => {
      const pieces = [...splitText(text)]
      expect(pieces.join('')).toBe(text)
      expect(pieces.length).toBeLessThanOrEqual(4000)
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
    },
  )
})
