import { createApi } from '../api/app.ts'
import type { ApiConfig } from '../platform/config.ts'
import { checkClickhouse, checkPostgres, checkTemporal } from '../platform/engine-checks.ts'
import { Readiness } from '../platform/http/readiness.ts'
import { createLog } from '../platform/log.ts'
import { openEngines } from './open-engines.ts'
import { openStores } from './open-stores.ts'
import { type Running, serveHttp } from './running-process.ts'

export async function startApi(config: ApiConfig): Promise<Running> {
  const log = createLog('api', config.log)
  const engines = openEngines(config.engines, log)
  const readiness = new Readiness(
    {
      postgres: { essential: true, check: checkPostgres(engines.pool) },
      // Without these two, jobs and views are still taken in and wait: a load balancer must not turn clients away.
      temporal: { essential: false, check: checkTemporal(engines.temporal, config.engines.temporal.namespace) },
      clickhouse: { essential: false, check: checkClickhouse(engines.clickhouse) },
    },
    log,
  )
  const { server } = createApi({ readiness, ...openStores(engines.pool) }, config.http, log)
  return serveHttp(server, { config: config.http, readiness, release: engines.close })
}
