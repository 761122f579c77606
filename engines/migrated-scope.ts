/** A corner of shared engines with this checkout's schema in it, for tests of stores. */
import type pg from 'pg'
import { migrateEngines } from '../server/src/main/migrate.ts'
import { openStores, type Stores } from '../server/src/main/open-stores.ts'
import { loadEnginesConfig } from '../server/src/platform/config.ts'
import { createLog } from '../server/src/platform/log.ts'
import { createPool } from '../server/src/platform/postgres.ts'
import { createScope, type EngineScope } from './scope.ts'
import type { EngineAddresses } from './start-engines.ts'

export interface MigratedScope extends EngineScope {
  pool: pg.Pool
  stores: Stores
}

/** Only what must not happen is said: a test's own output is what counts. */
const quiet = { level: 'error' } as const

export async function createMigratedScope(addresses: EngineAddresses, purpose: string): Promise<MigratedScope> {
  const scope = await createScope(addresses, purpose)
  const config = loadEnginesConfig(scope.environment)
  const log = createLog('test', quiet)
  await migrateEngines(config, log)
  const pool = createPool(config.postgres, log)
  return {
    ...scope,
    pool,
    stores: openStores(pool),
    async drop() {
      await pool.end()
      await scope.drop()
    },
  }
}
