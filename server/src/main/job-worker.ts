/** The part of `worker` that runs agent jobs: queues turns, publishes results, follows pull requests and wakes stalled jobs. */
import { Client } from '@temporalio/client'
import { createConcurrencyLimit } from '../activities/concurrency-limit.ts'
import { createGithubAuthorizationActivities } from '../activities/github-authorization-activities.ts'
import { createJobActivities } from '../activities/job-activities.ts'
import { startJobDispatcher } from '../activities/job-dispatcher.ts'
import { createModelActivities } from '../activities/model-activities.ts'
import { createPollPullRequest, startPullRequestPoller } from '../activities/poll-pull-requests.ts'
import { startRepositoryPoller } from '../activities/poll-repositories.ts'
import { createProjectRepositoryOpener } from '../activities/project-repository-opener.ts'
import { QueuedAttemptHeartbeat } from '../activities/queued-attempt-heartbeat.ts'
import { createResultPublisher } from '../activities/result-publisher.ts'
import { recordAudit } from '../audit/audit-store.ts'
import { createCodeHostFactory } from '../code-hosts/code-host-factory.ts'
import { createClaimedTurnBuilder } from '../gateway/claimed-turn-builder.ts'
import type { GitProxyDeps } from '../gateway/git-proxy.ts'
import type { ModelRouteDeps } from '../gateway/model/model-routes.ts'
import { testModel } from '../gateway/model/test-model.ts'
import type { RunnerApiDeps } from '../gateway/runner-api.ts'
import { GithubAppStore } from '../github/app-store.ts'
import { GithubAuthorizationStore } from '../github/authorization-store.ts'
import type { GithubTables } from '../github/tables.ts'
import { AgentEventStore } from '../jobs/agent-event-store.ts'
import { AttemptStore } from '../jobs/attempt-store.ts'
import { createJobSignaler } from '../jobs/job-signaler.ts'
import { JobStore } from '../jobs/job-store.ts'
import { PullRequestStore } from '../jobs/pull-request-store.ts'
import { RunnerStore } from '../jobs/runner-store.ts'
import type { JobTables } from '../jobs/tables.ts'
import { TurnStore } from '../jobs/turn-store.ts'
import { ModelCallStore } from '../models/model-call-store.ts'
import { ModelStore } from '../models/model-store.ts'
import type { ModelTables } from '../models/tables.ts'
import { deleteExpiredAccess } from '../people/delete-expired-access.ts'
import type { PeopleTables } from '../people/tables.ts'
import { workerCallTimeoutMs } from '../platform/call-worker.ts'
import type { WorkerConfig } from '../platform/config.ts'
import { createEgress } from '../platform/egress/egress.ts'
import type { Log } from '../platform/log.ts'
import { createKyselyDatabase } from '../platform/postgres.ts'
import { createOpener, createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { CredentialStore } from '../projects/credential-store.ts'
import { ProjectStore } from '../projects/project-store.ts'
import { RepositoryStore } from '../projects/repository-store.ts'
import type { ProjectTables } from '../projects/tables.ts'
import { WebhookDeliveryStore } from '../projects/webhook-delivery-store.ts'
import { testConnectionAndDocsFolder } from './connect-repository.ts'
import type { ServiceClients } from './create-service-clients.ts'
import { startTemporalWorker } from './temporal-worker.ts'

/** Each needs about 25 MB for git, and up to 24 MB for the bundle. 36 at once needed 824 MB together (tried). */
const maxConcurrentPublishes = 4

/** A stop has to end the agent within five seconds, of which the agent itself may need some. */
const maxHeartbeatSeconds = 2

export interface JobWorker {
  /** The dependencies of the gateway's routes. */
  gateway: { runnerApi: RunnerApiDeps; model: ModelRouteDeps; gitProxy: GitProxyDeps }
  stop(): Promise<void>
}

export function startJobWorker(config: WorkerConfig, services: ServiceClients, log: Log): JobWorker {
  const { jobs } = config
  const database = createKyselyDatabase<JobTables>(services.pool)
  const turns = new TurnStore(database)
  const attempts = new AttemptStore(database)
  const events = new AgentEventStore(database)
  const pullRequests = new PullRequestStore(database)
  const temporal = new Client({ connection: services.temporal, namespace: config.services.temporal.namespace })
  const egress = createEgress(config.egress)
  const openCodeHost = createCodeHostFactory(egress)

  const opener = createOpener(config.sealingKeys)
  const projectDatabase = createKyselyDatabase<ProjectTables>(services.pool)
  const repositories = new RepositoryStore(projectDatabase, recordAudit)
  const githubDatabase = createKyselyDatabase<GithubTables>(services.pool)
  const githubApps = new GithubAppStore(githubDatabase)
  const visits = new GithubAuthorizationStore(githubDatabase)
  const openProject = createProjectRepositoryOpener({
    repositories,
    credentials: new CredentialStore(projectDatabase, createSealer(config.sealingKeys), recordAudit),
    githubApps,
    opener,
    openCodeHost,
  })
  const heartbeatTimeoutMs = jobs.heartbeatTimeoutSeconds * 1000
  const offers = new QueuedAttemptHeartbeat({ client: temporal, attempts, log, everyMs: heartbeatTimeoutMs / 3 })
  const activities = createJobActivities({
    turns,
    attempts,
    queuedAttempts: offers,
    publishResult: createResultPublisher({
      turns,
      attempts,
      pullRequests,
      openProject,
      egress,
      log,
      withinLimit: createConcurrencyLimit(maxConcurrentPublishes),
    }),
    pollPullRequest: createPollPullRequest({ pullRequests, openProject, log }),
    limits: jobs,
    timeouts: { heartbeatTimeoutMs, publishTimeoutMs: jobs.publishTimeoutSeconds * 1000 },
  })
  const modelDatabase = createKyselyDatabase<ModelTables>(services.pool)
  const models = new ModelStore(modelDatabase)
  const calls = new ModelCallStore(modelDatabase)
  const modelActivities = createModelActivities({
    models,
    opener,
    testModel: (model, key) => testModel(model, key, egress, workerCallTimeoutMs),
  })
  const githubActivities = createGithubAuthorizationActivities({
    githubApps,
    authorizations: visits,
    opener,
    egress,
    log,
    testRepository: (connection, where) =>
      testConnectionAndDocsFolder(openCodeHost(connection), { ...connection, ...where }),
  })
  const allActivities = { ...activities, ...modelActivities, ...githubActivities }
  const temporalWorker = startTemporalWorker(config.services.temporal, allActivities, log)
  const signals = createJobSignaler(temporal, services.temporal, log)
  const peopleDatabase = createKyselyDatabase<PeopleTables>(services.pool)
  const deliveries = new WebhookDeliveryStore(projectDatabase)
  const deleteExpired = async () => {
    await deleteExpiredAccess(peopleDatabase)
    await visits.deleteExpired()
    await deliveries.deleteExpired()
  }
  const dispatcher = startJobDispatcher({ turns, events, database, deleteExpired, signals, settings: jobs, log })
  const repositoryFollower = startRepositoryPoller({ repositories, openProject, log })
  const pullRequestFollower = startPullRequestPoller({
    pullRequests,
    openProject,
    log,
    wakeJob: signals.wakeJob,
    pollSeconds: jobs.pullRequestPollSeconds,
    jobs: new JobStore(database, recordAudit),
  })

  const projects = new ProjectStore(projectDatabase, recordAudit)
  return {
    gateway: {
      runnerApi: {
        runners: new RunnerStore(database, recordAudit),
        describeTurn: createClaimedTurnBuilder({ projects, repositories, models }),
        attempts,
        events,
        calls,
        temporal,
        log,
        settings: { ...jobs, heartbeatSeconds: Math.min(jobs.heartbeatTimeoutSeconds / 3, maxHeartbeatSeconds) },
      },
      model: {
        models,
        calls,
        attempts,
        opener,
        egress,
        budget: jobs.budget,
      },
      gitProxy: {
        openRemote: async (projectId) => (await openProject(projectId))?.host.gitRemote(),
        attempts,
        egress,
      },
    },
    async stop() {
      await Promise.all([
        dispatcher.stop(),
        pullRequestFollower.stop(),
        repositoryFollower.stop(),
        temporalWorker.stop(),
      ])
      offers.stop()
      await egress.close()
    },
  }
}
