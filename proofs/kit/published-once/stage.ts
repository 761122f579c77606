/** Colophon with a real worker, code host and runners, as the scenarios of `jobs-are-published-once` need it. */
import { randomBytes } from 'node:crypto'
import type { ColophonProcess } from '../../../engines/colophon.ts'
import { createGiteaRepository, type GiteaRepository } from '../../../server/src/code-hosts/testing/gitea-repository.ts'
import { generateKey, hashOfKey } from '../../../server/src/keys/key-format.ts'
import type { Scope } from '../../../server/src/keys/scopes.ts'
import { connectRepository } from '../../../server/src/main/connect-repository.ts'
import { openStores } from '../../../server/src/main/open-stores.ts'
import { loadCodeHostConfig, loadPostgresConfig } from '../../../server/src/platform/config.ts'
import type { Id } from '../../../server/src/platform/ids.ts'
import { createLog } from '../../../server/src/platform/log.ts'
import { createPool } from '../../../server/src/platform/postgres.ts'
import type { PublishingSettings } from '../../../server/src/projects/publishing-settings.ts'
import type { ProofRun } from '../../proof.ts'
import { type CuttableRelay, startCuttableRelay } from '../cuttable-relay.ts'
import { type GiteaPerson, giteaPerson } from '../gitea-person.ts'
import { type HeldWork, heldWork } from '../held-work.ts'
import { type RunningService, runningService } from '../running-service.ts'
import { promptOf, scriptedWork, type TurnScript } from '../scripted-work.ts'
import { startTestRunner, type TestRunner } from '../test-runner.ts'
import { startTroubledRelay, type TroubledRelay } from '../troubled-relay.ts'
import { type Check, noSightings, type Sightings, WatchedJobs } from '../watched-jobs.ts'

export interface ProjectOnGitea {
  projectId: Id<'prj'>
  repository: GiteaRepository
  person: GiteaPerson
}

export interface Stage {
  run: ProofRun
  service: RunningService
  api: ColophonProcess
  worker: ColophonProcess
  /** Between Colophon and Gitea. */
  host: TroubledRelay
  /** The ways to Temporal. That of the second worker is cut: until it is mended, that worker does nothing. */
  toTemporal: Record<'api' | 'worker' | 'spareWorker', CuttableRelay>
  agent: HeldWork
  /** How many results for turns with this prompt were taken from runners. */
  timesPerformed(prompt: string): number
  /** Of most scenarios. */
  docs: ProjectOnGitea
  /** No runner works for it. Its repository is that of `docs`. */
  lonely: ProjectOnGitea
  makeRepository(): Promise<GiteaRepository>
  /** To a repository of its own, unless said otherwise, and with runners. */
  connect(wanted?: WantedProject): Promise<ProjectOnGitea>
  runnerTokenFor(project: ProjectOnGitea): Promise<string>
  /** That may read and write jobs. */
  keyFor(project: ProjectOnGitea): Promise<string>
  sightings: Sightings
}

export interface WantedProject {
  repository?: GiteaRepository
  publishing?: PublishingSettings
  /** Gitea tells us of its pull requests. */
  isHooked?: boolean
}

/** What one scenario is given: its own key, so that none uses up another's reads, and its own words before each check. */
export interface Scene extends Stage {
  check: Check
  jobsOf(project: ProjectOnGitea): Promise<WatchedJobs>
}

/** Long enough to tell what was seen by asking every so often from what was seen at once. */
export const askForPullRequestsSeconds = 20
/** Longer than a busy machine makes a worker wait. */
export const heartbeatTimeoutSeconds = 5
const operator = { kind: 'operator' } as const

export async function setStage(run: ProofRun): Promise<Stage> {
  const service = await runningService(run, 'published')
  const { gitea, scope } = service
  const host = await startTroubledRelay(gitea.url)
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
    COLOPHON_JOB_PULL_REQUEST_ASK_SECONDS: String(askForPullRequestsSeconds),
    COLOPHON_JOB_MOST_RUNNING_PER_PROJECT: '100',
    COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: String(heartbeatTimeoutSeconds),
  }
  const starting = Promise.all([
    service.startApi({ COLOPHON_TEMPORAL_ADDRESS: toTemporal.api.address }),
    service.startWorker({ ...settings, COLOPHON_TEMPORAL_ADDRESS: toTemporal.worker.address }),
    service.startWorker({ ...settings, COLOPHON_TEMPORAL_ADDRESS: toTemporal.spareWorker.address }),
  ])
  starting.catch(() => {}) // awaited below

  const config = loadPostgresConfig(scope.environment)
  const pool = createPool(config.postgres, createLog('proof', { level: 'error' }))
  run.cleanUp(() => pool.end())
  const stores = openStores(pool)

  const makeRepository = async () => {
    const made = await createGiteaRepository(gitea)
    run.cleanUp(made.remove)
    return made
  }
  const connect = async ({ repository, publishing = {}, isHooked = false }: WantedProject = {}) => {
    const made = repository ?? (await makeRepository())
    const { id: projectId } = await stores.projects.create('Docs', operator)
    const { owner, name } = made
    const [api] = isHooked ? await starting : []
    const where = { host: 'gitea', baseUrl: host.url, owner, name, baseBranch: 'main', docsFolder: 'docs' } as const
    const hookUrl = api && { COLOPHON_PUBLIC_URL: api.url }
    await connectRepository({
      ...{ stores, pool, projectId, token: gitea.adminToken, actor: operator },
      config: loadCodeHostConfig({ ...service.environment, ...settings, ...hookUrl }),
      wanted: { ...where, publishing },
    })
    return { projectId, repository: made, person: giteaPerson(gitea.url, `${owner}/${name}`, gitea.adminToken) }
  }
  const runnerTokenFor = async ({ projectId }: ProjectOnGitea) => {
    const token = generateKey('colophon_runner_')
    await stores.runners.create('runner', hashOfKey(token), [projectId])
    return token
  }
  const keyFor = async ({ projectId }: ProjectOnGitea) => {
    const scopes: Scope[] = ['agent:read', 'agent:write']
    const wanted = { name: 'a client', scopes, allowedNetworks: [], expiresAt: null }
    return (await stores.keys.create(projectId, wanted, operator)).secret
  }

  const docs = await connect()
  const lonely = await connect({ repository: docs.repository })
  const [api, worker] = await starting

  const agent = heldWork(scriptedWork(gitea))
  const all: TestRunner[] = []
  const serve = async (project: ProjectOnGitea, runnersAtOnce: number) => {
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
    ...{ run, service, api, worker, host, toTemporal, agent, docs, lonely },
    ...{ makeRepository, runnerTokenFor, keyFor, sightings: noSightings() },
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
export function scriptFor({ person }: ProjectOnGitea, script: Omit<TurnScript, 'repository'> = {}) {
  const page = `docs/${randomBytes(5).toString('hex')}.md`
  const write = script.write ?? { [page]: `# ${page}\n\nWritten by an agent.\n` }
  const summary = script.summary ?? `About ${page}.`
  return { page, write, summary, prompt: promptOf({ repository: person.repository, ...script, write, summary }) }
}
