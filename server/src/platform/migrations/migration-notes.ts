/** What server/migrations/notes.json says about each migration since the first release: what it does, and to which tables. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What a migration does to a table. `new`: creates it. `column`: changes only its definition. `read`: reads all of it, without a lock that
 * others notice. `rows`: changes rows. `index`: builds an index, and writes wait. `scan` and `rewrite`: reads or writes all of it, and
 * everything waits.
 */
export const tableWorks = ['new', 'column', 'read', 'rows', 'index', 'scan', 'rewrite'] as const
export type TableWork = (typeof tableWorks)[number]

export interface MigrationNote {
  does: string
  tables: Readonly<Record<string, TableWork>>
  /** Whether processes of the last release keep working on the result. */
  previousVersionRuns: boolean
}

export type MigrationNotes = Readonly<Record<'postgres' | 'clickhouse', Readonly<Record<string, MigrationNote>>>>

export const readMigrationNotes = (): MigrationNotes =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../migrations/notes.json'), 'utf8')) as MigrationNotes
