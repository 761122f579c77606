/** What the database roles of `api` and `worker` can and cannot do, on PostgreSQL. */
import pg from 'pg'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { databaseRoles, withDatabaseRole } from '../../../testing/harness/database-roles.ts'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
import { loadMigrateConfig } from '../platform/config.ts'
import type { RoleName } from '../platform/migrations/reconcile-grants.ts'
import { grants } from './grants.ts'

const instance = await createTestInstance(inject('services'), 'grants')
afterAll(() => instance.drop())

async function connect(role: RoleName): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: loadMigrateConfig(withDatabaseRole(role, instance.environment)).postgres.url,
  })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Runs it inside a DO block, so that the file does not count as one with a statement that was denied. Returns the error. */
async function attempt(client: pg.Client, statement: string): Promise<string | undefined> {
  await client.query('BEGIN')
  const error = await client
    .query(`DO $do$ BEGIN
    EXECUTE $sql$${statement}$sql$;
    RAISE EXCEPTION 'it was allowed';
  EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'denied: %', SQLERRM;
  END $do$`)
    .then(
      () => undefined,
      ({ message }: Error) => message,
    )
  await client.query('ROLLBACK')
  return error
}

test('every table, view and function with the rights of the owner is declared', async () => {
  const { rows } = await instance.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND NOT relispartition`,
  )
  const undeclared = rows.filter(({ name }) => !(name in grants.tables))
  expect(
    undeclared.map(
      ({ name }) => `table ${name} has no grants for api and worker: add it to server/src/database/grants.ts`,
    ),
  ).toEqual([])
  const functions = await instance.pool.query<{ name: string }>(
    'SELECT proname AS name FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef',
  )
  const declared = Object.keys(grants.functions).map((signature) => signature.replace(/\(.*/, ''))
  expect(functions.rows.map(({ name }) => name).sort()).toEqual(declared.sort())
})

const attacks: Readonly<Record<RoleName, readonly string[]>> = {
  api: [
    "UPDATE audit_entry SET actor = 'someone else'",
    'DELETE FROM audit_entry',
    'TRUNCATE audit_entry',
    "INSERT INTO audit_entry (project_id, id, at, actor, action, subject, detail) VALUES ('instance', 'aud_x', '2020-01-01', '', '', '', '{}')",
    'DELETE FROM audit_export',
    'DELETE FROM audit_export_target',
    'DELETE FROM person',
    'SELECT sealed FROM credential',
    'SELECT token_hash FROM turn_attempt',
    'SELECT bytes FROM turn_result_chunk',
    "UPDATE turn_result SET base_commit = ''",
    "UPDATE held_result SET diff = ''",
    'UPDATE model_call SET output_tokens = 0',
    'DELETE FROM model_month',
    "SELECT drop_delivery_partition('person')",
  ],
  worker: [
    "UPDATE audit_entry SET actor = 'someone else'",
    'TRUNCATE audit_entry',
    "INSERT INTO audit_entry (project_id, id, at, actor, action, subject, detail) VALUES ('instance', 'aud_x', '2020-01-01', '', '', '', '{}')",
    // What the trigger allows when a person is deleted.
    `DO $$ BEGIN
       PERFORM set_config('colophon.anonymized_email', 'owner', true), set_config('colophon.anonymized_as', 'viewer', true);
       UPDATE audit_entry SET detail = replace(detail::text, '"owner"', '"viewer"')::jsonb;
     END $$`,
    'SELECT password FROM person_account',
    'SELECT token FROM person_session',
    'SELECT secret FROM person_two_factor',
    'SELECT token_hash FROM invitation',
    'SELECT secret_hash FROM api_key',
    'UPDATE person SET is_operator = true',
    'UPDATE runner SET token_hash = token_hash',
    "SELECT delete_person('per_x')",
  ],
}

const attacksOfBoth = [
  'ALTER TABLE audit_entry DISABLE TRIGGER ALL',
  'ALTER TABLE audit_entry OWNER TO CURRENT_USER',
  'DROP TABLE audit_entry',
  'DROP TRIGGER audit_entry_is_insert_only ON audit_entry',
  "CREATE OR REPLACE FUNCTION reject_audit_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
  'CREATE TABLE own_table (id int)',
  'CREATE TRIGGER own_trigger BEFORE INSERT ON audit_entry EXECUTE FUNCTION reject_audit_change()',
  'CREATE RULE own_rule AS ON INSERT TO audit_entry DO INSTEAD NOTHING',
  'DO $$ BEGIN GRANT UPDATE ON audit_entry TO CURRENT_USER; UPDATE audit_entry SET id = id; END $$', // GRANT alone only warns
  "SET session_replication_role = 'replica'",
  'SET ROLE colophon_test',
  'SET SESSION AUTHORIZATION colophon_test',
  'CREATE ROLE another',
  'DELETE FROM schema_migration',
]

test.each(['api', 'worker'] as const)('PostgreSQL denies what %s must not do', async (role) => {
  const client = await connect(role)
  for (const statement of [...attacks[role], ...attacksOfBoth])
    expect([statement, await attempt(client, statement)]).toEqual([
      statement,
      expect.stringMatching(/^denied: |must be (owner|able)|permission denied/),
    ])
})

test('worker deletes entries of the audit log only when they have expired', async () => {
  const worker = await connect('worker')
  const insert = (id: string, at: string) =>
    instance.pool.query(
      `INSERT INTO audit_entry (project_id, id, at, actor, action, subject, detail)
       VALUES ('instance', $1, now() - $2::interval, 'operator', 'x', 'x', '{}')`,
      [id, at],
    )
  await insert('aud_old', '91 days')
  await insert('aud_new', '89 days')
  await worker.query("SET colophon.audit_retention = 'on'")
  expect((await worker.query("DELETE FROM audit_entry WHERE id = 'aud_old'")).rowCount).toBe(1)
  await expect(worker.query("DELETE FROM audit_entry WHERE id = 'aud_new'")).rejects.toThrow('at least 90 days')
})

test('entries of api and worker are queued for the webhook, and api cannot remove them', async () => {
  await instance.stores.auditExports.setTarget('https://siem.example.com')
  for (const role of ['api', 'worker'] as const) {
    const client = await connect(role)
    await client.query(
      `INSERT INTO audit_entry (project_id, id, actor, action, subject, detail) VALUES ('instance', $1, 'x', 'x', 'x', '{}')`,
      [`aud_of_${role}`],
    )
  }
  const { rows } = await instance.pool.query('SELECT id FROM audit_export ORDER BY id')
  expect(rows).toEqual([{ id: 'aud_of_api' }, { id: 'aud_of_worker' }])
})

test('the deletion of a person changes the log only together with an entry about it', async () => {
  const api = await connect('api')
  const insertPerson = async (id: string, email: string) =>
    api.query('INSERT INTO person (id, name, email) VALUES ($1, $1, $2)', [id, email])
  await insertPerson('per_a', 'ada@example.com')
  await expect(api.query("SELECT delete_person('per_a')")).rejects.toThrow('is not in the audit log')
  await expect(api.query("SELECT delete_person('per_b')")).rejects.toThrow('there is no person')
  await insertPerson('per_c', 'operator')
  await expect(api.query("SELECT delete_person('per_c')")).rejects.toThrow('not an email address')
  expect((await api.query("SELECT id FROM person WHERE id IN ('per_a', 'per_c')")).rowCount).toBe(2)
})

test('functions of the owner use no table or function of the caller', async () => {
  const api = await connect('api')
  await api.query('CREATE TEMPORARY TABLE person (id text, email text)')
  await api.query("INSERT INTO person VALUES ('per_temporary', 'temporary@example.com')")
  await expect(api.query("SELECT delete_person('per_temporary')")).rejects.toThrow('there is no person')
})

test('a partition of delivery IDs can be dropped, and no other table', async () => {
  const worker = await connect('worker')
  await worker.query("SELECT add_delivery_partition('beacon_delivery', '2020-01-01Z', '2020-01-02Z')")
  const exists = async (name: string) =>
    (await worker.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [name])).rows[0]?.found
  expect(await exists('beacon_delivery_20200101_0000')).toBe(true)
  await worker.query("SELECT drop_delivery_partition('beacon_delivery_20200101_0000')")
  expect(await exists('beacon_delivery_20200101_0000')).toBe(false)
  for (const name of ['person', 'view_delivery_0', 'beacon_delivery'])
    await worker.query('SELECT drop_delivery_partition($1)', [name])
  expect(await exists('person')).toBe(true)
  expect(await exists('view_delivery_0')).toBe(true)
  expect(await exists('beacon_delivery')).toBe(true)
  await expect(worker.query("SELECT add_delivery_partition('person', '2020-01-01Z', '2020-01-02Z')")).rejects.toThrow(
    'not a table of delivery IDs',
  )
})

test('the roles can change exactly what is declared', async () => {
  const { rows } = await instance.pool.query<{ role: string; table: string }>(
    `SELECT role, relname AS table FROM pg_class, unnest($1::text[]) AS role
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
       AND (has_table_privilege(role, pg_class.oid, 'TRUNCATE') OR has_table_privilege(role, pg_class.oid, 'TRIGGER')
         OR relispartition AND has_any_column_privilege(role, pg_class.oid, 'SELECT'))`,
    [Object.values(databaseRoles)],
  )
  expect(rows).toEqual([])
})
