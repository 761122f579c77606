import { expect, test } from 'vitest'
import { cpuMillisecondsOf } from '../platform/testing/cpu-milliseconds.ts'
import { extractPromptFromComment } from './comment-mention.ts'

test.each([
  ['@colophon make it shorter', 'make it shorter'],
  ['@Colophon, make it shorter.', 'make it shorter.'],
  ['Nice.\n\n@colophon: add an example\r\nand a link', 'Nice.\n\nadd an example\nand a link'],
  ['Make it shorter, @colophon.', 'Make it shorter.'],
  ['> it says so\n\n@colophon fix that', '> it says so\n\nfix that'],
  ['@colophon use this:\n```\n@colophon\n```', 'use this:\n```\n@colophon\n```'],
  ['`x` @colophon `@colophon`', '`x` `@colophon`'],
  ['@colophon say\0 less\ud800', 'say less\ufffd'],
])('finds the prompt in %j', (text, prompt) => {
  expect(extractPromptFromComment(text)).toBe(prompt)
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
])('finds no prompt in %j', (text) => {
  expect(extractPromptFromComment(text)).toBeUndefined()
})

test('parses a long comment in less than a second', () => {
  const cpuMilliseconds = cpuMillisecondsOf(() => {
    for (const piece of ['<!--', '`', '``x', ' ', '> ', '@', '@colophon', ',', '~~~\n'])
      extractPromptFromComment(piece.repeat(50_000 / piece.length))
  })
  expect(cpuMilliseconds).toBeLessThan(1_000)
})
