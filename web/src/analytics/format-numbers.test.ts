import { expect, test } from 'vitest'
import { describeCountChange, formatPercent } from './format-numbers.ts'

test.each([
  [0, 0, '0%'],
  [1, 1000, '<1%'],
  [999, 1000, '>99%'],
  [1000, 1000, '100%'],
  [1, 3, '33%'],
])('%d of %d is %s', (part, whole, text) => expect(formatPercent(part, whole)).toBe(text))

test.each([
  [112, 100, 'measured', 'up', '12% more than'],
  [88, 100, 'measured', 'down', '12% less than'],
  [100, 100, 'measured', 'same', 'Same as'],
  [500, 100, 'measured', 'up', '5.0 times'],
  [7, 0, 'measured', 'up', '7 more than'],
  [7, 0, 'not_measured', 'unknown', 'Not measured in'],
] as const)('%d after %d, %s: %s, %s', (count, previous, coverage, direction, text) =>
  expect(describeCountChange(count, previous, coverage)).toEqual({ direction, text }),
)
