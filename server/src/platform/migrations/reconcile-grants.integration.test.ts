import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance } from '../../../../testing/harness/empty-test-instance.ts'
import { loadMigrateConfig } from '../config.ts'
import { type Grants, reconcileGrants } from './reconcile-grants.ts'

const grants: Grants = {
  tables: {
    page: { api: { select: true, insert: ['id'], update: ['title'] }, worker: { select: ['id'], delete: true } },
    log: { api: { select: true }, worker: {} },
  },
  functions: { 'clean_up(text)': ['worker'] },
}

/** Two tables of an owner, and two roles of this test, without any privilege. */
async function createTables() {
  const instance = await createEmptyTestInstance(inject('services'), 'reconcile_grants')
  const superuser = new pg.Client({ connectionString: instance.postgresUrl })
  const owner = new pg.Client({ connectionString: loadMigrateConfig(instance.environment).postgres.url })
  await Promise.all([superuser.connect(), owner.connect()])
  const suffix = randomBytes(4).toString('hex')
  const roles = { api: `Test "api" ${suffix}`, worker: `test_worker_${suffix}` }
  const [api, worker] = [roles.api, roles.worker].map(pg.escapeIdentifier)
  await superuser.query(`CREATE ROLE ${api}; CREATE ROLE ${worker}`)
  await owner.query(`
    CREATE TABLE page (id int, title text);
    CREATE TABLE log (id int);
    CREATE TABLE of_a_newer_version (id int);
    CREATE FUNCTION clean_up(text) RETURNS void LANGUAGE sql AS ''`)
  onTestFinished(async () => {
    await superuser.query(`DROP OWNED BY ${api}, ${worker}; DROP ROLE ${api}, ${worker}`)
    await Promise.all([superuser.end(), owner.end()])
    await instance.drop()
  })
  return {
    superuser,
    owner,
    roles,
    api,
    worker,
    /** `PRIVILEGE table` or `PRIVILEGE table.column` of the role. */
    async listPrivileges(role: string) {
      const { rows } = await superuser.query<{ privilege: string }>(
        `SELECT privilege_type || ' ' || table_name || coalesce('.' || column_name, '') AS privilege FROM (
           SELECT grantee, privilege_type, table_name, NULL AS column_name FROM information_schema.role_table_grants
           UNION SELECT grantee, privilege_type, table_name, column_name FROM information_schema.column_privileges AS one
           WHERE NOT EXISTS (
             SELECT FROM information_schema.role_table_grants AS whole
             WHERE (whole.grantee, whole.table_name, whole.privilege_type) = (one.grantee, one.table_name, one.privilege_type))
         ) AS all_privileges
         WHERE grantee = $1 ORDER BY 1`,
        [role],
      )
      return rows.map(({ privilege }) => privilege)
    },
  }
}

test('grants what is declared, and changes nothing the second time', async () => {
  const { owner, roles, superuser, listPrivileges } = await createTables()
  expect(await reconcileGrants(owner, grants, roles, { revokes: true })).toEqual({ granted: 7, revoked: 1 }) // PUBLIC may call new functions
  expect(await listPrivileges(roles.api)).toEqual(['INSERT page.id', 'SELECT log', 'SELECT page', 'UPDATE page.title'])
  expect(await listPrivileges(roles.worker)).toEqual(['DELETE page', 'SELECT page.id'])
  const { rows } = await superuser.query(
    "SELECT has_function_privilege($1, 'clean_up(text)', 'EXECUTE') AS api, has_function_privilege($2, 'clean_up(text)', 'EXECUTE') AS worker",
    [roles.api, roles.worker],
  )
  expect(rows).toEqual([{ api: false, worker: true }])
  expect(await reconcileGrants(owner, grants, roles, { revokes: true })).toEqual({ granted: 0, revoked: 0 })
})

test('revokes everything else on these tables, and nothing on others', async () => {
  const { owner, roles, api, worker, listPrivileges } = await createTables()
  await reconcileGrants(owner, grants, roles, { revokes: true })
  await owner.query(`
    GRANT ALL ON page, log TO ${api};
    GRANT SELECT, UPDATE (title) ON page TO ${worker};
    GRANT UPDATE ON log TO PUBLIC;
    GRANT EXECUTE ON FUNCTION clean_up(text) TO PUBLIC;
    GRANT SELECT ON of_a_newer_version TO ${api}`)
  await reconcileGrants(owner, grants, roles, { revokes: true })
  expect(await listPrivileges(roles.api)).toEqual([
    'INSERT page.id',
    'SELECT log',
    'SELECT of_a_newer_version',
    'SELECT page',
    'UPDATE page.title',
  ])
  expect(await listPrivileges(roles.worker)).toEqual(['DELETE page', 'SELECT page.id'])
  expect(await listPrivileges('PUBLIC')).not.toContain('UPDATE log')
})

