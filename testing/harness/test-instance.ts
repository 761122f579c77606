/** A test instance with this checkout's schema, on services that other tests may use at the same time. */
import type pg from 'pg'
import { createDatabase, type Database } from '../../server/src/database/database.ts'
import { generateKey, hashKey } from '../../server/src/keys/key-format.ts'
import type { ApiKeyRecord } from '../../server/src/keys/key-store.ts'
import { type Scope, scopes } from '../../server/src/keys/scopes.ts'
import { migrateServices } from '../../server/src/main/processes/migrate.ts'
import { openStores, type Stores } from '../../server/src/main/processes/open-stores.ts'
import type { Model } from '../../server/src/models/model.ts'
import { loadCredentialCommandConfig, loadMigrateConfig } from '../../server/src/platform/config.ts'
import type { Id } from '../../server/src/platform/ids.ts'
import { createLog } from '../../server/src/platform/log.ts'
import type { RoleName } from '../../server/src/platform/migrations/reconcile-grants.ts'
import { createPostgresPool } from '../../server/src/platform/postgres.ts'
import { createSealer } from '../../server/src/platform/sealed-secrets/sealed-secret.ts'
import type { ServiceAddresses } from '../services/start-services.ts'
import { withDatabaseRole } from './database-roles.ts'
import { createEmptyTestInstance, type EmptyTestInstance } from './empty-test-instance.ts'

export interface KeyGrant {
  scopes?: readonly Scope[]
  allowedNetworks?: string[]
}

export interface CreatedKey {
  key: ApiKeyRecord
  secret: string
}

export interface TestInstance extends EmptyTestInstance {
  /** As superuser, so that a test can prepare and see everything. */
  pool: pg.Pool
  database: Database
  stores: Stores
  /** By default with all scopes. */
  createKey(projectId: Id<'prj'>, grant?: KeyGrant): Promise<CreatedKey>
  /** A project with a key. */
  createProject(name?: string, grant?: KeyGrant): Promise<CreatedKey & { projectId: Id<'prj'> }>
  /** Returns the token of a new runner, by default for all projects. */
  createRunnerToken(projectIds?: Id<'prj'>[], name?: string): Promise<string>
  /** Adds a model. By default it is the default model, at a URL that does not exist, for runners that run no agent. */
  addModel(model?: Partial<Model>, providerKey?: string): Promise<void>
}

/** Who changes something in tests. */
export const operator = { kind: 'operator' } as const

const testModel: Model = {
  name: 'test-model',
  format: 'anthropic-messages',
  baseUrl: 'http://model.invalid/v1',
  providerModel: 'test-model',
  contextWindowTokens: 200_000,
  maxOutputTokens: 64_000,
  prices: { input: null, output: null, cacheRead: null, cacheWrite: null },
  projectIds: null,
  isDefault: true,
}

/** Only errors are logged, so that the output of the tests stays readable. */
const quiet = { level: 'error' } as const

export async function createTestInstance(
  addresses: ServiceAddresses,
  purpose: string,
  /** The database role of `database` and `stores`, for tests of what only one process does. Default: the owner of the tables. */
  role?: RoleName,
): Promise<TestInstance> {
  const instance = await createEmptyTestInstance(addresses, purpose)
  const config = loadMigrateConfig(instance.environment)
  const log = createLog('test', quiet)
  await migrateServices(config, log)
  const pool = createPostgresPool({ ...config.postgres, url: instance.postgresUrl }, log)
  const environment = role ? withDatabaseRole(role, instance.environment) : instance.environment
  const poolOfStores = createPostgresPool(loadMigrateConfig(environment).postgres, log)
  const database = createDatabase(poolOfStores)
  const stores = openStores(database)
  const { sealingKeys } = loadCredentialCommandConfig(instance.environment)

  const createKey: TestInstance['createKey'] = (projectId, grant = {}) =>
    stores.keys.create(projectId, { name: 'a key', scopes, allowedNetworks: [], expiresAt: null, ...grant }, operator)
  return {
    ...instance,
    pool,
    database,
    stores,
    createKey,
    async createProject(name = 'A project', grant = {}) {
      const { id: projectId } = await stores.projects.create(name, operator)
      return { projectId, ...(await createKey(projectId, grant)) }
    },
    async createRunnerToken(projectIds, name = 'runner') {
      const token = generateKey('colophon_runner_')
      await stores.runners.create(
        { name, tokenHash: hashKey(token), projectIds: projectIds ?? null, expiresAt: null },
        operator,
      )
      return token
    },
    addModel: (model = {}, providerKey) =>
      stores.models.add({ ...testModel, ...model }, providerKey ?? null, createSealer(sealingKeys), operator),
    async drop() {
      if (!pool.ending) await pool.end()
      if (!poolOfStores.ending) await poolOfStores.end()
      await instance.drop()
    },
  }
}
