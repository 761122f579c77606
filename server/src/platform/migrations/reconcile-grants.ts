/**
 * Gives the database roles of `api` and `worker` exactly the privileges that are declared, on tables and functions that are declared.
 * What others have is left alone, except for PUBLIC, and so are tables of a newer version. While processes of two versions run, the roles
 * also keep what only the other version declares.
 */
import pg from 'pg'
import { ConfigError } from '../config.ts'

export interface DatabaseRoles {
  api: string
  worker: string
}
export type RoleName = keyof DatabaseRoles

/** True: all columns, including those that are added later. */
type Columns = true | readonly string[]

export interface TablePrivileges {
  readonly select?: Columns
  readonly insert?: Columns
  /** Also needed to lock rows, on any column. */
  readonly update?: Columns
  readonly delete?: true
}

export interface Grants {
  readonly tables: Readonly<Record<string, Readonly<Record<RoleName, TablePrivileges>>>>
  /** By signature, like `drop_delivery_partition(text)`. Who may call it. */
  readonly functions: Readonly<Record<string, readonly RoleName[]>>
}

interface Privilege {
  kind: 'TABLE' | 'FUNCTION'
  object: string
  privilege: string
  /** Null: the whole object. */
  column: string | null
  grantee: string
}

/**
 * In one transaction, so that a process that is running never misses a privilege. Returns how many privileges were changed. `revokes`: the
 * roles lose what is not declared.
 */
