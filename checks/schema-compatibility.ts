/**
 * While replicas are replaced one by one, and after a rollback, processes of the last release run on the schema of this version. So a
 * version only adds to the schema. This check finds what would break the older code: something that it reads or writes is gone or has
 * another type, or its writes could be rejected. Privileges of the database roles are not compared, because only `upgrade --finish`
 * revokes them.
 */

export interface Column {
  type: string
  nullable: boolean
  /** Also an identity or a generated column: an insert may leave it out. */
  hasDefault: boolean
}

/** A constraint or a trigger. */
export interface Rule {
  /** `pg_get_constraintdef` or `pg_get_triggerdef`. */
  definition: string
  columns: readonly string[]
}

export interface Table {
  columns: Readonly<Record<string, Column>>
  /** By name. Checks, foreign keys and exclusions. */
  constraints: Readonly<Record<string, Rule>>
  /** By name. With those of primary keys and unique constraints. */
  indexes: Readonly<Record<string, Rule & { unique: boolean }>>
  triggers: Readonly<Record<string, Rule>>
  /** Sentences about others that take part in its writes: foreign keys that refuse deletions, and materialized views. */
  dependents: readonly string[]
  /** Of ClickHouse: how the table is stored, and the query of a view. */
  storage?: string
}

export type Schema = Readonly<Record<string, Table>>

/** Definitions by signature. Those of triggers are compared with their triggers. */
export type Functions = Readonly<Record<string, string>>

/** One sentence for each function that the older version may call in vain. */
export function findFunctionChanges(before: Functions, after: Functions): string[] {
  return Object.entries(before)
    .filter(([signature, definition]) => after[signature] !== definition)
    .map(([signature]) => `postgres: the function ${signature} is gone or changed`)
}

/** One sentence for each change that the older version may not survive, without the ones that cannot affect it. */
export function findSchemaChanges(service: string, before: Schema, after: Schema): Set<string> {
  const changes = new Set<string>()
  for (const [name, table] of Object.entries(before)) {
    const newTable = after[name]
    if (!newTable) changes.add(`${service}: the table ${name} is gone`)
    else for (const change of findTableChanges(table, newTable)) changes.add(`${service}: ${name}: ${change}`)
  }
  return changes
}

function* findTableChanges(before: Table, after: Table): Generator<string> {
  yield* findColumnChanges(before, after)
  yield* findConstraintChanges(before, after)
  yield* findIndexChanges(before, after)
  for (const [name, { definition }] of Object.entries(after.triggers))
    if (before.triggers[name]?.definition !== definition) yield `the trigger ${name} is new or changed`
  for (const dependent of after.dependents) if (!before.dependents.includes(dependent)) yield dependent
  if (before.storage !== after.storage) yield 'it is stored or computed in another way'
}

function* findColumnChanges(before: Table, after: Table): Generator<string> {
  for (const [name, column] of Object.entries(before.columns)) {
    const newColumn = after.columns[name]
    if (!newColumn) yield `the column ${name} is gone`
    else {
      if (column.type !== newColumn.type)
        yield `the column ${name} has the type ${newColumn.type} instead of ${column.type}`
      if (column.nullable && !newColumn.nullable) yield `the column ${name} must not be null any longer`
      if (column.hasDefault && !newColumn.hasDefault) yield `the column ${name} has no default any longer`
    }
  }
  for (const [name, { nullable, hasDefault }] of Object.entries(after.columns))
    if (!before.columns[name] && !nullable && !hasDefault)
      yield `the new column ${name} must not be null and has no default`
}

/** A constraint of new columns alone holds for rows that the older version writes, because they have the defaults. */
function* findConstraintChanges(before: Table, after: Table): Generator<string> {
  const definitions = new Set(Object.values(before.constraints).map(({ definition }) => definition))
  for (const [name, { definition, columns }] of Object.entries(after.constraints)) {
    if (definitions.has(definition) || !concernsOldColumns(before, columns)) continue
    yield `the constraint ${name} is new or changed: ${definition}`
  }
}

function* findIndexChanges(before: Table, after: Table): Generator<string> {
  for (const [name, { definition, unique }] of Object.entries(before.indexes)) {
    const isKept = Object.values(after.indexes).some((index) => index.definition === definition)
    if (!isKept) yield `the ${unique ? 'unique index' : 'index'} ${name} is gone or changed`
  }
  const definitions = new Set(Object.values(before.indexes).map(({ definition }) => definition))
  for (const [name, { definition, columns, unique }] of Object.entries(after.indexes)) {
    // With a column that the older version leaves null, no two of its rows are equal.
    if (
      !unique ||
      definitions.has(definition) ||
      columns.some((column) => after.columns[column]?.nullable && !before.columns[column])
    )
      continue
    if (concernsOldColumns(before, columns)) yield `the unique index ${name} is new or changed: ${definition}`
  }
}

const concernsOldColumns = (before: Table, columns: readonly string[]) =>
  columns.length === 0 || columns.some((column) => before.columns[column] !== undefined)

/** A change that the older version survives, although this check cannot know it. */
export interface IntendedSchemaChange {
  /** The sentence of the check. */
  change: string
  /** Why the older version keeps working. */
  reason: string
}

/** One sentence for each change that is not listed, and for each entry of the list that is wrong or no longer needed. */
export function findSchemaProblems(changes: ReadonlySet<string>, intended: readonly IntendedSchemaChange[]): string[] {
  const listed = new Set(intended.map(({ change }) => change))
  return [
    ...[...changes].filter((change) => !listed.has(change)).map((change) => `Breaks the last release: ${change}`),
    ...intended.flatMap(({ change, reason }) => [
      ...(changes.has(change) ? [] : [`Listed but not found, so remove the entry: ${change}`]),
      ...(reason ? [] : [`Listed without a reason: ${change}`]),
    ]),
  ]
}
