/** Colophon with a real worker, code host and runners, as the scenarios of `jobs-are-published-once` need it. */
import { randomBytes } from 'node:crypto'
import type { ColophonProcess } from '../../../dev-services/colophon.ts'
import { generateKey, hashOfKey } from '../../../server/src/keys/key-format.ts'
import type { Scope } from '../../../server/src/keys/scopes.ts'
import { openStores } from '../../../server/src/main/open-stores.ts'
import { loadPostgresConfig } from '../../../server/src/platform/config.ts'
import type { Id } from '../../../server/src/platform/ids.ts'
import { createLog } from '../../../server/src/platform/log.ts'
import { createPool } from '../../../server/src/platform/postgres.ts'
import type { PublishingSettings } from '../../../server/src/projects/publishing-settings.ts'
import type { ProofRun } from '../../proof.ts'
import { type CuttableRelay, startCuttableRelay } from '../cuttable-relay.ts'
import { type FaultyRelay, startFaultyRelay } from '../faulty-relay.ts'
import { type HeldWork, heldWork } from '../held-work.ts'
import { giteaProofHost } from '../hosts/gitea-proof-host.ts'
import { githubProofHost } from '../hosts/github-proof-host.ts'
import type { MadeRepository, ProofHost } from '../hosts/proof-host.ts'
import { type RunningService, runningService } from '../running-service.ts'
import { promptOf, scriptedWork, type TurnScript } from '../scripted-work.ts'
import { startTestRunner, type TestRunner } from '../test-runner.ts'
import { type Check, noSightings, type Sightings, WatchedJobs } from '../watched-jobs.ts'

export type HostName = 'gitea' | 'github'
export const hostNames: Record<HostName, string> = { gitea: 'Gitea', github: 'the stand-in for GitHub' }

export interface ProjectOnHost extends MadeRepository {
  projectId: Id<'prj'>
}

export interface Stage {
  run: ProofRun
  service: RunningService
  api: ColophonProcess
  worker: ColophonProcess
  /** Between Colophon and the code host. */
  host: FaultyRelay
  calls: ProofHost['calls']
  forgedHook: ProofHost['forgedHook']
  forgetsDeletedBranches: boolean
  /** The ways to Temporal. That of the second worker is cut: until it is mended, that worker does nothing. */
  toTemporal: Record<'api' | 'worker' | 'spareWorker', CuttableRelay>
  agent: HeldWork
  /** How many results for turns with this prompt were taken from runners. */
  timesPerformed(prompt: string): number
  /** Of most scenarios. */
  docs: ProjectOnHost
  /** No runner works for it. Its repository is that of `docs`. */
  lonely: ProjectOnHost
  makeRepository(): Promise<MadeRepository>
  /** To a repository of its own, unless said otherwise, and with runners. */
  connect(wanted?: WantedProject): Promise<ProjectOnHost>
  runnerTokenFor(project: ProjectOnHost): Promise<string>
  /** That may read and write jobs. */
  keyFor(project: ProjectOnHost): Promise<string>
  sightings: Sightings
}

export interface WantedProject {
  made?: MadeRepository
  publishing?: PublishingSettings
  /** The host tells us of its pull requests. */
  isHooked?: boolean
}

/** What one scenario is given: its own key, so that none uses up another's reads, and its own words before each check. */
export interface Scene extends Stage {
  check: Check
  jobsOf(project: ProjectOnHost): Promise<WatchedJobs>
}

/** Long enough to tell what was seen by asking every so often from what was seen at once. */
export const askForPullRequestsSeconds = 20
/** Longer than a busy machine makes a worker wait. */
export const heartbeatTimeoutSeconds = 5
const operator = { kind: 'operator' } as const

