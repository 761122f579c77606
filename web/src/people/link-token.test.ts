import { expect, test } from 'vitest'
import { parseLinkToken } from './link-token.ts'

test.each([
  ['abc_-1', 'abc_-1'],
  ['#abc_-1', 'abc_-1'],
  [' https://colophon.example.com/welcome#abc_-1\n', 'abc_-1'],
  ['https://colophon.example.com/welcome#', ''],
  ['', ''],
])('reads from %o the token %o', (text, token) => {
  expect(parseLinkToken(text)).toBe(token)
})
