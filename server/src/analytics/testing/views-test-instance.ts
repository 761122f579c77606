/** A test instance on the shared services, with what tests of page views need. */

import { createTestInstance } from '../../../../testing/harness/test-instance.ts'
import type { ServiceAddresses } from '../../../../testing/services/start-services.ts'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { createLog } from '../../platform/log.ts'
import { PostgresViewBuffer } from '../collect/view-buffer.ts'

export async function createViewsTestInstance(addresses: ServiceAddresses, purpose: string) {
  const instance = await createTestInstance(addresses, purpose)
  const clickhouse = createClickhouse({ url: instance.clickhouseUrl })
  return {
    pool: instance.pool,
    db: instance.database,
    clickhouse,
    newBuffer: (maxBufferBytes = 1e9) =>
      new PostgresViewBuffer({ pool: instance.pool, database: instance.database }, { maxBufferBytes }),
    log: createLog('test', { level: 'error' }),
    newProject: async (name: string) => (await instance.stores.projects.create(name, { kind: 'operator' })).id,
    async queryRows<Row>(query: string): Promise<Row[]> {
      const settings = { output_format_json_quote_64bit_integers: 0 } as const
      return (await clickhouse.query({ query, format: 'JSONEachRow', clickhouse_settings: settings })).json<Row>()
    },
    async drop() {
      await clickhouse.close()
      await instance.drop()
    },
  }
}
