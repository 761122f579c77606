/** The database of deploy/compose.yml, on a PostgreSQL of its own: created by this version, or by one that had a single role. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyTestInstance } from '../../../../testing/harness/empty-test-instance.ts'
import { startOwnPostgres } from '../../../../testing/harness/own-postgres.ts'
import { runCommand } from '../../../../testing/services/run-command.ts'
import { loadMigrateConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { migrateServices } from '../processes/migrate.ts'
import { setUpComposeVolumes } from './compose-setup.ts'

/** What `setup`, `databases` and `migrate` of deploy/compose.yml do, on a PostgreSQL server. */
async function prepareCompose() {
  const postgres = await startOwnPostgres({
    cleanUp: (stop) =>
      onTestFinished(async () => {
        await stop()
      }),
  })
  const services = await createEmptyTestInstance(inject('services'), 'compose')
  onTestFinished(() => services.drop())
  const volumes = mkdtempSync(join(tmpdir(), 'colophon-volumes-'))
  onTestFinished(() => rmSync(volumes, { recursive: true }))
  mkdirSync(join(volumes, 'secrets'))
  writeFileSync(join(volumes, 'secrets/postgres-password'), postgres.password)
  const urlOf = (service: string) => {
    const url = new URL(readFileSync(join(volumes, service, 'database-url'), 'utf8'))
    url.host = `${postgres.host}:${postgres.port}`
    return url.href
  }
  const connect = async (connectionString: string) => {
    const client = new pg.Client({ connectionString })
    client.on('error', () => {}) // the server stops at the end
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  return {
    setUp: () => setUpComposeVolumes(volumes),
    createDatabases: () =>
      runCommand(['bash', join(volumes, 'postgres/create-databases.sh')], {
        env: { PATH: process.env.PATH, PGHOST: postgres.host, PGPORT: String(postgres.port) },
      }),
    migrate: (databaseRoles: { api: string; worker: string } | undefined) => {
      const config = loadMigrateConfig({ ...services.environment, COLOPHON_DATABASE_URL: urlOf('migrate') })
      return migrateServices({ ...config, databaseRoles }, createLog('test', { level: 'error' }))
    },
    connectAs: (service: string) => connect(urlOf(service)),
    connectAsSuperuser: () => connect(postgres.url),
    readPassword: (name: string) => readFileSync(join(volumes, 'secrets', name), 'utf8'),
  }
}

const roles = { api: 'colophon_api', worker: 'colophon_worker' }

async function expectSeparateRoles({ connectAs }: Awaited<ReturnType<typeof prepareCompose>>): Promise<void> {
  for (const service of ['api', 'worker'] as const) {
    const client = await connectAs(service)
    const { rows } = await client.query(
      `SELECT current_user AS role, has_table_privilege('audit_entry', 'UPDATE') AS "canChange",
         (SELECT count(*)::int FROM schema_migration) > 0 AS "canRead"`,
    )
    expect(rows).toEqual([{ role: roles[service], canChange: false, canRead: true }])
  }
}

test('a new database has three roles', async () => {
  const compose = await prepareCompose()
  await compose.setUp()
  await compose.createDatabases()
  await compose.migrate(roles)
  await expectSeparateRoles(compose)
  await compose.createDatabases() // at the next start
  await compose.migrate(roles)
})

test('a database with one role gets the others at the next start', async () => {
  const compose = await prepareCompose()
  await compose.setUp()
  const superuser = await compose.connectAsSuperuser()
  await superuser.query(`CREATE ROLE colophon LOGIN PASSWORD '${compose.readPassword('colophon-database-password')}'`)
  await superuser.query('CREATE DATABASE colophon OWNER colophon')
  await superuser.query('REVOKE ALL ON DATABASE colophon FROM PUBLIC')
  await compose.migrate(undefined)
  const owner = await compose.connectAs('migrate')
  await owner.query("INSERT INTO project (id, name) VALUES ('prj_old', 'Of the previous version')")

  await compose.createDatabases()
  await compose.migrate(roles)
  await expectSeparateRoles(compose)
  const api = await compose.connectAs('api')
  expect((await api.query('SELECT name FROM project')).rows).toEqual([{ name: 'Of the previous version' }])
})
