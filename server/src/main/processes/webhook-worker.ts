/** The part of `worker` that delivers events to the endpoints of projects. */
import { Context } from '@temporalio/activity'
import { createWebhookActivities } from '../../activities/webhook-activities.ts'
import { startWebhookDispatcher } from '../../activities/webhook-dispatcher.ts'
import { jobTaskQueue } from '../../jobs/job-signaler.ts'
import type { WorkerConfig } from '../../platform/config.ts'
import { createEgressFor } from '../../platform/egress/create-egress-for.ts'
import type { Log } from '../../platform/log.ts'
import { createMailer } from '../../platform/mailer.ts'
import { createOpener } from '../../platform/sealed-secrets/sealed-secret.ts'
import { createTemporalClient } from '../../platform/temporal.ts'
import { createEndpointSignaler, webhookTaskQueue } from '../../webhooks/endpoint-signaler.ts'
import type { ServiceClients } from './create-service-clients.ts'
import { openStores } from './open-stores.ts'
import { startTemporalWorker } from './temporal-worker.ts'

/** Each sends to one endpoint, up to 5 requests at a time, for at most 25 s. */
const maxConcurrentEndpoints = 50

export function startWebhookWorker(
  config: WorkerConfig,
  services: ServiceClients,
  log: Log,
): { stop(): Promise<void> } {
  const { endpointDeliveries: deliveries, members, projects, runners } = openStores(services.database)
  const { publicUrl } = config
  const egress = createEgressFor('webhooks', config.egress, log)
  const mailer = config.email && createMailer(config.email)
  const temporal = createTemporalClient(services.temporal, config.services.temporal)
  const activities = createWebhookActivities({
    deliveries,
    opener: createOpener(config.sealingKeys),
    egress,
    mailer,
    publicUrl,
    readProjectName: async (projectId) => (await projects.get(projectId)).name,
    isMember: (projectId, email) => members.hasJoined(projectId, email),
    sendHeartbeat: () => Context.current().heartbeat(),
    log,
  })
  const temporalWorker = startTemporalWorker(
    config.services.temporal,
    {
      taskQueue: webhookTaskQueue,
      activities,
      runsWorkflows: false,
      maxConcurrentActivities: maxConcurrentEndpoints,
    },
    log,
  )
  const dispatcher = startWebhookDispatcher({
    deliveries,
    runners,
    wakeEndpoint: createEndpointSignaler(temporal, services.temporal, jobTaskQueue),
    listOwners: (projectId) => members.listOwnerEmails(projectId),
    mailer,
    publicUrl,
    log,
  })
  return {
    async stop() {
      await Promise.all([dispatcher.stop(), temporalWorker.stop()])
      mailer?.close()
      await egress.close()
    },
  }
}
