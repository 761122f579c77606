import { describe, expect, it } from 'vitest'
import { generateStreamActions, type StreamFault } from './stream-actions.ts'

function formatActions(fault: StreamFault | undefined, chunks = ['a', 'b', 'c']): string {
  return [...generateStreamActions(chunks, fault)]
    .map((action) => (action.kind === 'send' ? action.chunk : action.kind === 'wait' ? action.milliseconds : 'X'))
    .join(' ')
}

describe('generateStreamActions', () => {
  it.each<[string, StreamFault | undefined]>([
    ['a b c', undefined],
    ['X', { kind: 'cut', afterChunks: 0 }],
    ['a b X', { kind: 'cut', afterChunks: 2 }],
    ['a b X', { kind: 'cut', afterChunks: 99 }],
    ['9 a b c', { kind: 'silence', afterChunks: 0, milliseconds: 9 }],
    ['a 9 b c', { kind: 'silence', afterChunks: 1, milliseconds: 9 }],
    ['a b 9 c', { kind: 'silence', afterChunks: 99, milliseconds: 9 }],
    ['a 9 b 9 c', { kind: 'drip', milliseconds: 9 }],
  ])('results in %s', (expected, fault) => {
    expect(formatActions(fault)).toBe(expected)
  })
})