test('leaves the roles what another version declares, until they lose it, but never PUBLIC', async () => {
  const { owner, roles, api, worker, listPrivileges } = await createTables()
  await reconcileGrants(owner, grants, roles, { revokes: true })
  await owner.query(`
    GRANT UPDATE ON page TO ${api};
    GRANT SELECT, INSERT (id) ON log TO ${worker};
    GRANT UPDATE ON log TO PUBLIC;
    GRANT EXECUTE ON FUNCTION clean_up(text) TO ${api}, PUBLIC`)
  const listFunctionUsers = async () =>
    (
      await owner.query<{ grantee: string }>(
        `SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(grantee) END AS grantee
         FROM pg_proc, aclexplode(proacl) WHERE proname = 'clean_up' AND grantee <> proowner ORDER BY 1`,
      )
    ).rows.map(({ grantee }) => grantee)

  expect(await reconcileGrants(owner, grants, roles, { revokes: false })).toEqual({ granted: 0, revoked: 2 })
  expect(await listPrivileges(roles.api)).toEqual(['INSERT page.id', 'SELECT log', 'SELECT page', 'UPDATE page'])
  expect(await listPrivileges(roles.worker)).toEqual(['DELETE page', 'INSERT log.id', 'SELECT log', 'SELECT page.id'])
  expect(await listFunctionUsers()).toEqual([roles.api, roles.worker])
  expect(await listPrivileges('PUBLIC')).not.toContain('UPDATE log')

  await reconcileGrants(owner, grants, roles, { revokes: true })
  expect(await listPrivileges(roles.api)).toEqual(['INSERT page.id', 'SELECT log', 'SELECT page', 'UPDATE page.title'])
  expect(await listPrivileges(roles.worker)).toEqual(['DELETE page', 'SELECT page.id'])
  expect(await listFunctionUsers()).toEqual([roles.worker])
})

test('lets the roles connect and use the schema, and nobody create anything in it', async () => {
  const { owner, superuser, roles } = await createTables()
  const { rows: names } = await superuser.query<{ name: string }>('SELECT current_database() AS name')
  await superuser.query(`
    REVOKE ALL ON DATABASE ${names[0]?.name} FROM PUBLIC;
    REVOKE ALL ON SCHEMA public FROM PUBLIC;
    GRANT CREATE ON SCHEMA public TO PUBLIC`) // the default until PostgreSQL 14
  await reconcileGrants(owner, grants, roles, { revokes: true })
  const { rows } = await superuser.query(
    `SELECT has_database_privilege(role, current_database(), 'CONNECT') AS connect,
       has_schema_privilege(role, 'public', 'USAGE') AS usage, has_schema_privilege(role, 'public', 'CREATE') AS create
     FROM unnest($1::text[]) AS role`,
    [Object.values(roles)],
  )
  expect(rows).toEqual(Array(2).fill({ connect: true, usage: true, create: false }))
})

test('refuses roles that are not separate, and changes nothing', async () => {
  const { owner, superuser, roles, api, worker, listPrivileges } = await createTables()
  const reconcile = (changed: Partial<typeof roles> = {}) =>
    reconcileGrants(owner, grants, { ...roles, ...changed }, { revokes: true })
  await expect(reconcile({ api: 'missing_role' })).rejects.toThrow(
    `COLOPHON_DATABASE_API_ROLE is missing_role, which does not exist: create it with CREATE ROLE "missing_role"`,
  )
  await expect(reconcile({ worker: roles.api })).rejects.toThrow('are the same role')
  await expect(reconcile({ worker: owner.user ?? '' })).rejects.toThrow(
    'has the rights of the role that migrate connects',
  )
  await superuser.query(`ALTER ROLE ${worker} SUPERUSER`)
  await expect(reconcile()).rejects.toThrow('has the rights of the role that migrate connects')
  await superuser.query(`ALTER ROLE ${worker} NOSUPERUSER CREATEROLE`)
  await expect(reconcile()).rejects.toThrow('NOCREATEROLE')
  await superuser.query(`ALTER ROLE ${worker} NOCREATEROLE; GRANT pg_write_all_data TO ${api}`)
  await expect(reconcile()).rejects.toThrow('has the privilege UPDATE on table log through another role or PUBLIC')
  expect(await listPrivileges(roles.api)).toEqual([])
  await superuser.query(`REVOKE pg_write_all_data FROM ${api}`)
  await reconcile()
})
