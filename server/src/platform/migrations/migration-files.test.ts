import { expect, test } from 'vitest'
import { splitStatements } from './clickhouse-migrations.ts'
import { planMigrations } from './migration-files.ts'

const migration = (name: string, checksum = name) => ({ name, sql: '', checksum })
const first = migration('0001_first')
const second = migration('0002_second')

test('returns the pending migrations in order', () => {
  expect(planMigrations([first, second], [])).toEqual({ pending: [first, second], unknown: [] })
  expect(planMigrations([first, second], [first])).toEqual({ pending: [second], unknown: [] })
})

test('accepts a newer schema', () => {
  expect(planMigrations([first], [first, second])).toEqual({ pending: [], unknown: ['0002_second'] })
})

test('rejects a migration that was modified after it was applied', () => {
  expect(() => planMigrations([first], [migration('0001_first', 'other')])).toThrow('0001_first was modified')
})

test('rejects a pending migration that is numbered before an applied one', () => {
  expect(() => planMigrations([first, second], [second])).toThrow('0001_first is numbered before 0002_second')
})

test('requires idempotent ClickHouse statements', () => {
  const sql =
    '-- why\nCREATE TABLE IF NOT EXISTS a (b String) ENGINE = Memory;\n\nALTER TABLE a ADD COLUMN IF NOT EXISTS c String;\n'
  expect(splitStatements({ name: '0001', sql })).toHaveLength(2)
  expect(() => splitStatements({ name: '0001', sql: 'CREATE TABLE a (b String) ENGINE = Memory;' })).toThrow(
    'IF NOT EXISTS',
  )
})
