import { Client } from '@temporalio/client'
import { readReaders } from '../analytics/classify/readers.ts'
import { ViewBuffer } from '../analytics/collect/view-buffer.ts'
import { ViewReports } from '../analytics/query/view-reports.ts'
import { KnownSites } from '../analytics/settings/known-sites.ts'
import type { AnalyticsTables } from '../analytics/tables.ts'
import { createApi } from '../api/app.ts'
import type { ReadHook } from '../api/hooks/receive-hook.ts'
import { createFollowJobs } from '../api/jobs/follow-jobs.ts'
import { webhookReaders } from '../code-hosts/open-code-host.ts'
import { createJobSignals } from '../jobs/wake-job.ts'
import type { ApiConfig } from '../platform/config.ts'
import { checkClickhouse, checkPostgres, checkTemporal } from '../platform/engine-checks.ts'
import { Readiness } from '../platform/http/readiness.ts'
import { createLog } from '../platform/log.ts'
import { createDatabase } from '../platform/postgres.ts'
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
  const temporal = new Client({ connection: engines.temporal, namespace: config.engines.temporal.namespace })
  const signals = createJobSignals(temporal, engines.temporal, log)
  const readHook: ReadHook = (host, delivery, secret) => webhookReaders[host](delivery, secret)
  const stores = openStores(engines.pool)
  const following = createFollowJobs(stores.events, log)
  const database = createDatabase<AnalyticsTables>(engines.pool)
  const viewBuffer = new ViewBuffer(database, config.views)
  const knownSites = new KnownSites(stores.analyticsSettings)
  const views = {
    viewBuffer,
    knownSites,
    viewReports: new ViewReports(engines.clickhouse, database, knownSites),
    readers: readReaders(),
  }
  const parts = { ...views, readiness, ...stores, ...signals, readHook, followJobs: following.followJobs }
  const { server } = createApi(parts, config.http, log)
  server.addHook('preClose', async () => following.stop()) // else the server would wait for streams that do not end
  const release = async () => {
    await viewBuffer.settle() // a sender that is gone has been told nothing, but its views may as well be kept
    await engines.close()
  }
  return serveHttp(server, { config: config.http, readiness, release })
}
