import { expect, test } from 'vitest'
import { bytesInWords, priceInWords, shareOf, tokensInWords, usdInWords } from './amounts.ts'

test('amounts are said as people say them', () => {
  expect(tokensInWords(1_250_000)).toBe('1.3M tokens')
  expect(usdInWords(12.5)).toBe('$12.50')
  expect(usdInWords(0.001)).toBe('less than $0.01')
  expect(usdInWords(0)).toBe('$0.00')
  expect(priceInWords(0.075)).toBe('$0.075')
  expect(priceInWords(null)).toBe('price not known')
  expect(bytesInWords(0)).toBe('0 KB')
  expect(bytesInWords(1024 ** 3)).toBe('1 GB')
  expect(bytesInWords(1.5 * 1024 ** 2)).toBe('1.5 MB')
})

test('a share fits into a bar', () => {
  expect(shareOf(0, 100)).toBe(0)
  expect(shareOf(0, 0)).toBe(0)
  expect(shareOf(1, 100_000)).toBe(1)
  expect(shareOf(50, 100)).toBe(50)
  expect(shareOf(150, 100)).toBe(100)
  expect(shareOf(1, 0)).toBe(100)
})
