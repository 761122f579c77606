import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutText, plainText } from './plain-text.ts'

describe('plainText', () => {
  it.each([
    ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
    ['colours, in one character', '\x9b31mred', 'red'],
    ['a cleared screen', 'a\x1b[2J\x1b[Hb', 'ab'],
    ['a title', '\x1b]0;owned\x07text', 'text'],
    ['a link', '\x1b]8;;https://example.com\x1b\\shown\x1b]8;;\x1b\\', 'shown'],
    ['a clipboard that is filled', '\x1b]52;c;cm0gLXJmIC8=\x07after', 'after'],
    ['a device control string', '\x1bP$q"p\x1b\\x', 'x'],
    ['an unfinished sequence', 'a\x1b]0;never ends\nnext', 'a\nnext'],
    ['a sequence cut off', 'a\x1b[3', 'a'],
    ['a reset', '\x1bcx', 'x'],
    ['another character set', '\x1b(0x', 'x'],
    ['an overwritten line', 'safe\rowned', 'safe\nowned'],
    ['backspaces', 'ab\x08\x08cd', 'abcd'],
    ['a bell and a NUL', 'a\x07\0b', 'ab'],
  ])('takes out %s', (_, text, plain) => expect(plainText(text)).toBe(plain))

  it('leaves words as they are', () => {
    const text = 'Zwölf — 日本語 🎉\n\tindented [not a sequence] 50% ]0;'
    expect(plainText(text)).toBe(text)
  })

  it('leaves nothing that moves a cursor, whatever comes', () => {
    const nasty = fc.array(fc.constantFrom('\x1b', '[', ']', '\x9b', '\x07', '\\', '0;', 'm', 'P', '\r', 'a', '\x1b['))
    fc.assert(
      fc.property(nasty, (parts) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
        expect(plainText(parts.join(''))).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/)
      }),
    )
  })
})

describe('cutText', () => {
  it('says what is missing, and cuts no character in half', () => {
    expect(cutText('abcdef', 6)).toBe('abcdef')
    expect(cutText('abcdef', 2)).toBe('ab … (4 more characters)')
    expect(cutText('a🎉', 2).isWellFormed()).toBe(true)
  })
})
