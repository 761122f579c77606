import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { dateRangeQueryFields, parseDateRange } from './date-range.ts'

const compiled = Compile(dateRangeQueryFields.dateFrom)

test.each([
  ['2026-02-03', '2026-02-03T00:00:00.000Z'],
  ['2026-02-03T04:05Z', '2026-02-03T04:05:00.000Z'],
  ['2026-02-03T04:05:06', '2026-02-03T04:05:06.000Z'],
  ['2026-02-03t04:05:06.7z', '2026-02-03T04:05:06.700Z'],
  ['2026-02-03T04:05:06,789Z', '2026-02-03T04:05:06.789Z'],
  ['2026-02-03T04:05:06.789000001Z', '2026-02-03T04:05:06.790Z'],
  ['2026-02-03T04:05:06.999999Z', '2026-02-03T04:05:07.000Z'],
  ['2026-02-03T00:00:00+05:30', '2026-02-02T18:30:00.000Z'],
  ['2026-02-03T00:00:00 05:30', '2026-02-02T18:30:00.000Z'],
  ['2026-02-03T00:00-0330', '2026-02-03T03:30:00.000Z'],
  ['2026-02-03T00:00+14', '2026-02-02T10:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['0099-01-01', '0099-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59-23:59', '+010000-01-01T23:58:59.000Z'],
])('reads %s as %s', (text, moment) => {
  expect(compiled.Check(text)).toBe(true)
  expect(parseDateRange({ dateFrom: text }).from?.toISOString()).toBe(moment)
  expect(parseDateRange({ dateTo: text }).to?.toISOString()).toBe(moment)
})

test.each([
  '',
  'yesterday',
  '2026',
  '2026-02',
  '2026-2-3',
  '2026-13-01',
  '2026-00-10',
  '2026-01-32',
  '20260203',
  '1754000000',
  '2026-02-03T',
  '2026-02-03T24:00Z',
  '2026-02-03T04:60Z',
  '2026-02-03T04:05:60Z',
  '2026-02-03T04:05:06.Z',
  '2026-02-03 04:05',
  '2026-02-03T04:05+24:00',
  '2026-02-03Z',
  ' 2026-02-03',
  '2026-02-03\n',
  '٢٠٢٦-02-03',
])('rejects %j', (text) => {
  expect(compiled.Check(text)).toBe(false)
})

test.each(['2026-02-29', '2026-04-31T00:00Z', '2100-02-29'])('rejects %s, which does not exist', (text) => {
  expect(() => parseDateRange({ dateFrom: text })).toThrow('query/dateFrom is not a valid date')
})

test('requires dateTo to be later than dateFrom', () => {
  for (const dateTo of ['2026-02-03', '2026-02-03T01:00+01:00', '2025-12-31'])
    expect(() => parseDateRange({ dateFrom: '2026-02-03', dateTo })).toThrow('must be later than dateFrom')
  expect(() => parseDateRange({ dateFrom: '2026-02-03', dateTo: '2026-02-03T00:00:00.001Z' })).not.toThrow()
})

test('two bounds within a millisecond are an empty range, if they are in order', () => {
  const earlier = '2026-02-03T00:00:00.000100Z'
  const later = '2026-02-03T01:00:00.0002+01:00'
  const next = new Date('2026-02-03T00:00:00.001Z')
  expect(parseDateRange({ dateFrom: earlier, dateTo: later })).toEqual({ from: next, to: next })
  for (const dateFrom of [later, earlier])
    expect(() => parseDateRange({ dateFrom, dateTo: earlier })).toThrow('must be later than dateFrom')
})
