import { finishedVersion } from '../../database/older-version.ts'
import { createGateway } from '../../gateway/app.ts'
import type { WorkerConfig } from '../../platform/config.ts'
import { Readiness } from '../../platform/http/readiness.ts'
import { createLog } from '../../platform/log.ts'
import { isRecording } from '../../platform/metrics/metrics.ts'
import { createClickhouseCheck, createPostgresCheck, createTemporalCheck } from '../../platform/service-checks.ts'
import { startBacklogMetrics } from './backlog-metrics.ts'
import { createServiceClients } from './create-service-clients.ts'
import { startJobWorker } from './job-worker.ts'
import { type RunningProcess, serveHttp } from './running-process.ts'
import { startViewWorker } from './view-worker.ts'
import { startWebhookWorker } from './webhook-worker.ts'

export async function startWorker(config: WorkerConfig): Promise<RunningProcess> {
  const log = createLog('worker', config.log)
  const services = createServiceClients(config.services, log, 'worker')
  const readiness = new Readiness(
    {
      postgres: { essential: true, check: createPostgresCheck(services.pool, finishedVersion) },
      temporal: { essential: true, check: createTemporalCheck(services.temporal, config.services.temporal.namespace) },
      clickhouse: { essential: false, check: createClickhouseCheck(services.clickhouse) },
    },
    log,
  )
  const jobs = startJobWorker(config, services, log)
  const views = startViewWorker(config.services, services, log)
  const webhooks = startWebhookWorker(config, services, log)
  const backlog = isRecording() ? startBacklogMetrics(services.database, log) : undefined
  const server = createGateway({ config: config.gateway, readiness, ...jobs.gateway, log })
  const release = async () => {
    await Promise.all([jobs.stop(), views.stop(), webhooks.stop(), backlog?.stop()])
    await services.close()
  }
  return serveHttp(server, { config: config.gateway, readiness, release })
}
