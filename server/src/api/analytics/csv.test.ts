import { expect, test } from 'vitest'
import { formatCsvLine } from './csv.ts'

test.each([
  ['/docs/start', '/docs/start'],
  ['/a,b', '"/a,b"'],
  ['/say "hi"', '"/say ""hi"""'],
  ['/two\r\nlines', '"/two\r\nlines"'],
  [' /space ', '" /space "'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['(other)', '(other)'],
  ['/größe/📖', '/größe/📖'],
  ['', ''],
])('writes %j as %j', (value, cell) => {
  expect(formatCsvLine([value, -7])).toBe(`${cell},-7\r\n`)
})
