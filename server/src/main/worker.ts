import { createGateway } from '../gateway/app.ts'
import type { WorkerConfig } from '../platform/config.ts'
import { checkClickhouse, checkPostgres, checkTemporal } from '../platform/engine-checks.ts'
import { Readiness } from '../platform/http/readiness.ts'
import { createLog } from '../platform/log.ts'
import { openEngines } from './open-engines.ts'
import { type Running, serveHttp } from './running-process.ts'
import { startJobs } from './start-jobs.ts'
import { startViews } from './start-views.ts'

export async function startWorker(config: WorkerConfig): Promise<Running> {
  const log = createLog('worker', config.log)
  const engines = openEngines(config.engines, log)
  const readiness = new Readiness(
    {
      postgres: { essential: true, check: checkPostgres(engines.pool) },
      temporal: { essential: true, check: checkTemporal(engines.temporal, config.engines.temporal.namespace) },
      clickhouse: { essential: false, check: checkClickhouse(engines.clickhouse) },
    },
    log,
  )
  const jobs = startJobs(config, engines, log)
  const views = startViews(config.engines, engines, log)
  const server = createGateway({ config: config.gateway, readiness, ...jobs.gateway, log })
  const release = async () => {
    await Promise.all([jobs.stop(), views.stop()])
    await engines.close()
  }
  return serveHttp(server, { config: config.gateway, readiness, release })
}
