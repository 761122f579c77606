/** Colophon with real workers, a code host and runners, for the scenarios of `publish-exactly-once`. */
import { randomBytes } from 'node:crypto'
import type { Id } from '../../server/src/platform/ids.ts'
import type { PublishingSettings } from '../../server/src/projects/publishing-settings.ts'
import { type Colophon, prepareColophon } from '../../testing/harness/colophon.ts'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import { giteaProofHost } from '../../testing/harness/hosts/gitea-proof-host.ts'
import { githubProofHost } from '../../testing/harness/hosts/github-proof-host.ts'
import type { CreatedRepository, ProofHost } from '../../testing/harness/hosts/proof-host.ts'
import { type PausableWork, pausableWork } from '../../testing/harness/pausable-work.ts'
import { type HttpRelay, type RelayedCall, startHttpRelay } from '../../testing/harness/relay/http-relay.ts'
import { type Relay, startRelay } from '../../testing/harness/relay/relay.ts'
import { createPromptScriptExecutor, formatScriptPrompt, type TurnScript } from '../../testing/harness/scripted-work.ts'
import { operator } from '../../testing/harness/test-instance.ts'
import { startTestRunner, type TestRunner } from '../../testing/harness/test-runner.ts'
import {
  type CheckFunction,
  CheckingJobsClient,
  createJobObservations,
  type JobObservations,
} from '../judges/checking-jobs-client.ts'
import type { ProofRun } from '../proof.ts'

export type CodeHostKind = 'gitea' | 'github'
export const codeHostLabels: Record<CodeHostKind, string> = { gitea: 'Gitea', github: 'the GitHub simulator' }

export interface ProjectOnHost extends CreatedRepository {
  projectId: Id<'prj'>
}

export interface PublishFixture {
  run: ProofRun
  colophon: Colophon
  api: ColophonProcess
  worker: ColophonProcess
  /** The relay between Colophon and the code host. */
  host: HttpRelay
  /** All calls of Colophon to the code host so far. */
  hostCalls: readonly RelayedCall[]
  calls: ProofHost['calls']
  forgedWebhook: ProofHost['forgedWebhook']
  dropsDeletedBranchNames: boolean
  /** The relays to Temporal. The spare worker's is cut: that worker does nothing until the fault is removed. */
  temporalRelays: Record<'api' | 'worker' | 'spareWorker', Relay>
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

/**
 * Long enough to distinguish what Colophon learned by polling from what it learned by webhook, which can take 15 s: requested
 * polls have a rate limit.
 */
export const pullRequestPollSeconds = 60
/** Longer than the pauses of a worker on a busy machine. */
export const heartbeatTimeoutSeconds = 10

export async function createPublishFixture(run: ProofRun, on: CodeHostKind): Promise<PublishFixture> {
  const colophon = await prepareColophon(run, 'published')
  const { stores, addresses } = colophon
  const hostCalls: RelayedCall[] = []
  const host = await startHttpRelay(addresses[on].url, { onCall: (call) => hostCalls.push(call) })
  run.cleanUp(host.stop)
  const relayToTemporal = async () => {
    const relay = await startRelay(`tcp://${addresses.temporalAddress}`)
    run.cleanUp(relay.stop)
    return relay
  }
  const temporalRelays = {
    api: await relayToTemporal(),
    worker: await relayToTemporal(),
    spareWorker: await relayToTemporal(),
  }
  await temporalRelays.spareWorker.setFault({ kind: 'cut' })

  const settings = {
    COLOPHON_EGRESS_ALLOWED_CODE_HOSTS: new URL(host.url).host,
    COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: String(pullRequestPollSeconds),
    COLOPHON_JOB_MAX_CONCURRENT_PER_PROJECT: '100',
    COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: String(heartbeatTimeoutSeconds),
  }
  const through = (relay: Relay) => ({ COLOPHON_TEMPORAL_ADDRESS: new URL(relay.url).host })
  const [api, worker] = await Promise.all([
    colophon.start('api', through(temporalRelays.api)),
    colophon.start('worker', { ...settings, ...through(temporalRelays.worker) }),
    colophon.start('worker', { ...settings, ...through(temporalRelays.spareWorker) }),
  ])
  const deps = {
    stores,
    environment: { ...colophon.environment, ...settings },
    relayUrl: host.url,
    apiUrl: api.url,
  }
  const proofHost =
    on === 'gitea' ? giteaProofHost(addresses.gitea, deps) : await githubProofHost(addresses.github, deps)
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
  const createRunnerToken = ({ projectId }: ProjectOnHost) => colophon.createRunnerToken([projectId])
  const createApiKey = async ({ projectId }: ProjectOnHost) =>
    (await colophon.createKey(projectId, { scopes: ['agent:read', 'agent:write'] })).secret

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
    colophon,
    api,
    worker,
    host,
    hostCalls,
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
