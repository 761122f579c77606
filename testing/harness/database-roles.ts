/**
 * The PostgreSQL roles of test instances, as in deploy/compose.yml: one owns the tables, and `api` and `worker` have roles of their own, so
 * that a missing privilege fails a test. All instances on a server share the roles, which have the password of the superuser.
 */
import { runOnPostgres } from './run-on-postgres.ts'

const owner = 'colophon_test'
export const databaseRoles = { api: 'colophon_test_api', worker: 'colophon_test_worker' } as const

/** Several tests may create them at the same time. */
export async function createDatabaseRoles(superuserUrl: string): Promise<void> {
  const password = decodeURIComponent(new URL(superuserUrl).password).replaceAll("'", "''")
  for (const role of [owner, ...Object.values(databaseRoles)])
    await runOnPostgres(
      superuserUrl,
      `DO $$ BEGIN
         IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN
           CREATE ROLE ${role} LOGIN PASSWORD '${password}';
         END IF;
       EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
       END $$`,
    )
}

export const createDatabaseStatement = (name: string) => `CREATE DATABASE "${name}" OWNER ${owner}`

export const toOwnerUrl = (superuserUrl: string) => withUser(superuserUrl, owner)

function withUser(url: string, user: string): string {
  const changed = new URL(url)
  changed.username = user
  return changed.href
}

type Environment = Readonly<Record<string, string>>

/** The settings with which a process connects as its own role. */
export function withDatabaseRole(role: keyof typeof databaseRoles, environment: Environment): Record<string, string> {
  const { COLOPHON_DATABASE_URL: url, ...others } = environment
  return url === undefined ? others : { ...others, COLOPHON_DATABASE_URL: withUser(url, databaseRoles[role]) }
}

/** For `colophon-server NAME …`. */
export function withDatabaseRoleOf([name, group]: readonly string[], environment: Environment): Record<string, string> {
  if (name === 'worker' || (name === 'admin' && group === 'secrets')) return withDatabaseRole('worker', environment)
  const isOfApi = name === 'api' || name === 'admin' || name === 'import-logs'
  return isOfApi ? withDatabaseRole('api', environment) : { ...environment }
}
