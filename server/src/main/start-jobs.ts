/** The control half of agent jobs: what offers turns, publishes their results, and lets nothing stand still. */
import { Client } from '@temporalio/client'
import { startDispatcher } from '../activities/dispatcher.ts'
import { fewAtOnce } from '../activities/few-at-once.ts'
import { createLookAtPullRequest, followPullRequests } from '../activities/follow-pull-requests.ts'
import { followRepositories } from '../activities/follow-repositories.ts'
import { createGithubActivities } from '../activities/github-activities.ts'
import { createJobActivities } from '../activities/job-activities.ts'
import { createModelActivities } from '../activities/model-activities.ts'
import { OfferKeeper } from '../activities/offer-keeper.ts'
import { createOpenProject } from '../activities/open-project.ts'
import { createPublishResult } from '../activities/publish-result.ts'
import { recordAudit } from '../audit/audit-store.ts'
import { createOpenCodeHost } from '../code-hosts/open-code-host.ts'
import { createDescribeTurn } from '../gateway/describe-turn.ts'
import type { GitReadDeps } from '../gateway/git-read.ts'
import type { ModelDeps } from '../gateway/model/model-routes.ts'
import { testModel } from '../gateway/model/test-model.ts'
import type { RunnerApiDeps } from '../gateway/runner-api.ts'
import { GithubAppStore } from '../github/app-store.ts'
import { GithubVisitStore } from '../github/authorization-store.ts'
import type { GithubTables } from '../github/tables.ts'
import { AttemptStore } from '../jobs/attempt-store.ts'
import { EventStore } from '../jobs/event-store.ts'
import { JobStore } from '../jobs/job-store.ts'
import { PullRequestStore } from '../jobs/pull-request-store.ts'
import { RunnerStore } from '../jobs/runner-store.ts'
import type { JobTables } from '../jobs/tables.ts'
import { TurnStore } from '../jobs/turn-store.ts'
import { createJobSignals } from '../jobs/wake-job.ts'
import { ModelCallStore } from '../models/call-store.ts'
import { ModelStore } from '../models/model-store.ts'
import type { ModelTables } from '../models/tables.ts'
import { forgetExpired } from '../people/forget-expired.ts'
import type { PeopleTables } from '../people/tables.ts'
import { workerPatienceMs } from '../platform/ask-worker.ts'
import type { WorkerConfig } from '../platform/config.ts'
import { createEgress } from '../platform/egress/egress.ts'
import type { Log } from '../platform/log.ts'
import { createDatabase } from '../platform/postgres.ts'
import { createOpener, createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { CredentialStore } from '../projects/credential-store.ts'
import { HookDeliveryStore } from '../projects/hook-delivery-store.ts'
import { ProjectStore } from '../projects/project-store.ts'
import { RepositoryStore } from '../projects/repository-store.ts'
import type { ProjectTables } from '../projects/tables.ts'
import { testWith } from './connect-repository.ts'
import type { ConnectedServices } from './connect-services.ts'
import { startWorkflows } from './workflows.ts'

/** Some 25 MB of git each, and a bundle of up to 24. With 36 at once they had 824 MB together (tried). */
const maxConcurrentPublishes = 4

/** A stop has to end the agent within five seconds, of which the agent itself may need some. */
const hearOfStopSeconds = 2

export interface StartedJobs {
  /** For the gateway, which speaks to the runners and, through them, to the sandboxes. */
  gateway: { runnerApi: RunnerApiDeps; model: ModelDeps; gitRead: GitReadDeps }
  stop(): Promise<void>
}

export function startJobs(config: WorkerConfig, services: ConnectedServices, log: Log): StartedJobs {
  const { jobs } = config
  const database = createDatabase<JobTables>(services.pool)
  const turns = new TurnStore(database)
  const attempts = new AttemptStore(database)
  const events = new EventStore(database)
  const pullRequests = new PullRequestStore(database)
  const temporal = new Client({ connection: services.temporal, namespace: config.services.temporal.namespace })
  const egress = createEgress(config.egress)
  const openCodeHost = createOpenCodeHost(egress)

  const opener = createOpener(config.sealingKeys)
  const projectDatabase = createDatabase<ProjectTables>(services.pool)
  const repositories = new RepositoryStore(projectDatabase, recordAudit)
  const githubDatabase = createDatabase<GithubTables>(services.pool)
  const githubApps = new GithubAppStore(githubDatabase)
  const visits = new GithubVisitStore(githubDatabase)
  const openProject = createOpenProject({
    repositories,
    credentials: new CredentialStore(projectDatabase, createSealer(config.sealingKeys), recordAudit),
    githubApps,
    opener,
    openCodeHost,
  })
  const heartbeatTimeoutMs = jobs.heartbeatTimeoutSeconds * 1000
  const offers = new OfferKeeper({ client: temporal, attempts, log, everyMs: heartbeatTimeoutMs / 3 })
  const activities = createJobActivities({
    turns,
    attempts,
    offers,
    publishResult: createPublishResult({
      turns,
      attempts,
      pullRequests,
      openProject,
      egress,
      log,
      inTurn: fewAtOnce(maxConcurrentPublishes),
    }),
    lookAtPullRequest: createLookAtPullRequest({ pullRequests, openProject, log }),
    limits: jobs,
    timers: { heartbeatTimeoutMs, publishTimeoutMs: jobs.publishTimeoutSeconds * 1000 },
  })
  const modelDatabase = createDatabase<ModelTables>(services.pool)
  const models = new ModelStore(modelDatabase)
  const calls = new ModelCallStore(modelDatabase)
  const modelActivities = createModelActivities({
    models,
    opener,
    testModel: (model, key) => testModel(model, key, egress, workerPatienceMs),
  })
  const githubActivities = createGithubActivities({
    githubApps,
    visits,
    opener,
    egress,
    log,
    testRepository: (connection, where) => testWith(openCodeHost(connection), { ...connection, ...where }),
  })
  const allActivities = { ...activities, ...modelActivities, ...githubActivities }
  const workflows = startWorkflows(config.services.temporal, allActivities, log)
  const signals = createJobSignals(temporal, services.temporal, log)
  const peopleDatabase = createDatabase<PeopleTables>(services.pool)
  const deliveries = new HookDeliveryStore(projectDatabase)
  const forget = async () => {
    await forgetExpired(peopleDatabase)
    await visits.forgetExpired()
    await deliveries.forgetOld()
  }
  const dispatcher = startDispatcher({ turns, events, database, forget, signals, settings: jobs, log })
  const repositoryFollower = followRepositories({ repositories, openProject, log })
  const follower = followPullRequests({
    pullRequests,
    openProject,
    log,
    wakeJob: signals.wakeJob,
    askAgainSeconds: jobs.pullRequestAskSeconds,
    jobs: new JobStore(database, recordAudit),
  })

  const projects = new ProjectStore(projectDatabase, recordAudit)
  return {
    gateway: {
      runnerApi: {
        runners: new RunnerStore(database, recordAudit),
        describeTurn: createDescribeTurn({ projects, repositories, models }),
        attempts,
        events,
        calls,
        temporal,
        log,
        settings: { ...jobs, heartbeatSeconds: Math.min(jobs.heartbeatTimeoutSeconds / 3, hearOfStopSeconds) },
      },
      model: {
        models,
        calls,
        attempts,
        opener,
        egress,
        budget: jobs.budget,
      },
      gitRead: {
        openRemote: async (projectId) => (await openProject(projectId))?.host.gitRemote(),
        attempts,
        egress,
      },
    },
    async stop() {
      await Promise.all([dispatcher.stop(), follower.stop(), repositoryFollower.stop(), workflows.stop()])
      offers.stop()
      await egress.close()
    },
  }
}
