/** All engines, started side by side on free loopback ports with their data in one temporary directory. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getDescriptions } from './github/descriptions.ts'
import type { GithubAddress } from './github/github-control.ts'
import type { Part } from './managed-process.ts'
import { ensureSandboxPackages } from './sandbox-packages.ts'
import { getClickhouse, startClickhouse } from './start-clickhouse.ts'
import { type GiteaAddress, getGitea, startGitea } from './start-gitea.ts'
import { startGithub } from './start-github.ts'
import { startModel } from './start-model.ts'
import { ensurePostgres, startPostgres } from './start-postgres.ts'
import { getTemporal, startTemporal } from './start-temporal.ts'

/** What a client needs. Plain data: it is also how a running set is told to other processes. */
export interface ServiceAddresses {
  postgresUrl: string
  temporalAddress: string
  clickhouseUrl: string
  gitea: GiteaAddress
  /** A stand-in. */
  github: GithubAddress
  modelUrl: string
}

const serviceNames = ['postgres', 'temporal', 'clickhouse', 'gitea', 'github', 'model'] as const
type ServiceName = (typeof serviceNames)[number]

export interface Services {
  addresses: ServiceAddresses
  parts: Record<ServiceName, Part>
  /** Data and logs; gone after `stop`. */
  directory: string
  stop(): Promise<void>
}

const directoryPrefix = 'colophon-engines-'

export async function startServices({
  say = () => {},
  onStop = () => {},
}: {
  say?: (line: string) => void
  onStop?: (stop: () => Promise<void>) => void
} = {}): Promise<Services> {
  await ensurePostgres() // before the long builds: it may have to be asked of a person
  await ensureSandboxPackages()

  // One after the other: each build takes all cores, and its progress is one line.
  const binaries = { temporal: await getTemporal(), gitea: await getGitea(), clickhouse: await getClickhouse() }
  await getDescriptions()

  removeLeftovers()
  const directory = mkdtempSync(join(tmpdir(), `${directoryPrefix}${process.pid}-`))
  chmodSync(directory, 0o755) // PostgreSQL and Gitea run as another user when we are root
  const started: Part[] = []
  const stop = async () => {
    // Those that stand on PostgreSQL go before it.
    const postgres = started.filter(isPostgres)
    const others = started.filter((part) => !isPostgres(part))
    await Promise.all(others.map((part) => part.stop()))
    await Promise.all(postgres.map((part) => part.stop()))
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  onStop(stop)
  const note = <Engine extends { part: Part }>(engine: Engine): Engine => {
    started.push(engine.part)
    say(`${engine.part.name} is up`)
    return engine
  }

  try {
    const onPostgres = startPostgres(join(directory, 'postgres')).then(note)
    const starting = [
      onPostgres,
      onPostgres.then((up) => startTemporal(binaries.temporal, join(directory, 'temporal'), up)).then(note),
      startClickhouse(binaries.clickhouse, join(directory, 'clickhouse')).then(note),
      onPostgres.then((up) => startGitea(binaries.gitea, join(directory, 'gitea'), up)).then(note),
      startGithub(join(directory, 'github')).then(note),
      startModel(directory).then(note),
    ] as const
    await Promise.allSettled(starting) // when one fails, none is still being started behind the back of `stop`
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
      parts: {
        postgres: postgres.part,
        temporal: temporal.part,
        clickhouse: clickhouse.part,
        gitea: gitea.part,
        github: github.part,
        model: model.part,
      },
      directory,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const isPostgres = (part: Part) => part.name === 'postgres'

/** A starter that was killed with -9 could not remove its directory: the next one does. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(name.match(new RegExp(`^${directoryPrefix}(\\d+)-`))?.[1])
    if (pid && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
