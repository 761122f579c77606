/** The part of `worker` that runs agent jobs: queues turns, publishes results, follows pull requests and wakes stalled jobs. */
import { startAuditExporter } from '../../activities/audit-exporter.ts'
import { createGithubAuthorizationActivities } from '../../activities/github-authorization-activities.ts'
import { createJobActivities } from '../../activities/job-activities.ts'
import { startJobDispatcher } from '../../activities/job-dispatcher.ts'
import { createModelActivities } from '../../activities/model-activities.ts'
import { startOpenAttemptMonitor } from '../../activities/open-attempt-monitor.ts'
import { createPollBeforeTurn, startPullRequestPoller } from '../../activities/poll-pull-requests.ts'
import { startRepositoryPoller } from '../../activities/poll-repositories.ts'
import { startProjectDeleter } from '../../activities/project-deleter.ts'
import { createProjectRepositoryOpener } from '../../activities/project-repository-opener.ts'
import { PublishSlots } from '../../activities/publish-slots.ts'
import { createResultPublisher } from '../../activities/result-publisher.ts'
import { deleteProjectViews } from '../../analytics/load/delete-project-views.ts'
import { createCodeHostFactory } from '../../code-hosts/code-host-factory.ts'
import { mayOlderVersionRun } from '../../database/older-version.ts'
import { createClaimedTurnBuilder } from '../../gateway/claimed-turn-builder.ts'
import type { GitProxyDeps } from '../../gateway/git-proxy.ts'
import type { ModelRouteDeps } from '../../gateway/model/model-routes.ts'
import { testModel } from '../../gateway/model/test-model.ts'
import type { RunnerApiDeps } from '../../gateway/runner-api.ts'
import { createJobSignaler, jobTaskQueue } from '../../jobs/job-signaler.ts'
import { QueuedAttemptWatcher } from '../../jobs/queued-attempt-watcher.ts'
import { deleteExpiredAccess } from '../../people/delete-expired-access.ts'
import { repeatBatches } from '../../platform/background-task.ts'
import { workerCallTimeoutMs } from '../../platform/call-worker.ts'
import type { WorkerConfig } from '../../platform/config.ts'
import { createEgressFor } from '../../platform/egress/create-egress-for.ts'
import type { Log } from '../../platform/log.ts'
import { createOpener, createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { createTemporalClient } from '../../platform/temporal.ts'
import { testConnectionAndDocsFolder } from '../use-cases/connect-repository.ts'
import type { ServiceClients } from './create-service-clients.ts'
import { openStores } from './open-stores.ts'
import { startTemporalWorker } from './temporal-worker.ts'

/** Each needs about 25 MB for git, and up to 24 MB for the bundle. 36 at once needed 824 MB together (tried). */
const publishSlotLimits = {
  maxConcurrent: 4,
  maxConcurrentPerProject: 2,
  maxConcurrentSlow: 2,
  slowAfterMs: 15_000,
  maxWaiting: 40, // each takes one of the worker's 100 slots for activities
  maxWaitingPerProject: 5,
  waitTimeoutMs: 60_000,
}

/** A stop has to end the agent within five seconds, of which the agent itself may need some. */
const maxHeartbeatSeconds = 2

export interface JobWorker {
  /** The dependencies of the gateway's routes. */
  gateway: { runnerApi: RunnerApiDeps; model: ModelRouteDeps; gitProxy: GitProxyDeps }
  stop(): Promise<void>
}

const expiredAuditBatch = 1_000

export function startJobWorker(config: WorkerConfig, services: ServiceClients, log: Log): JobWorker {
  const { jobs } = config
  const { database } = services
  const stores = openStores(database)
  const { attempts, authorizations, deliveries, events, githubApps, models, pullRequests, repositories, turns } = stores
  const temporal = createTemporalClient(services.temporal, config.services.temporal)
  const egress = createEgressFor('codeHosts', config.egress, log)
  const modelEgress = createEgressFor('models', config.egress)
  const auditEgress = createEgressFor('auditWebhook', config.egress)
  if (config.egress.allowedHosts.length + config.egress.allowedNetworks.length > 0)
    log.warn(
      'COLOPHON_EGRESS_ALLOWED_HOSTS and COLOPHON_EGRESS_ALLOWED_NETWORKS are deprecated, because a project can enter every such address as its code host or webhook: use the lists for one use each, like COLOPHON_EGRESS_ALLOWED_CODE_HOSTS',
    )
  const openCodeHost = createCodeHostFactory(egress)
  const opener = createOpener(config.sealingKeys)
  const repositoryAccess = {
    credentials: stores.credentials,
    githubApps,
    opener,
    sealer: createSealer(config.sealingKeys),
    openCodeHost,
  }
  const openProject = createProjectRepositoryOpener({ repositories, ...repositoryAccess })
  const attemptMonitor = startOpenAttemptMonitor({ client: temporal, attempts, limits: jobs, log })
  const queueWatcher = new QueuedAttemptWatcher(attempts)
  const activities = createJobActivities({
    turns,
    attempts,
    queueWatcher,
    publishResult: createResultPublisher({
      turns,
      attempts,
      pullRequests,
      openProject,
      egress,
      log,
      slots: new PublishSlots(publishSlotLimits),
    }),
    pollBeforeTurn: createPollBeforeTurn({ turns, pullRequests, openProject, log }),
    isWatchedByTemporal: () => mayOlderVersionRun(database),
    limits: jobs,
    timeouts: {
      heartbeatTimeoutMs: jobs.heartbeatTimeoutSeconds * 1000,
      publishTimeoutMs: jobs.publishTimeoutSeconds * 1000,
    },
  })
  const modelActivities = createModelActivities({
    models,
    opener,
    testModel: (model, key) => testModel(model, key, modelEgress, workerCallTimeoutMs),
  })
  const githubActivities = createGithubAuthorizationActivities({
    githubApps,
    authorizations,
    opener,
    egress,
    log,
    testRepository: (connection, where) =>
      testConnectionAndDocsFolder(openCodeHost(connection), { ...connection, ...where }),
  })
  const temporalWorker = startTemporalWorker(
    config.services.temporal,
    {
      taskQueue: jobTaskQueue,
      activities: { ...activities, ...modelActivities, ...githubActivities },
      runsWorkflows: true,
    },
    log,
  )
  const signals = createJobSignaler(temporal, services.temporal, log)
  const deleteExpired = async () => {
    await deleteExpiredAccess(database)
    await stores.federatedIdentities.deleteExpired()
    await authorizations.deleteExpired()
    await deliveries.deleteExpired()
    await stores.budgets.deleteExpiredHours()
    await repeatBatches(
      (limit) => stores.audit.deleteExpired({ retentionDays: config.audit.retentionDays, limit }),
      expiredAuditBatch,
    )
    await repeatBatches((limit) => stores.audit.anonymizeFailedSignIns(limit), expiredAuditBatch)
    await repeatBatches((limit) => stores.projectDeletions.deleteExpiredAudit(limit), expiredAuditBatch)
  }
  const dispatcher = startJobDispatcher({
    turns,
    attempts,
    events,
    database,
    deleteExpired,
    signals,
    settings: jobs,
    log,
  })
  const auditExporter = startAuditExporter({
    exports: stores.auditExports,
    webhook: config.audit.webhook,
    egress: auditEgress,
    log,
  })
  const projectDeleter = startProjectDeleter({
    deletions: stores.projectDeletions,
    openDeletedProject: createProjectRepositoryOpener({
      repositories: { find: (projectId) => repositories.findOfDeleted(projectId) },
      ...repositoryAccess,
    }),
    temporal: { client: temporal, connection: services.temporal, namespace: config.services.temporal.namespace },
    deleteViews: (projectId, stopping) => deleteProjectViews(database, services.clickhouse, { projectId, stopping }),
    log,
  })
  const repositoryFollower = startRepositoryPoller({ repositories, openProject, egress, log })
  const pullRequestFollower = startPullRequestPoller({
    pullRequests,
    openProject,
    log,
    wakeJob: signals.wakeJob,
    pollSeconds: jobs.pullRequestPollSeconds,
    jobs: stores.jobs,
  })

  return {
    gateway: {
      runnerApi: {
        runners: stores.runners,
        describeTurn: createClaimedTurnBuilder({ projects: stores.projects, repositories, models }),
        attempts,
        queueWatcher,
        events,
        calls: stores.modelCalls,
        temporal,
        log,
        settings: {
          ...jobs,
          heartbeatSeconds: Math.min(jobs.heartbeatTimeoutSeconds / 3, maxHeartbeatSeconds),
          recordHeartbeatSeconds: jobs.heartbeatTimeoutSeconds / 6,
        },
      },
      model: {
        models,
        calls: stores.modelCalls,
        attempts,
        opener,
        egress: modelEgress,
        ceilings: jobs.budget,
      },
      gitProxy: {
        openRemote: async (projectId) => (await openProject(projectId))?.host.gitRemote(),
        attempts,
        egress,
      },
    },
    async stop() {
      await Promise.all([
        attemptMonitor.stop(),
        dispatcher.stop(),
        auditExporter.stop(),
        projectDeleter.stop(),
        pullRequestFollower.stop(),
        repositoryFollower.stop(),
        temporalWorker.stop(),
      ])
      await Promise.all([egress, modelEgress, auditEgress].map((each) => each.close()))
    },
  }
}