export async function setStage(run: ProofRun, on: HostName): Promise<Stage> {
  const service = await runningService(run, 'published')
  const { instance } = service
  const host = await startFaultyRelay(service[on].url)
  run.cleanUp(host.stop)
  const relayToTemporal = async () => {
    const relay = await startCuttableRelay(service.environment.COLOPHON_TEMPORAL_ADDRESS ?? '')
    run.cleanUp(relay.stop)
    return relay
  }
  const toTemporal = {
    api: await relayToTemporal(),
    worker: await relayToTemporal(),
    spareWorker: await relayToTemporal(),
  }
  await toTemporal.spareWorker.cut()

  const settings = {
    COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(host.url).host,
    COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: String(askForPullRequestsSeconds),
    COLOPHON_JOB_MAX_CONCURRENT_PER_PROJECT: '100',
    COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: String(heartbeatTimeoutSeconds),
  }
  const starting = Promise.all([
    service.startApi({ COLOPHON_TEMPORAL_ADDRESS: toTemporal.api.address }),
    service.startWorker({ ...settings, COLOPHON_TEMPORAL_ADDRESS: toTemporal.worker.address }),
    service.startWorker({ ...settings, COLOPHON_TEMPORAL_ADDRESS: toTemporal.spareWorker.address }),
  ])
  starting.catch(() => {}) // awaited below

  const config = loadPostgresConfig(instance.environment)
  const pool = createPool(config.postgres, createLog('proof', { level: 'error' }))
  run.cleanUp(() => pool.end())
  const stores = openStores(pool)

  const [api, worker] = await starting
  const parts = {
    stores,
    pool,
    environment: { ...service.environment, ...settings },
    relayUrl: host.url,
    apiUrl: api.url,
  }
  const proofHost = on === 'gitea' ? giteaProofHost(service.gitea, parts) : await githubProofHost(service.github, parts)
  const gitOf = new Map<string, MadeRepository['git']>()
  const makeRepository = async () => {
    const made = await proofHost.makeRepository()
    run.cleanUp(made.repository.remove)
    gitOf.set(made.person.repository, made.git)
    return made
  }
  const connect = async ({ made: given, publishing = {}, isHooked = false }: WantedProject = {}) => {
    const made = given ?? (await makeRepository())
    const { id: projectId } = await stores.projects.create('Docs', operator)
    await proofHost.connect({ projectId, publishing, isHooked }, made)
    return { ...made, projectId } // what was made may be another project's
  }
  const runnerTokenFor = async ({ projectId }: ProjectOnHost) => {
    const token = generateKey('colophon_runner_')
    await stores.runners.create('runner', hashOfKey(token), [projectId])
    return token
  }
  const keyFor = async ({ projectId }: ProjectOnHost) => {
    const scopes: Scope[] = ['agent:read', 'agent:write']
    const wanted = { name: 'a client', scopes, allowedNetworks: [], expiresAt: null }
    return (await stores.keys.create(projectId, wanted, operator)).secret
  }

  const docs = await connect()
  const lonely = await connect({ made: docs })

  const agent = heldWork(scriptedWork((repository) => gitOf.get(repository)))
  const all: TestRunner[] = []
  const serve = async (project: ProjectOnHost, runnersAtOnce: number) => {
    const token = await runnerTokenFor(project)
    const runners = Array.from({ length: runnersAtOnce }, () => startTestRunner(worker.url, token, agent.work))
    all.push(...runners)
    run.cleanUp(() => Promise.all(runners.map((runner) => runner.stop())))
    return project
  }
  await serve(docs, 10)
  run.cleanUp(async () => {
    agent.letGo()
    worker.part.resume()
  })
  return {
    run,
    service,
    api,
    worker,
    host,
    toTemporal,
    agent,
    docs,
    lonely,
    calls: proofHost.calls,
    forgedHook: proofHost.forgedHook,
    forgetsDeletedBranches: proofHost.forgetsDeletedBranches,
    makeRepository,
    runnerTokenFor,
    keyFor,
    sightings: noSightings(),
    timesPerformed(prompt) {
      const turnId = agent.claims.find((claim) => claim.prompt === prompt)?.turnId
      const reports = all.flatMap((runner) => runner.reports)
      return reports.filter((report) => report.turnId === turnId && report.kind === 'result' && report.status === 204)
        .length
    },
    connect: async (wanted) => serve(await connect(wanted), 2),
  }
}

export function sceneOf(stage: Stage, name: string): Scene {
  const check: Check = (holds, what) => stage.run.check(holds, `${name}: ${what}`)
  return {
    ...stage,
    check,
    async jobsOf(project) {
      const where = { apiUrl: stage.api.url, projectId: project.projectId, key: await stage.keyFor(project) }
      return new WatchedJobs(where, check, stage.sightings)
    },
  }
}

/** A prompt that no other turn has, about a page of its own. */
export function scriptFor({ person }: ProjectOnHost, script: Omit<TurnScript, 'repository'> = {}) {
  const page = `docs/${randomBytes(5).toString('hex')}.md`
  const write = script.write ?? { [page]: `# ${page}\n\nWritten by an agent.\n` }
  const summary = script.summary ?? `About ${page}.`
  return { page, write, summary, prompt: promptOf({ repository: person.repository, ...script, write, summary }) }
}
