/** Colophon with real workers, a code host and runners, for the scenarios of `publish-exactly-once`. */
import { randomBytes } from 'node:crypto'
import type { ColophonProcess } from '../../../dev-services/colophon-process.ts'
import { createDatabase } from '../../../server/src/database/database.ts'
import { generateKey, hashKey } from '../../../server/src/keys/key-format.ts'
import type { Scope } from '../../../server/src/keys/scopes.ts'
import { openStores } from '../../../server/src/main/processes/open-stores.ts'
import { loadPostgresConfig } from '../../../server/src/platform/config.ts'
import type { Id } from '../../../server/src/platform/ids.ts'
import { createLog } from '../../../server/src/platform/log.ts'
import { createPostgresPool } from '../../../server/src/platform/postgres.ts'
import type { PublishingSettings } from '../../../server/src/projects/publishing-settings.ts'
import type { ProofRun } from '../../proof.ts'
import {
  type CheckFunction,
  CheckingJobsClient,
  createJobObservations,
  type JobObservations,
} from '../checking-jobs-client.ts'
import { type FaultyRelay, startFaultyRelay } from '../faulty-relay.ts'
import { giteaProofHost } from '../hosts/gitea-proof-host.ts'
import { githubProofHost } from '../hosts/github-proof-host.ts'
import type { CreatedRepository, ProofHost } from '../hosts/proof-host.ts'
import { type InterruptibleRelay, startInterruptibleRelay } from '../interruptible-relay.ts'
import { type PausableWork, pausableWork } from '../pausable-work.ts'
import { createPromptScriptExecutor, formatScriptPrompt, type TurnScript } from '../scripted-work.ts'
import { startTestRunner, type TestRunner } from '../test-runner.ts'
import { prepareTestService, type TestService } from '../test-service.ts'

export type CodeHostKind = 'gitea' | 'github'
export const codeHostLabels: Record<CodeHostKind, string> = { gitea: 'Gitea', github: 'the GitHub simulator' }

export interface ProjectOnHost extends CreatedRepository {
  projectId: Id<'prj'>
}

export interface PublishFixture {
  run: ProofRun
  service: TestService
  api: ColophonProcess
  worker: ColophonProcess
  /** The relay between Colophon and the code host. */
  host: FaultyRelay
  calls: ProofHost['calls']
  forgedWebhook: ProofHost['forgedWebhook']
  dropsDeletedBranchNames: boolean
  /** The relays to Temporal. The spare worker's is disconnected: that worker does nothing until it is restored. */
  temporalRelays: Record<'api' | 'worker' | 'spareWorker', InterruptibleRelay>
  agent: PausableWork
  /** How many results of turns with this prompt were accepted from runners. */
  acceptedResultCount(prompt: string): number
  /** The project that most scenarios use. */
  docs: ProjectOnHost
  /** A project without runners, on the repository of `docs`. */
  docsWithoutRunners: ProjectOnHost
  createRepository(): Promise<CreatedRepository>
  /** Connects a new project with runners, to a new repository unless one is given. */
  connect(options?: ProjectOptions): Promise<ProjectOnHost>
  createRunnerToken(project: ProjectOnHost): Promise<string>
  /** The key may read and write jobs. */
  createApiKey(project: ProjectOnHost): Promise<string>
  observations: JobObservations
}

export interface ProjectOptions {
  repository?: CreatedRepository
  publishing?: PublishingSettings
  /** The host sends webhooks for pull requests. */
  hasWebhook?: boolean
}

/** What a scenario gets: API keys of its own, so that scenarios do not share a rate limit, and its name before each check. */
export interface ScenarioContext extends PublishFixture {
  check: CheckFunction
  watchJobs(project: ProjectOnHost): Promise<CheckingJobsClient>
}

/** Long enough to distinguish what Colophon learned by polling from what it learned by webhook. */
export const pullRequestPollSeconds = 20
/** Longer than the pauses of a worker on a busy machine. */
export const heartbeatTimeoutSeconds = 5
const operator = { kind: 'operator' } as const

