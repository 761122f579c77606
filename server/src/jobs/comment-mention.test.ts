import { expect, test } from 'vitest'
import { askedInComment } from './comment-mention.ts'

test.each([
  ['@colophon make it shorter', 'make it shorter'],
  ['@Colophon, make it shorter.', 'make it shorter.'],
  ['Nice.\n\n@colophon: add an example\r\nand a link', 'Nice.\n\nadd an example\nand a link'],
  ['Make it shorter, @colophon.', 'Make it shorter.'],
  ['> it says so\n\n@colophon mend that', '> it says so\n\nmend that'],
  ['@colophon use this:\n```\n@colophon\n```', 'use this:\n```\n@colophon\n```'],
  ['`x` @colophon `@colophon`', '`x` `@colophon`'],
  ['@colophon say\0 less\ud800', 'say less\ufffd'],
])('%j asks for something', (text, asked) => {
  expect(askedInComment(text)).toBe(asked)
})

test.each([
  'Make it shorter.',
  '',
  '@colophon',
  '  @colophon,\n',
  'write to docs@colophon or me@colophon.example.com',
  '@colophone make it longer',
  '@colophon-bot make it longer',
  '@colophon/writers look at this',
  'see github.com/@colophon for more',
  '> @colophon make it shorter\n\nDid that work?',
  'Say `@colophon make it shorter` to try it.',
  '```\n@colophon make it shorter\n```',
  '~~~~\n~~~\n@colophon make it shorter\n~~~~\nlike this',
  '<!-- @colophon make it shorter -->\nA template.',
])('%j does not', (text) => {
  expect(askedInComment(text)).toBeUndefined()
})

test('a long comment does not keep us busy', () => {
  const began = performance.now()
  for (const piece of ['<!--', '`', '``x', ' ', '> ', '@', '@colophon', ',', '~~~\n']) {
    askedInComment(piece.repeat(50_000 / piece.length))
  }
  expect(performance.now() - began).toBeLessThan(1_000)
})
