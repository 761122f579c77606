/** Starts all services in parallel, on free loopback ports, with their data in one temporary directory. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GithubSimulatorAccess } from '@colophon/github-simulator/control'
import { getDescriptionsDirectory } from '@colophon/github-simulator/descriptions'
import { isAlive } from './is-alive.ts'
import type { ManagedProcess } from './managed-process.ts'
import { ensureSandboxPackages } from './sandbox-packages.ts'
import { getClickhouseBinary, startClickhouse } from './start-clickhouse.ts'
import { downloadGitea, type GiteaAccess, getGiteaBinary, startGitea } from './start-gitea.ts'
import { startGithubSimulator } from './start-github-simulator.ts'
import { startModelSimulator } from './start-model-simulator.ts'
import { ensurePostgresInstalled, startPostgres } from './start-postgres.ts'
import { getTemporalBinaries, startTemporal } from './start-temporal.ts'

/** What clients need to connect. Plain data, because other processes read it from `.services/running.json`. */
export interface ServiceAddresses {
  postgresUrl: string
  temporalAddress: string
  clickhouseUrl: string
  gitea: GiteaAccess
  /** The simulator. */
  github: GithubSimulatorAccess
  modelUrl: string
}

const serviceNames = ['postgres', 'temporal', 'clickhouse', 'gitea', 'github', 'model'] as const
type ServiceName = (typeof serviceNames)[number]

export interface RunningServices {
  addresses: ServiceAddresses
  processes: Record<ServiceName, ManagedProcess>
  /** Data and logs. `stop` removes it. */
  directory: string
  stop(): Promise<void>
}

/** Where and how to run a service that a test injects faults into. */
export interface ServiceOptions {
  /** Default: a directory beside those of the other services. */
  directory?: string
  /** Added to the environment of the service. */
  env?: Record<string, string>
}

const directoryPrefix = 'colophon-services-'

export async function startServices({
  log = () => {},
  onStop = () => {},
  postgres: postgresOptions = {},
  clickhouse: clickhouseOptions = {},
}: {
  log?: (line: string) => void
  onStop?: (stop: () => Promise<void>) => void
  postgres?: ServiceOptions
  clickhouse?: ServiceOptions
} = {}): Promise<RunningServices> {
  await ensurePostgresInstalled() // before the long builds: it may fail with a command for the user to run
  await ensureSandboxPackages()

  // Sequential: each build uses all cores, and its progress is a single line. Only downloads run beside the first build; if they
  // fail, the second build reports it.
  const downloading = downloadGitea().catch(() => {})
  const binaries = {
    temporal: await getTemporalBinaries(),
    gitea: await downloading.then(getGiteaBinary),
    clickhouse: await getClickhouseBinary(),
  }
  await getDescriptionsDirectory()

  removeLeftovers()
  const directory = mkdtempSync(join(tmpdir(), `${directoryPrefix}${process.pid}-`))
  chmodSync(directory, 0o755) // if this process is root, PostgreSQL and Gitea run as another user
  const started: ManagedProcess[] = []
  const stop = async () => {
    // The services that use PostgreSQL stop before it does.
    const postgres = started.filter(isPostgres)
    const others = started.filter((service) => !isPostgres(service))
    await Promise.all(others.map((service) => service.stop()))
    await Promise.all(postgres.map((service) => service.stop()))
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  onStop(stop)
  const record = <Service extends { process: ManagedProcess }>(service: Service): Service => {
    started.push(service.process)
    log(`${service.process.name} is up`)
    return service
  }

  try {
    const postgresDirectory = postgresOptions.directory ?? join(directory, 'postgres')
    const clickhouseDirectory = clickhouseOptions.directory ?? join(directory, 'clickhouse')
    const startingPostgres = startPostgres(postgresDirectory, postgresOptions).then(record)
    const starting = [
      startingPostgres,
      startingPostgres
        .then((postgres) => startTemporal(binaries.temporal, join(directory, 'temporal'), postgres))
        .then(record),
      startClickhouse(binaries.clickhouse, clickhouseDirectory, clickhouseOptions).then(record),
      startingPostgres.then((postgres) => startGitea(binaries.gitea, join(directory, 'gitea'), postgres)).then(record),
      startGithubSimulator(join(directory, 'github')).then(record),
      startModelSimulator(directory).then(record),
    ] as const
    await Promise.allSettled(starting) // if one fails, `stop` must not run while others are still starting
    const [postgres, temporal, clickhouse, gitea, github, model] = await Promise.all(starting)
    return {
      addresses: {
        postgresUrl: postgres.url,
        temporalAddress: temporal.address,
        clickhouseUrl: clickhouse.url,
        gitea: gitea.address,
        github: github.address,
        modelUrl: model.url,
      },
      processes: {
        postgres: postgres.process,
        temporal: temporal.process,
        clickhouse: clickhouse.process,
        gitea: gitea.process,
        github: github.process,
        model: model.process,
      },
      directory,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const isPostgres = ({ name }: ManagedProcess) => name === 'postgres'

/** Removes the directories of starters that were killed with SIGKILL before they could remove them. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(name.match(new RegExp(`^${directoryPrefix}(\\d+)-`))?.[1])
    if (pid && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}
