/**
 * Colophon on services of its own, with one `api`, one `worker`, a few test runners, and tables as they are after a week of the
 * load. `api` and `worker` have the memory settings of the containers, and the timers of production.
 */
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { Client, Connection } from '@temporalio/client'
import pg from 'pg'
import { addMissingPartitions } from '../../server/src/analytics/collect/delivery-ids.ts'
import { createGiteaTestRepository } from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import { type Colophon, prepareColophon } from '../../testing/harness/colophon.ts'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import { connectTestRepository } from '../../testing/harness/connect-test-repository.ts'
import { deploymentMemorySettings } from '../../testing/harness/deployment-memory-settings.ts'
import { type RunningServices, startServices } from '../../testing/services/start-services.ts'
import type { ProofRun } from '../proof.ts'
import { projectIdOf } from './generated-projects.ts'
import type { Plan } from './plan.ts'
import { insertWeekOfViews, type PrefilledViews } from './prefill-clickhouse.ts'
import { insertWeekOfJobs } from './prefill-jobs.ts'
import { projectStatements, runPrefill, viewStatements } from './prefill-projects.ts'
import { countExpiredRows, type ExpiredRows } from './retention.ts'
import { startEventfulRunner } from './runner.ts'

export interface LoadProject {
  projectId: string
  key: string
  /** `owner/name` on Gitea. */
  repository: string
}

export interface SteadyFixture {
  services: RunningServices
  colophon: Colophon
  api: ColophonProcess
  worker: ColophonProcess
  workerStartedAt: Date
  /** To Colophon's database, without the time limits of its own pool. */
  postgres: pg.Client
  clickhouse: ClickHouseClient
  temporal: Client
  projects: readonly LoadProject[]
  prefilledViews: PrefilledViews
  /** Before the worker started. */
  expiredBefore: ExpiredRows
}

const repositoryCount = 4
const runnerCount = 4

/** The defaults of production, instead of the short timers that other proofs use. */
const productionTimers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '30',
  COLOPHON_JOB_STALL_SECONDS: '60',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '300',
  COLOPHON_JOB_DEADLINE_SECONDS: '1800',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '3600',
}

export async function createSteadyFixture(run: ProofRun, plan: Plan): Promise<SteadyFixture> {
  const services = await startServices({ onStop: run.cleanUp })
  const colophon = await prepareColophon(run, 'steady_state', {
    addresses: services.addresses,
    // The sender plays the part of a reverse proxy, so that each beacon has the address of its own client.
    settings: { ...productionTimers, COLOPHON_TRUSTED_PROXIES: '127.0.0.1' },
    ...(run.args.includes('keep-logs') && { keepLogs: (directory) => run.log(`logs: ${directory}`) }),
  })
  const postgres = new pg.Client({ connectionString: colophon.postgresUrl })
  await postgres.connect()
  run.cleanUp(() => postgres.end())
  const clickhouse = createClient({
    url: colophon.clickhouseUrl,
    // On a busy machine, a block of a million rows can take longer than the default of 30 s.
    request_timeout: 300_000,
    clickhouse_settings: { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: '20000' },
  })
  run.cleanUp(() => clickhouse.close())
  const connection = await Connection.connect({ address: services.addresses.temporalAddress })
  run.cleanUp(() => connection.close())

  await runPrefill(postgres, projectStatements(plan))
  const projects = await connectProjects(run, colophon, plan)
  const [prefilledViews] = await Promise.all([
    insertWeekOfViews(clickhouse, plan).then((views) => {
      run.log(`ClickHouse has ${views.rows} rows of ${views.views} views, and ${views.sentBatches} sent batches`)
      return views
    }),
    prefillPostgres(run, colophon, postgres, plan),
  ])
  const expiredBefore = await countExpiredRows(postgres, new Date())
  const workerStartedAt = new Date()
  const [api, worker] = await Promise.all([
    colophon.start('api', deploymentMemorySettings.api),
    colophon.start('worker', deploymentMemorySettings.worker),
  ])
  for (let number = 1; number <= runnerCount; number++) {
    const token = await colophon.createRunnerToken(undefined, `runner-${number}`)
    const runner = startEventfulRunner(worker.url, token, `runner-${number}`)
    run.cleanUp(() => runner.stop())
  }
  const namespace = colophon.environment.COLOPHON_TEMPORAL_NAMESPACE ?? ''
  const temporal = new Client({ connection, namespace })
  const processes = { services, colophon, api, worker, workerStartedAt }
  return { ...processes, postgres, clickhouse, temporal, projects, prefilledViews, expiredBefore }
}

/** Several projects share a repository. */
async function connectProjects(run: ProofRun, colophon: Colophon, plan: Plan): Promise<LoadProject[]> {
  const repositories = await Promise.all(
    Array.from({ length: repositoryCount }, () => createGiteaTestRepository(colophon.addresses.gitea)),
  )
  for (const repository of repositories) run.cleanUp(repository.remove)
  const projects: LoadProject[] = []
  for (let number = 0; number < plan.connectedProjects; number++) {
    const repository = repositories[number % repositories.length]
    if (!repository) throw new Error('there is no repository')
    const projectId = projectIdOf(number)
    await connectTestRepository(colophon, projectId, repository)
    const { secret } = await colophon.createKey(projectId)
    projects.push({ projectId, key: secret, repository: `${repository.owner}/${repository.name}` })
  }
  run.log(`${plan.projects} projects, ${plan.connectedProjects} of them with a repository`)
  return projects
}

async function prefillPostgres(run: ProofRun, colophon: Colophon, postgres: pg.Client, plan: Plan): Promise<void> {
  await insertWeekOfJobs(postgres, plan)
  run.log(`PostgreSQL has ${plan.prefilledJobs} jobs`)
  await addMissingPartitions(colophon.database)
  await runPrefill(postgres, viewStatements(plan))
  await postgres.query('VACUUM ANALYZE')
  await postgres.query('CHECKPOINT')
  run.log('PostgreSQL has what a week of views leaves')
}
