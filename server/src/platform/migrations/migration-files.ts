import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Migration {
  /** The file's name without `.sql`; its number gives the order. */
  name: string
  sql: string
  checksum: string
}

export interface AppliedMigration {
  name: string
  checksum: string
}

export interface MigrationPlan {
  pending: readonly Migration[]
  /** Applied by a newer version of Colophon. No mistake: while replicas are replaced one by one, old ones still start. */
  unknown: readonly string[]
}

const fileName = /^(\d{4}_[a-z0-9_]+)\.sql$/

export function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory).flatMap((file) => file.match(fileName)?.[1] ?? [])
  return names.sort().map((name) => {
    const sql = readFileSync(join(directory, `${name}.sql`), 'utf8')
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}

export function planMigrations(migrations: readonly Migration[], applied: readonly AppliedMigration[]): MigrationPlan {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const done = new Set(applied.map(({ name }) => name))
  for (const { name, checksum } of applied) {
    const migration = known.get(name)
    if (migration && migration.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was changed after it was applied. Restore the file and write a new migration instead.`,
      )
    }
  }
  const pending = migrations.filter(({ name }) => !done.has(name))
  const newest = applied
    .map(({ name }) => name)
    .sort()
    .at(-1)
  const late = pending.find(({ name }) => newest !== undefined && known.has(newest) && name < newest)
  if (late)
    throw new Error(`Migration ${late.name} stands before ${newest}, which is applied already. Give it a later number.`)
  return { pending, unknown: applied.map(({ name }) => name).filter((name) => !known.has(name)) }
}
