import { expect, test } from 'vitest'
import { readStatement } from './statement.ts'

test.each([
  ['INSERT INTO t FORMAT JSONEachRow'],
  ['insert into a.b (format, `values`) settings async_insert = 0 format CSV'],
  ["-- INSERT first\n /* then */ INSERT INTO t VALUES ('a;b'); ('c')"],
  ['INSERT INTO t FORMAT JSONEachRow\n{"text":"it\'s; SELECT 2"}\n'],
  ['INSERT INTO t SELECT * FROM s'],
])('recognizes an INSERT: %s', (sql) => {
  expect(readStatement(sql)).toEqual({ kind: 'insert' })
})

test.each([
  ['SELECT 1 FORMAT JSON', 'JSON'],
  ['SELECT 1\nFORMAT JSONEachRow ;\n', 'JSONEachRow'],
  ['SELECT 1 format TSV settings max_threads = 1', 'TSV'],
  ["SELECT 1 FORMAT CSV -- ; 'unfinished", 'CSV'],
  ["SELECT format('{}', a) FORMAT JSONCompact", 'JSONCompact'],
  ['SELECT a AS format FROM t', undefined],
  ['SELECT (SELECT 1 AS format) x', undefined],
  ["SELECT 'FORMAT CSV'", undefined],
  ["SELECT 'it''s \\' ; FORMAT CSV', `;`, \";\" FORMAT XML", 'XML'],
  ['SELECT $q$ ; FORMAT CSV $q$', undefined],
  ['CREATE TABLE format (a UInt8) ENGINE = MergeTree ORDER BY a', undefined],
])('%s: finds the format %s', (sql, format) => {
  expect(readStatement(sql)).toEqual({ kind: 'other', ...(format && { format }) })
})

test.each([['SELECT 1; SELECT 2'], ['USE a;\nSELECT 1;'], [';SELECT 1; -- and\nSELECT 2']])(
  'recognizes multiple statements: %s',
  (sql) => {
    expect(readStatement(sql)).toEqual({ kind: 'multiple' })
  },
)

test.each([[''], [' ;\n'], ['-- nothing']])('recognizes an empty statement: %j', (sql) => {
  expect(readStatement(sql)).toEqual({ kind: 'empty' })
})

test('parses a literal of many megabytes', () => {
  expect(readStatement(`SELECT '${'long '.repeat(2_000_000)}' FORMAT CSV`)).toEqual({ kind: 'other', format: 'CSV' })
})
