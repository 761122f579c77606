import { expect, test } from 'vitest'
import { formatSparkline } from './sparkline.ts'

test.each([
  [[], ''],
  [[0, 0], '  '],
  [[1, 2, 4, 8], '▁▂▄█'],
  [[0, 1000], ' █'],
])('%j', (values, expected) => {
  expect(formatSparkline(values, 10)).toBe(expected)
})

test('adds up neighbors if there are too many numbers', () => {
  expect(formatSparkline([1, 1, 2, 2, 4, 4, 8, 8], 4)).toBe('▁▂▄█')
  expect(
    formatSparkline(
      Array.from({ length: 365 }, () => 1),
      60,
    ),
  ).toHaveLength(53)
})
