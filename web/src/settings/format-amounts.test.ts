import { expect, test } from 'vitest'
import { formatBytes, formatPrice, formatTokens, formatUsd, toProgressBarPercent } from './format-amounts.ts'

test('formats tokens, money and bytes for people', () => {
  expect(formatTokens(1_250_000)).toBe('1.3M tokens')
  expect(formatUsd(12.5)).toBe('$12.50')
  expect(formatUsd(0.001)).toBe('less than $0.01')
  expect(formatUsd(0)).toBe('$0.00')
  expect(formatPrice(0.075)).toBe('$0.075')
  expect(formatPrice(null)).toBe('unknown price')
  expect(formatBytes(0)).toBe('0 KB')
  expect(formatBytes(1024 ** 3)).toBe('1 GB')
  expect(formatBytes(1.5 * 1024 ** 2)).toBe('1.5 MB')
})

test('a percentage fits into a progress bar', () => {
  expect(toProgressBarPercent(0, 100)).toBe(0)
  expect(toProgressBarPercent(0, 0)).toBe(0)
  expect(toProgressBarPercent(1, 100_000)).toBe(1)
  expect(toProgressBarPercent(50, 100)).toBe(50)
  expect(toProgressBarPercent(150, 100)).toBe(100)
  expect(toProgressBarPercent(1, 0)).toBe(100)
})
