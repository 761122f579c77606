import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printableBlock, printableJson, printableLine, toOutput } from './printable.ts'

test.each([
  ['colors and cursor movement', 'a\u001b[31mb\u001b[2Jc', 'abc'],
  ['the title of the window', 'a\u001b]0;title\u0007b', 'ab'],
  ['a link', 'a\u001b]8;;https://evil.example\u001b\\text\u001b]8;;\u001b\\b', 'atextb'],
  ['8-bit sequences', 'a\u009b31mb\u009d0;title\u009cc', 'abc'],
  ['device control strings', 'a\u001bP1$r0m\u001b\\b', 'ab'],
  ['an unfinished sequence', 'a\u001b]52;c;', 'a52;c;'],
  ['a carriage return that overwrites the line', 'safe\revil', 'safe\ufffdevil'],
  ['bidirectional controls', 'a\u202eb\u2066c\u200fd', 'a\ufffdb\ufffdc\ufffdd'],
  ['invisible tag characters', 'a\u{e0041}b', 'a\ufffdb'],
  ['nothing in ordinary text', 'naïve – 日本語 👩‍💻\tok\n', 'naïve – 日本語 👩‍💻\tok\n'],
])('removes %s', (_name, text, expected) => {
  expect(printableBlock(text)).toBe(expected)
})

test('a line has no line feeds', () => {
  expect(printableLine('a\n\n\tb')).toBe('a b')
})

test.each([
  ['::error::x', ': :error::x'],
  ['text\n  ::add-mask::x', 'text\n  : :add-mask::x'],
  ['a ##[command]x', 'a # #[command]x'],
  ['##vso[task.setvariable]', '# #vso[task.setvariable]'],
  ['a::b, ## Heading', 'a::b, ## Heading'],
])('CI does not obey %j', (text, expected) => {
  expect(toOutput(text, { hasColors: false })).toBe(expected)
})

test('output has no control characters but line feeds, tabs and our own colors', () => {
  const dangerous = fc.string({
    unit: fc.constantFrom('\u001b', '[', ']', 'm', '3', ';', '\u0007', '\u009b', '\r', '\n', ':', '#', 'x', '\u202e'),
  })
  fc.assert(
    fc.property(dangerous, (text) => {
      const output = toOutput(text, { hasColors: false })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be in it
      expect(output).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
      expect(output).not.toMatch(/^\s*::/m)
    }),
  )
})

test('JSON stays the same value, and has nothing that a terminal or CI obeys', () => {
  const value = { text: 'a\u009b31m\u202e\u2028\n::error::##[x]', number: 1 }
  for (const json of [printableJson(value), printableJson(value, 2)]) {
    expect(JSON.parse(json)).toEqual(value)
    expect(json).not.toMatch(/[\u0080-\u009f\u2028\u202e]|##\[/)
  }
})
