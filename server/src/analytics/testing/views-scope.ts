/** A corner of shared engines for tests of views. */
import { createMigratedScope } from '../../../../engines/migrated-scope.ts'
import type { EngineAddresses } from '../../../../engines/start-engines.ts'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { createLog } from '../../platform/log.ts'
import { createDatabase } from '../../platform/postgres.ts'
import type { AnalyticsTables } from '../tables.ts'

export async function createViewsScope(addresses: EngineAddresses, purpose: string) {
  const scope = await createMigratedScope(addresses, purpose)
  const clickhouse = createClickhouse({ url: scope.clickhouseUrl })
  return {
    pool: scope.pool,
    db: createDatabase<AnalyticsTables>(scope.pool),
    clickhouse,
    log: createLog('test', { level: 'error' }),
    newProject: async (name: string) => (await scope.stores.projects.create(name, { kind: 'operator' })).id,
    async sqlOf<Row>(query: string): Promise<Row[]> {
      const settings = { output_format_json_quote_64bit_integers: 0 } as const
      return (await clickhouse.query({ query, format: 'JSONEachRow', clickhouse_settings: settings })).json<Row>()
    },
    async drop() {
      await clickhouse.close()
      await scope.drop()
    },
  }
}