export async function reconcileGrants(
  client: pg.ClientBase,
  { tables, functions }: Grants,
  roles: DatabaseRoles,
  { revokes }: { revokes: boolean },
): Promise<{ granted: number; revoked: number }> {
  await assertRolesAreSeparate(client, roles)
  const expected = listExpected({ tables, functions }, roles)
  await client.query('BEGIN')
  try {
    await openSchema(client, roles)
    const current = await listCurrent(client, Object.keys(tables), Object.keys(functions), roles)
    // No version needs what PUBLIC has: all of them revoke it.
    const isKept = ({ grantee }: Privilege) => !revokes && grantee !== everyone
    const undeclared = subtract(current, expected)
    const kept = undeclared.filter(isKept)
    const surplus = subtract(undeclared, kept)
    const missing = subtract(expected, current)
    // Revoking a privilege on a table also revokes it on the columns, so what a role should have on such a table is granted again.
    const changed = new Set(surplus.map(objectOf))
    const repeated = expected.filter((privilege) => changed.has(objectOf(privilege)))
    const statements = [...surplus.map(formatRevoke), ...missing.map(formatGrant), ...repeated.map(formatGrant)]
    if (statements.length > 0) await client.query(statements.join(';\n'))
    await assertNothingElse(client, [...expected, ...kept], Object.keys(tables), roles)
    await client.query('COMMIT')
    return { granted: missing.length, revoked: surplus.length }
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

const settingNames: Readonly<Record<RoleName, string>> = {
  api: 'COLOPHON_DATABASE_API_ROLE',
  worker: 'COLOPHON_DATABASE_WORKER_ROLE',
}

/** A role that could become the owner of the tables, or a superuser, is not restricted by any privilege. */
async function assertRolesAreSeparate(client: pg.ClientBase, roles: DatabaseRoles): Promise<void> {
  const { rows } = await client.query<{ name: string; canCreateRoles: boolean; isOwner: boolean }>(
    `SELECT rolname AS name, rolcreaterole AS "canCreateRoles", pg_has_role(oid, current_user, 'MEMBER') AS "isOwner"
     FROM pg_roles WHERE rolname = ANY($1)`,
    [Object.values(roles)],
  )
  const errors = (['api', 'worker'] as const).flatMap((process) => {
    const name = roles[process]
    const role = rows.find((row) => row.name === name)
    const setting = `${settingNames[process]} is ${name}`
    if (!role)
      return `${setting}, which does not exist: create it with CREATE ROLE ${pg.escapeIdentifier(name)} LOGIN PASSWORD '…'`
    if (role.isOwner)
      return `${setting}, which has the rights of the role that migrate connects with: use a role that is neither this one, nor a member of it, nor a superuser`
    if (role.canCreateRoles)
      return `${setting}, which could give itself other roles: take that away with ALTER ROLE ${pg.escapeIdentifier(name)} NOCREATEROLE`
    return []
  })
  if (roles.api === roles.worker)
    errors.push(`${settingNames.api} and ${settingNames.worker} are the same role: use two roles`)
  if (errors.length > 0) throw new ConfigError(errors)
}

/** The roles can connect and use the schema. Nobody but the owner can create anything in it. */
async function openSchema(client: pg.ClientBase, roles: DatabaseRoles): Promise<void> {
  const { rows } = await client.query<{
    database: string
    schema: string
    name: string
    canConnect: boolean
    canUse: boolean
    canCreate: boolean
  }>(
    `SELECT current_database() AS database, current_schema() AS schema, rolname AS name,
       has_database_privilege(oid, current_database(), 'CONNECT') AS "canConnect",
       has_schema_privilege(oid, current_schema(), 'USAGE') AS "canUse",
       has_schema_privilege(oid, current_schema(), 'CREATE') AS "canCreate"
     FROM pg_roles WHERE rolname = ANY($1)`,
    [Object.values(roles)],
  )
  for (const { canConnect, canUse, canCreate, ...names } of rows) {
    const [database, schema, name] = [names.database, names.schema, names.name].map(pg.escapeIdentifier)
    if (!canConnect) await client.query(`GRANT CONNECT ON DATABASE ${database} TO ${name}`)
    if (!canUse) await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${name}`)
    if (canCreate) await client.query(`REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC, ${name}`)
  }
}

function listExpected({ tables, functions }: Grants, roles: DatabaseRoles): Privilege[] {
  const onTables = Object.entries(tables).flatMap(([object, privilegesOf]) =>
    (['api', 'worker'] as const).flatMap((process) =>
      Object.entries(privilegesOf[process]).flatMap(([privilege, columns]: [string, Columns]) =>
        (columns === true ? [null] : columns).map((column) => ({
          kind: 'TABLE' as const,
          object,
          privilege: privilege.toUpperCase(),
          column,
          grantee: roles[process],
        })),
      ),
    ),
  )
  const onFunctions = Object.entries(functions).flatMap(([object, processes]) =>
    processes.map((process) => ({
      kind: 'FUNCTION' as const,
      object,
      privilege: 'EXECUTE',
      column: null,
      grantee: roles[process],
    })),
  )
  return [...onTables, ...onFunctions]
}

const everyone = 'PUBLIC'

async function listCurrent(
  client: pg.ClientBase,
  tables: readonly string[],
  functions: readonly string[],
  roles: DatabaseRoles,
): Promise<Privilege[]> {
  const { rows } = await client.query<Privilege>(
    `WITH granted AS (
       SELECT 'TABLE' AS kind, relname::text AS object, privilege_type AS privilege, NULL AS column, grantee
       FROM pg_class, aclexplode(relacl)
       WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relname = ANY($1)
       UNION ALL
       SELECT 'TABLE', relname, privilege_type, attname, grantee
       FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid, aclexplode(attacl)
       WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relname = ANY($1)
       UNION ALL
       SELECT 'FUNCTION', signature, privilege_type, NULL, grantee
       FROM unnest($2::text[]) AS signature JOIN pg_proc ON pg_proc.oid = to_regprocedure(signature),
         aclexplode(coalesce(proacl, acldefault('f', proowner)))
     )
     SELECT kind, object, privilege, "column", CASE grantee WHEN 0 THEN $4 ELSE pg_get_userbyid(grantee) END AS grantee
     FROM granted WHERE grantee = 0 OR pg_get_userbyid(grantee) = ANY($3)`,
    [tables, functions, Object.values(roles), everyone],
  )
  return rows
}

/** Privileges that a role has in another way than by a grant to itself: as a member of a role. */
async function assertNothingElse(
  client: pg.ClientBase,
  expected: readonly Privilege[],
  tables: readonly string[],
  roles: DatabaseRoles,
): Promise<void> {
  const { rows } = await client.query<Privilege>(
    `SELECT 'TABLE' AS kind, name AS object, privilege, NULL AS column, role AS grantee
     FROM unnest($1::text[]) AS name, unnest($2::text[]) AS role,
       unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES']) AS privilege
     WHERE has_table_privilege(role, quote_ident(name), privilege)
     UNION ALL
     SELECT 'SCHEMA', current_schema(), 'CREATE', NULL, role FROM unnest($2::text[]) AS role
     WHERE has_schema_privilege(role, current_schema(), 'CREATE')`,
    [tables, Object.values(roles)],
  )
  const surplus = subtract(rows, expected)
  if (surplus.length > 0)
    throw new ConfigError(
      surplus.map(
        ({ grantee, privilege, kind, object }) =>
          `the database role ${grantee} has the privilege ${privilege} on ${kind.toLowerCase()} ${object} through another role or PUBLIC: revoke it there`,
      ),
    )
}

const keyOf = ({ kind, object, privilege, column, grantee }: Privilege) =>
  [kind, object, privilege, column, grantee].join('\n')

const objectOf = ({ kind, object, grantee }: Privilege) => [kind, object, grantee].join('\n')

function subtract(privileges: readonly Privilege[], others: readonly Privilege[]): Privilege[] {
  const keys = new Set(others.map(keyOf))
  return privileges.filter((privilege) => !keys.has(keyOf(privilege)))
}

function formatTarget({ kind, object, privilege, column, grantee }: Privilege) {
  const columns = column === null ? '' : ` (${pg.escapeIdentifier(column)})`
  const target = kind === 'TABLE' ? pg.escapeIdentifier(object) : `FUNCTION ${object}`
  return {
    what: `${privilege}${columns} ON ${target}`,
    grantee: grantee === everyone ? everyone : pg.escapeIdentifier(grantee),
  }
}

function formatGrant(privilege: Privilege): string {
  const { what, grantee } = formatTarget(privilege)
  return `GRANT ${what} TO ${grantee}`
}

function formatRevoke(privilege: Privilege): string {
  const { what, grantee } = formatTarget(privilege)
  return `REVOKE ${what} FROM ${grantee}`
}
