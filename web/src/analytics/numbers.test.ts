import { expect, test } from 'vitest'
import { changeOf, percent } from './numbers.ts'

test.each([
  [0, 0, '0 %'],
  [1, 1000, '< 1 %'],
  [999, 1000, '> 99 %'],
  [1000, 1000, '100 %'],
  [1, 3, '33 %'],
])('%d of %d is %s', (part, of, words) => expect(percent(part, of)).toBe(words))

test.each([
  [112, 100, 'measured', 'up', '12 % more'],
  [88, 100, 'measured', 'down', '12 % fewer'],
  [100, 100, 'measured', 'same', 'as many'],
  [500, 100, 'measured', 'up', '5.0 times as many'],
  [7, 0, 'measured', 'up', '7 more'],
  [7, 0, 'not_measured', 'unknown', 'not measured'],
] as const)('%d after %d, %s: %s, %s', (now, before, measured, direction, words) =>
  expect(changeOf(now, before, measured)).toEqual({ direction, words }),
)
