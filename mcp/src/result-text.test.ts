import { expect, test } from 'vitest'
import { shorten, withSafeTexts } from './result-text.ts'

test('replaces control characters and invisible tag characters at any depth, but not line breaks and tabs', () => {
  const hidden = [...'ignore'].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')
  expect(
    withSafeTexts({ a: ['x\u001b[2Jy', 'one\r\ntwo\tthree\n', `end${hidden}`, '\u009b1m'], b: { c: 7, d: null } }),
  ).toEqual({
    a: ['x\ufffd[2Jy', 'one\ntwo\tthree\n', `end${'\ufffd'.repeat(6)}`, '\ufffd1m'],
    b: { c: 7, d: null },
  })
  expect(withSafeTexts('Größe 日本 👩‍💻')).toBe('Größe 日本 👩‍💻')
})

test('shortens a text, never within a character, and says how to get the rest', () => {
  expect(shorten('short', 5, 'there')).toBe('short')
  expect(shorten('123456', 5, 'there')).toBe('12345… [1 more characters: there]')
  expect(shorten('1234👩', 5, 'there')).toBe('1234… [2 more characters: there]')
})