export async function createPublishFixture(run: ProofRun, on: CodeHostKind): Promise<PublishFixture> {
  const service = await prepareTestService(run, 'published')
  const { instance } = service
  const host = await startFaultyRelay(service[on].url)
  run.cleanUp(host.stop)
  const relayToTemporal = async () => {
    const relay = await startInterruptibleRelay(service.environment.COLOPHON_TEMPORAL_ADDRESS ?? '')
    run.cleanUp(relay.stop)
    return relay
  }
  const temporalRelays = {
    api: await relayToTemporal(),
    worker: await relayToTemporal(),
    spareWorker: await relayToTemporal(),
  }
  await temporalRelays.spareWorker.disconnect()

  const settings = {
    COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(host.url).host,
    COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: String(pullRequestPollSeconds),
    COLOPHON_JOB_MAX_CONCURRENT_PER_PROJECT: '100',
    COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: String(heartbeatTimeoutSeconds),
  }
  const starting = Promise.all([
    service.startApi({ COLOPHON_TEMPORAL_ADDRESS: temporalRelays.api.address }),
    service.startWorker({ ...settings, COLOPHON_TEMPORAL_ADDRESS: temporalRelays.worker.address }),
    service.startWorker({ ...settings, COLOPHON_TEMPORAL_ADDRESS: temporalRelays.spareWorker.address }),
  ])
  starting.catch(() => {}) // awaited below

  const postgresConfig = loadPostgresConfig(instance.environment)
  const pool = createPostgresPool(postgresConfig.postgres, createLog('proof', { level: 'error' }))
  run.cleanUp(() => pool.end())
  const stores = openStores(createDatabase(pool))

  const [api, worker] = await starting
  const deps = {
    stores,
    environment: { ...service.environment, ...settings },
    relayUrl: host.url,
    apiUrl: api.url,
  }
  const proofHost = on === 'gitea' ? giteaProofHost(service.gitea, deps) : await githubProofHost(service.github, deps)
  const gitByRepository = new Map<string, CreatedRepository['git']>()
  const createRepository = async () => {
    const created = await proofHost.createRepository()
    run.cleanUp(created.repository.remove)
    gitByRepository.set(created.person.repository, created.git)
    return created
  }
  const connect = async ({ repository, publishing = {}, hasWebhook = false }: ProjectOptions = {}) => {
    const connected = repository ?? (await createRepository())
    const { id: projectId } = await stores.projects.create('Docs', operator)
    await proofHost.connect({ projectId, publishing, hasWebhook }, connected)
    return { ...connected, projectId } // last, because a given repository may have another project's id
  }
  const createRunnerToken = async ({ projectId }: ProjectOnHost) => {
    const token = generateKey('colophon_runner_')
    await stores.runners.create('runner', hashKey(token), [projectId])
    return token
  }
  const createApiKey = async ({ projectId }: ProjectOnHost) => {
    const scopes: Scope[] = ['agent:read', 'agent:write']
    const keyInput = { name: 'a client', scopes, allowedNetworks: [], expiresAt: null }
    return (await stores.keys.create(projectId, keyInput, operator)).secret
  }

  const docs = await connect()
  const docsWithoutRunners = await connect({ repository: docs })

  const agent = pausableWork(createPromptScriptExecutor((repository) => gitByRepository.get(repository)))
  const allRunners: TestRunner[] = []
  const startRunners = async (project: ProjectOnHost, count: number) => {
    const token = await createRunnerToken(project)
    const runners = Array.from({ length: count }, () => startTestRunner(worker.url, token, agent.work))
    allRunners.push(...runners)
    run.cleanUp(() => Promise.all(runners.map((runner) => runner.stop())))
    return project
  }
  await startRunners(docs, 10)
  run.cleanUp(async () => {
    agent.releaseAll()
    worker.process.resume()
  })
  return {
    run,
    service,
    api,
    worker,
    host,
    temporalRelays,
    agent,
    docs,
    docsWithoutRunners,
    calls: proofHost.calls,
    forgedWebhook: proofHost.forgedWebhook,
    dropsDeletedBranchNames: proofHost.dropsDeletedBranchNames,
    createRepository,
    createRunnerToken,
    createApiKey,
    observations: createJobObservations(),
    acceptedResultCount(prompt) {
      const turnId = agent.claims.find((claim) => claim.prompt === prompt)?.turnId
      const reports = allRunners.flatMap((runner) => runner.reports)
      return reports.filter((report) => report.turnId === turnId && report.kind === 'result' && report.status === 204)
        .length
    },
    connect: async (options) => startRunners(await connect(options), 2),
  }
}

export function scenarioContext(fixture: PublishFixture, name: string): ScenarioContext {
  const check: CheckFunction = (holds, message) => fixture.run.check(holds, `${name}: ${message}`)
  return {
    ...fixture,
    check,
    async watchJobs(project) {
      const access = { apiUrl: fixture.api.url, projectId: project.projectId, key: await fixture.createApiKey(project) }
      return new CheckingJobsClient(access, check, fixture.observations)
    },
  }
}

/** A unique prompt about a page of its own. */
export function createScript({ person }: ProjectOnHost, script: Omit<TurnScript, 'repository'> = {}) {
  const page = `docs/${randomBytes(5).toString('hex')}.md`
  const write = script.write ?? { [page]: `# ${page}\n\nWritten by an agent.\n` }
  const summary = script.summary ?? `About ${page}.`
  return {
    page,
    write,
    summary,
    prompt: formatScriptPrompt({ repository: person.repository, ...script, write, summary }),
  }
}
