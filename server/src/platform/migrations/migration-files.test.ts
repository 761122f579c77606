import { expect, test } from 'vitest'
import { statementsOf } from './clickhouse-migrations.ts'
import { planMigrations } from './migration-files.ts'

const migration = (name: string, checksum = name) => ({ name, sql: '', checksum })
const first = migration('0001_first')
const second = migration('0002_second')

test('what is not applied is pending, in order', () => {
  expect(planMigrations([first, second], [])).toEqual({ pending: [first, second], unknown: [] })
  expect(planMigrations([first, second], [first])).toEqual({ pending: [second], unknown: [] })
})

test('an old version goes on with a newer schema', () => {
  expect(planMigrations([first], [first, second])).toEqual({ pending: [], unknown: ['0002_second'] })
})

test('a migration that was changed after it was applied is refused', () => {
  expect(() => planMigrations([first], [migration('0001_first', 'other')])).toThrow('0001_first was changed')
})

test('a migration that slipped in before an applied one is refused', () => {
  expect(() => planMigrations([first, second], [second])).toThrow('0001_first stands before 0002_second')
})

test('ClickHouse statements have to be repeatable', () => {
  const sql =
    '-- why\nCREATE TABLE IF NOT EXISTS a (b String) ENGINE = Memory;\n\nALTER TABLE a ADD COLUMN IF NOT EXISTS c String;\n'
  expect(statementsOf({ name: '0001', sql })).toHaveLength(2)
  expect(() => statementsOf({ name: '0001', sql: 'CREATE TABLE a (b String) ENGINE = Memory;' })).toThrow(
    'IF NOT EXISTS',
  )
})
