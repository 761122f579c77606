import { expect, test } from 'vitest'
import { tokenIn } from './link-token.ts'

test.each([
  ['abc_-1', 'abc_-1'],
  ['#abc_-1', 'abc_-1'],
  [' https://colophon.example.com/welcome#abc_-1\n', 'abc_-1'],
  ['https://colophon.example.com/welcome#', ''],
  ['', ''],
])('the token in %o is %o', (text, token) => {
  expect(tokenIn(text)).toBe(token)
})
