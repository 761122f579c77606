import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stripTerminalSequences, truncateText } from './terminal-text.ts'

describe('plainText', () => {
  it.each([
    ['colors', '\x1b[1;31mred\x1b[0m', 'red'],
    ['colors with a one-character introducer', '\x9b31mred', 'red'],
    ['clearing the screen', 'a\x1b[2J\x1b[Hb', 'ab'],
    ['setting the title', '\x1b]0;owned\x07text', 'text'],
    ['a hyperlink', '\x1b]8;;https://example.com\x1b\\shown\x1b]8;;\x1b\\', 'shown'],
    ['writing to the clipboard', '\x1b]52;c;cm0gLXJmIC8=\x07after', 'after'],
    ['a device control string', '\x1bP$q"p\x1b\\x', 'x'],
    ['an unterminated sequence', 'a\x1b]0;never ends\nnext', 'a\nnext'],
    ['a truncated sequence', 'a\x1b[3', 'a'],
    ['a reset', '\x1bcx', 'x'],
    ['switching the character set', '\x1b(0x', 'x'],
    ['overwriting a line', 'safe\rowned', 'safe\nowned'],
    ['backspaces', 'ab\x08\x08cd', 'abcd'],
    ['a bell and a NUL', 'a\x07\0b', 'ab'],
  ])('removes %s', (_, text, plain) => expect(stripTerminalSequences(text)).toBe(plain))

  it('leaves ordinary text unchanged', () => {
    const text = 'Zwölf — 日本語 🎉\n\tindented [not a sequence] 50% ]0;'
    expect(stripTerminalSequences(text)).toBe(text)
  })

  it('leaves no control character in arbitrary input', () => {
    const fragmentLists = fc.array(
      fc.constantFrom('\x1b', '[', ']', '\x9b', '\x07', '\\', '0;', 'm', 'P', '\r', 'a', '\x1b['),
    )
    fc.assert(
      fc.property(fragmentLists, (fragments) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: this tests for control characters
        expect(stripTerminalSequences(fragments.join(''))).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/)
      }),
    )
  })
})

describe('cutText', () => {
  it('states how much is missing and does not split a character', () => {
    expect(truncateText('abcdef', 6)).toBe('abcdef')
    expect(truncateText('abcdef', 2)).toBe('ab … (4 more characters)')
    expect(truncateText('a🎉', 2).isWellFormed()).toBe(true)
  })
})
