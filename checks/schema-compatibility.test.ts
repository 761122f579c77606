import { expect, test } from 'vitest'
import { findFunctionChanges, findSchemaChanges, findSchemaProblems, type Table } from './schema-compatibility.ts'

const column = { type: 'text', nullable: false, hasDefault: false }
const nullable = { ...column, nullable: true }
const table: Table = {
  columns: { id: column, note: nullable, at: { ...column, hasDefault: true } },
  constraints: { t_note_check: { definition: "CHECK (note <> '')", columns: ['note'] } },
  indexes: { t_pkey: { definition: 'UNIQUE (id)', columns: ['id'], unique: true } },
  triggers: {},
  dependents: ['the foreign key u_t of u is new'],
  storage: 'MergeTree',
}
const changesTo = (changed: Partial<Table>) => [
  ...findSchemaChanges('postgres', { t: table }, { t: { ...table, ...changed } }),
]
const withColumns = (columns: Table['columns']) => changesTo({ columns: { ...table.columns, ...columns } })

test('additions that the last release does not notice are fine', () => {
  const check = { definition: "CHECK (more <> '')", columns: ['more'] }
  const index = { definition: 'UNIQUE (id, more)', columns: ['id', 'more'], unique: true }
  const added: Partial<Table> = {
    columns: { ...table.columns, more: nullable, other: { ...column, hasDefault: true } },
    constraints: { ...table.constraints, t_more_check: check },
    indexes: { ...table.indexes, t_more: index, t_note: { definition: 'note', columns: ['note'], unique: false } },
  }
  expect(changesTo(added)).toEqual([])
  expect(findSchemaChanges('postgres', { t: table }, { t: table, u: table }).size).toBe(0)
})

test('finds tables and columns that are gone, renamed or have another type', () => {
  expect([...findSchemaChanges('postgres', { t: table }, {})]).toEqual(['postgres: the table t is gone'])
  const { note, ...others } = table.columns
  expect(changesTo({ columns: others })).toEqual(['postgres: t: the column note is gone'])
  expect(withColumns({ note: { ...nullable, type: 'integer' } })).toEqual([
    'postgres: t: the column note has the type integer instead of text',
  ])
  expect(changesTo({ storage: 'ReplacingMergeTree' })).toEqual(['postgres: t: it is stored or computed in another way'])
})

test('finds what would reject the writes of the last release', () => {
  expect(withColumns({ note: column })).toEqual(['postgres: t: the column note must not be null any longer'])
  expect(withColumns({ at: column })).toEqual(['postgres: t: the column at has no default any longer'])
  expect(withColumns({ more: column })).toEqual([
    'postgres: t: the new column more must not be null and has no default',
  ])
  const t_id_check = { definition: "CHECK (id <> '')", columns: ['id'] }
  expect(changesTo({ constraints: { ...table.constraints, t_id_check } })).toEqual([
    "postgres: t: the constraint t_id_check is new or changed: CHECK (id <> '')",
  ])
  const t_note = { definition: 'UNIQUE (note)', columns: ['note'], unique: true }
  expect(changesTo({ indexes: { ...table.indexes, t_note } })).toEqual([
    'postgres: t: the unique index t_note is new or changed: UNIQUE (note)',
  ])
  expect(changesTo({ triggers: { t_trigger: { definition: 'BEFORE INSERT', columns: [] } } })).toEqual([
    'postgres: t: the trigger t_trigger is new or changed',
  ])
})

test('finds other tables and views that could reject the writes of the last release', () => {
  const dependents = [...table.dependents, 'the foreign key v_t of v is new']
  expect(changesTo({ dependents })).toEqual(['postgres: t: the foreign key v_t of v is new'])
  expect(changesTo({ dependents: [] })).toEqual([])
})

test('finds functions that are gone or changed', () => {
  const before = { 'f(text)': 'one', 'g()': 'one' }
  expect(findFunctionChanges(before, { ...before, 'h()': 'new' })).toEqual([])
  expect(findFunctionChanges(before, { 'f(text, text)': 'one', 'g()': 'another' })).toEqual([
    'postgres: the function f(text) is gone or changed',
    'postgres: the function g() is gone or changed',
  ])
})

test('finds indexes that are gone: the last release may name them in ON CONFLICT', () => {
  expect(changesTo({ indexes: {} })).toEqual(['postgres: t: the unique index t_pkey is gone or changed'])
})

test('an exception needs a reason, and must still be necessary', () => {
  const change = 'postgres: the table t is gone'
  expect(findSchemaProblems(new Set([change]), [])).toEqual([`Breaks the last release: ${change}`])
  expect(findSchemaProblems(new Set([change]), [{ change, reason: 'unused' }])).toEqual([])
  expect(findSchemaProblems(new Set(), [{ change, reason: '' }])).toEqual([
    `Listed but not found, so remove the entry: ${change}`,
    `Listed without a reason: ${change}`,
  ])
})
