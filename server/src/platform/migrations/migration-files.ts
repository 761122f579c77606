import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Migration {
  /** The file name without `.sql`. Its number determines the order. */
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
  /** Applied by a newer version of Colophon. Not an error: during a rolling update, old replicas still start. */
  unknown: readonly string[]
}

const fileNamePattern = /^(\d{4}_[a-z0-9_]+)\.sql$/

export function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory).flatMap((file) => file.match(fileNamePattern)?.[1] ?? [])
  return names.sort().map((name) => {
    const sql = readFileSync(join(directory, `${name}.sql`), 'utf8')
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}

export function planMigrations(migrations: readonly Migration[], applied: readonly AppliedMigration[]): MigrationPlan {
  const migrationsByName = new Map(migrations.map((migration) => [migration.name, migration]))
  const appliedNames = new Set(applied.map(({ name }) => name))
  for (const { name, checksum } of applied) {
    const migration = migrationsByName.get(name)
    if (migration && migration.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was modified after it was applied. Restore the file and add a new migration instead.`,
      )
    }
  }
  const pending = migrations.filter(({ name }) => !appliedNames.has(name))
  const newest = applied
    .map(({ name }) => name)
    .sort()
    .at(-1)
  const outOfOrder = pending.find(({ name }) => newest !== undefined && migrationsByName.has(newest) && name < newest)
  if (outOfOrder)
    throw new Error(
      `Migration ${outOfOrder.name} is numbered before ${newest}, which is already applied. Give it a higher number.`,
    )
  return { pending, unknown: applied.map(({ name }) => name).filter((name) => !migrationsByName.has(name)) }
}
