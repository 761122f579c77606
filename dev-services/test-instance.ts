/** A test instance with this checkout's schema, for tests of stores. */
import type pg from 'pg'
import { createDatabase, type Database } from '../server/src/database/database.ts'
import { migrateServices } from '../server/src/main/processes/migrate.ts'
import { openStores, type Stores } from '../server/src/main/processes/open-stores.ts'
import { loadServicesConfig } from '../server/src/platform/config.ts'
import { createLog } from '../server/src/platform/log.ts'
import { createPostgresPool } from '../server/src/platform/postgres.ts'
import { createEmptyTestInstance, type EmptyTestInstance } from './empty-test-instance.ts'
import type { ServiceAddresses } from './start-services.ts'

export interface TestInstance extends EmptyTestInstance {
  pool: pg.Pool
  database: Database
  stores: Stores
}

/** Only errors are logged, so that the output of the tests stays readable. */
const quiet = { level: 'error' } as const

export async function createTestInstance(addresses: ServiceAddresses, purpose: string): Promise<TestInstance> {
  const instance = await createEmptyTestInstance(addresses, purpose)
  const config = loadServicesConfig(instance.environment)
  const log = createLog('test', quiet)
  await migrateServices(config, log)
  const pool = createPostgresPool(config.postgres, log)
  const database = createDatabase(pool)
  return {
    ...instance,
    pool,
    database,
    stores: openStores(database),
    async drop() {
      await pool.end()
      await instance.drop()
    },
  }
}
