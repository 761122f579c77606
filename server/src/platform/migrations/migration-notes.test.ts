import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readMigrations } from './migration-files.ts'
import { readMigrationNotes, tableWorks } from './migration-notes.ts'

const notes = readMigrationNotes()
const lastOfFirstRelease = { postgres: '0006_new_hosts', clickhouse: '0001_views' }

/** The tables that statements create, change or index. */
function findChangedTables(sql: string): Set<string> {
  const withoutComments = sql.replace(/^\s*--.*$/gm, '')
  const statements = [
    /\bCREATE TABLE (?:IF NOT EXISTS )?(\w+)/g,
    /\bALTER TABLE (?:IF EXISTS )?(\w+)/g,
    /\bCREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?\w+\s+ON (\w+)/g,
    /^(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)/gm,
  ]
  return new Set(statements.flatMap((pattern) => [...withoutComments.matchAll(pattern)].map(([, table = '']) => table)))
}

describe.each(['postgres', 'clickhouse'] as const)('%s', (service) => {
  const migrations = readMigrations(join(import.meta.dirname, '../../../migrations', service))
  const noted = migrations.filter(({ name }) => name > lastOfFirstRelease[service])

  test('server/migrations/notes.json has a note for each migration since the first release, and no others', () => {
    expect(Object.keys(notes[service])).toEqual(noted.map(({ name }) => name))
  })

  test.each(noted)('$name: the note names every table that is changed', ({ name, sql }) => {
    const note = notes[service][name]
    expect(note?.does).toMatch(/^[a-z]/)
    for (const work of Object.values(note?.tables ?? {})) expect(tableWorks).toContain(work)
    // A function has statements that run later.
    const withoutFunctions = sql.replace(/\$\$[\s\S]*?\$\$/g, '')
    for (const table of findChangedTables(withoutFunctions)) expect(Object.keys(note?.tables ?? {})).toContain(table)
  })
})
