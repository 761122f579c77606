import { Client } from '@temporalio/client'
import { startDispatcher } from '../activities/dispatcher.ts'
import { createJobActivities } from '../activities/job-activities.ts'
import { OfferKeeper } from '../activities/offer-keeper.ts'
import { createPublishResult } from '../activities/publish-result.ts'
import { createGateway } from '../gateway/app.ts'
import { AttemptStore } from '../jobs/attempt-store.ts'
import { RunnerStore } from '../jobs/runner-store.ts'
import type { JobTables } from '../jobs/tables.ts'
import { TurnStore } from '../jobs/turn-store.ts'
import { createJobSignals } from '../jobs/wake-job.ts'
import type { WorkerConfig } from '../platform/config.ts'
import { checkClickhouse, checkPostgres, checkTemporal } from '../platform/engine-checks.ts'
import { Readiness } from '../platform/http/readiness.ts'
import { createLog } from '../platform/log.ts'
import { createDatabase } from '../platform/postgres.ts'
import { openEngines } from './open-engines.ts'
import { type Running, serveHttp } from './running-process.ts'
import { startWorkflows } from './workflows.ts'

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
  const database = createDatabase<JobTables>(engines.pool)
  const [turns, attempts, runners] = [new TurnStore(database), new AttemptStore(database), new RunnerStore(database)]
  const temporal = new Client({ connection: engines.temporal, namespace: config.engines.temporal.namespace })
  const { jobs } = config
  const heartbeatTimeoutMs = jobs.heartbeatTimeoutSeconds * 1000

  const offers = new OfferKeeper({ client: temporal, attempts, log, everyMs: heartbeatTimeoutMs / 3 })
  const activities = createJobActivities({
    turns,
    attempts,
    offers,
    publishResult: createPublishResult({ pool: engines.pool, attempts, sealingKeys: config.sealingKeys, log }),
    limits: jobs,
    timers: { heartbeatTimeoutMs, publishTimeoutMs: jobs.publishTimeoutSeconds * 1000 },
  })
  const workflows = startWorkflows(config.engines.temporal, activities, log)
  const dispatcher = startDispatcher({
    turns,
    signals: createJobSignals(temporal, engines.temporal, log),
    settings: jobs,
    log,
  })
  const server = createGateway(
    {
      readiness,
      runnerApi: {
        ...{ runners, attempts, temporal, log },
        settings: {
          deadlineSeconds: jobs.deadlineSeconds,
          mostRunningPerProject: jobs.mostRunningPerProject,
          heartbeatSeconds: jobs.heartbeatTimeoutSeconds / 3,
        },
      },
    },
    config.gateway,
    log,
  )
  return serveHttp(server, {
    config: config.gateway,
    readiness,
    async release() {
      offers.stop()
      await Promise.all([dispatcher.stop(), workflows.stop()])
      await engines.close()
    },
  })
}
