/** Starts Colophon for proofs: an instance of its own, processes that can be killed, and projects with repositories. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../sdk/src/index.ts'
import type { CraftedFiles } from '../../server/src/code-hosts/testing/craft-commit.ts'
import {
  createGiteaTestRepository,
  type GiteaTestRepository,
} from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import type { Id } from '../../server/src/platform/ids.ts'
import { deniedMessage } from '../../server/src/platform/postgres.ts'
import { findOrStartServices } from '../services/running-services.ts'
import { getClickhouseBinary, startClickhouse } from '../services/start-clickhouse.ts'
import type { ServiceAddresses } from '../services/start-services.ts'
import { type ColophonProcess, prepareColophonProcess } from './colophon-process.ts'
import { connectTestRepository } from './connect-test-repository.ts'
import { createTestInstance, type KeyGrant, type TestInstance } from './test-instance.ts'
import { shortTimers } from './test-worker.ts'

/** Registers what must be stopped at the end. A proof's run stops it in reverse order. */
export interface CleanUp {
  cleanUp(stop: () => Promise<unknown>): void
}

export type Settings = Readonly<Record<string, string>>

export interface ColophonOptions {
  /** Default: the shared services, which must not be killed. */
  addresses?: ServiceAddresses
  /** For all processes. */
  settings?: Settings
  /** Default: a model that no agent can use, because jobs need one. */
  model?: 'none'
  /** Keeps the directory with the logs, and passes its path. */
  keepLogs?: (directory: string) => void
}

export interface RepositoryOptions {
  files?: CraftedFiles
  docsFolder?: string
}

export interface ProjectWithKey {
  projectId: Id<'prj'>
  /** Has all scopes, unless others were asked for. */
  key: string
}

export interface ConnectedProject extends ProjectWithKey {
  repository: GiteaTestRepository
}

export interface ProjectWithClient extends ConnectedProject {
  client: Client
}

export interface Colophon extends Omit<TestInstance, 'createProject'> {
  addresses: ServiceAddresses
  /** Contains the logs: `api.log` and so on. Deleted at the end. */
  directory: string
  /** Prepares a process. It keeps its port across restarts. `worker` has short timers, unless set otherwise. */
  prepare(kind: 'api' | 'worker' | 'runner', settings?: Settings): Promise<ColophonProcess>
  start(kind: 'api' | 'worker' | 'runner', settings?: Settings): Promise<ColophonProcess>
  createProject(name?: string, grant?: KeyGrant): Promise<ProjectWithKey>
  /** Creates a project that is connected to a new repository on Gitea. */
  connectProject(name?: string, options?: RepositoryOptions): Promise<ConnectedProject>
}

export interface RunningColophon extends Colophon {
  api: ColophonProcess
  worker: ColophonProcess
  /** With a token for all projects, unless given. */
  startRunner(settings?: Settings): Promise<ColophonProcess>
  connectProject(name?: string, options?: RepositoryOptions): Promise<ProjectWithClient>
}

export async function prepareColophon(
  run: CleanUp,
  purpose: string,
  { addresses, settings: commonSettings = {}, model, keepLogs }: ColophonOptions = {},
): Promise<Colophon> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  if (keepLogs) keepLogs(directory)
  else run.cleanUp(async () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  run.cleanUp(async () => assertNoDeniedStatement(directory))
  const services = addresses ?? (await useSharedServices(run))
  const instance = await createTestInstance(services, purpose)
  run.cleanUp(instance.drop)
  if (model !== 'none') await instance.addModel()
  const environment = { ...instance.environment, ...commonSettings }

  const prepare: Colophon['prepare'] = async (kind, settings = {}) => {
    const defaults = { runner: {}, api: environment, worker: { ...environment, ...shortTimers, ...commonSettings } }
    const prepared = await prepareColophonProcess(kind, { environment: { ...defaults[kind], ...settings }, directory })
    run.cleanUp(() => prepared.process.stop())
    return prepared
  }
  const createProject: Colophon['createProject'] = async (name, grant) => {
    const { projectId, secret } = await instance.createProject(name, grant)
    return { projectId, key: secret }
  }
  return {
    ...instance,
    environment,
    addresses: services,
    directory,
    prepare,
    async start(kind, settings) {
      const prepared = await prepare(kind, settings)
      await prepared.process.start()
      return prepared
    },
    createProject,
    async connectProject(name, { files, ...options } = {}) {
      const project = await createProject(name)
      const repository = await createGiteaTestRepository(services.gitea, files)
      run.cleanUp(repository.remove)
      await connectTestRepository({ stores: instance.stores, environment }, project.projectId, repository, options)
      return { ...project, repository }
    },
  }
}

/** Colophon with `api` and `worker`. */
export async function startColophon(
  run: CleanUp,
  purpose: string,
  {
    api: apiSettings,
    worker: workerSettings,
    ...options
  }: ColophonOptions & { api?: Settings; worker?: Settings } = {},
): Promise<RunningColophon> {
  const colophon = await prepareColophon(run, purpose, options)
  const [api, worker] = await Promise.all([
    colophon.start('api', apiSettings),
    colophon.start('worker', workerSettings),
  ])
  return {
    ...colophon,
    api,
    worker,
    async startRunner({ COLOPHON_RUNNER_TOKEN, ...settings } = {}) {
      const token = COLOPHON_RUNNER_TOKEN ?? (await colophon.createRunnerToken())
      return colophon.start('runner', {
        COLOPHON_GATEWAY_URL: worker.url,
        COLOPHON_RUNNER_CGROUPS: 'optional', // machines for tests rarely delegate them
        ...settings,
        COLOPHON_RUNNER_TOKEN: token,
      })
    },
    async connectProject(name, options) {
      const project = await colophon.connectProject(name, options)
      return { ...project, client: createClient({ baseUrl: api.url, apiKey: project.key, retry: false }) }
    },
  }
}

/** Background work goes on after a failure, so a missing privilege of a database role may be seen only in a log. */
function assertNoDeniedStatement(directory: string): void {
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.log'))) {
    const lines = readFileSync(join(directory, name), 'utf8').split('\n')
    const denied = lines.find((line) => line.includes(deniedMessage))
    if (denied) throw new Error(`${name} has a denied statement: see server/src/database/grants.ts: ${denied}`)
  }
}

/** Services that run already, or are started. */
async function useSharedServices(run: CleanUp): Promise<ServiceAddresses> {
  const { addresses, release } = await findOrStartServices()
  run.cleanUp(release)
  return addresses
}

/** The shared services with a ClickHouse of its own, for measurements that other tables would disturb. */
export async function useOwnClickhouse(run: CleanUp): Promise<ServiceAddresses> {
  const addresses = await useSharedServices(run)
  const directory = mkdtempSync(join(tmpdir(), 'colophon-clickhouse-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  const clickhouse = await startClickhouse(await getClickhouseBinary(), directory)
  run.cleanUp(() => clickhouse.process.stop())
  return { ...addresses, clickhouseUrl: clickhouse.url }
}
