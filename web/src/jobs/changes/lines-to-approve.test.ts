import { expect, test } from 'vitest'
import { groupByPath } from './lines-to-approve.ts'

test('groups the lines by file', () => {
  const lines = groupByPath([
    { path: 'a.mdx', line: 3 },
    { path: 'b.svg', line: null },
    { path: 'a.mdx', line: 9 },
  ])
  expect(lines).toEqual(
    new Map([
      ['a.mdx', new Set([3, 9])],
      ['b.svg', new Set()],
    ]),
  )
})
