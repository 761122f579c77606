import { afterAll, expect, inject, test } from 'vitest'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { pathCellSql } from './stream-pages.ts'

const instance = await createViewsTestInstance(inject('services'), 'stream pages')
afterAll(() => instance.drop())

test.each([
  ['/docs/start', '/docs/start'],
  ['/a,b', '"/a,b"'],
  ['/say "hi"', '"/say ""hi"""'],
  ['/two\r\nlines', '/two lines'],
  [' /space ', '" /space "'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '" =1"'],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['(other)', '(other)'],
  ["/it's", "/it's"],
  ['/back\\slash', '/back\\slash'],
  ['/größe/📖', '/größe/📖'],
  ['', ''],
])('writes %j as the cell %j', async (path, cell) => {
  const response = await instance.clickhouse.query({
    query: `WITH ${pathCellSql} SELECT cell FROM (SELECT {path: String} AS path)`,
    query_params: { path },
    format: 'JSONEachRow',
  })
  expect(await response.json()).toEqual([{ cell }])
})
