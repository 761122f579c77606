/** An instance of the last release with projects that were created with it, and the processes of both versions. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { getReleaseCheckout } from '../../release/release-checkout.ts'
import { findLastRelease } from '../../release/releases.ts'
import {
  createGiteaTestRepository,
  type GiteaTestRepository,
} from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import type { Id } from '../../server/src/platform/ids.ts'
import { withDatabaseRole } from '../../testing/harness/database-roles.ts'
import { createEmptyTestInstance } from '../../testing/harness/empty-test-instance.ts'
import { runCommand } from '../../testing/services/run-command.ts'
import { findOrStartServices } from '../../testing/services/running-services.ts'
import type { ServiceAddresses } from '../../testing/services/start-services.ts'
import type { ProofRun } from '../proof.ts'
import { Balancer } from './balancer.ts'
import { Replica, stopWithinSeconds, type Version } from './replica.ts'

export interface UpgradedProject {
  projectId: Id<'prj'>
  key: string
  siteKey: string
  repository: GiteaTestRepository
}

export interface UpgradeFixture {
  addresses: ServiceAddresses
  environment: Readonly<Record<string, string>>
  previous: Version
  current: Version
  /** `colophon-server …` of the version, as the owner of the database. */
  runCommand(version: Version, args: readonly string[], stdin?: string): Promise<string>
  connectProject(version: Version, name: string): Promise<UpgradedProject>
  balancers: Readonly<Record<'api' | 'worker', Balancer>>
  replicas: Readonly<Record<'api' | 'worker' | 'runner', readonly Replica[]>>
  projects: readonly UpgradedProject[]
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
}

const ownCheckout = join(import.meta.dirname, '../..')

/** A load balancer notices within 0.1 s that a replica is stopping. */
const shutdownDelaySeconds = '2'

const timers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '15',
  COLOPHON_JOB_STALL_SECONDS: '10',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '60',
  COLOPHON_JOB_MAX_CONCURRENT_PER_PROJECT: '4',
}

export async function prepareUpgradeFixture(run: ProofRun): Promise<UpgradeFixture> {
  const release = await findLastRelease(ownCheckout)
  if (!release) throw new Error('release/releases.json has no release')
  const checkout = await getReleaseCheckout(release)
  run.log(`the last release is ${release.version}`)
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  chmodSync(directory, 0o755) // a runner started as root works as the user nobody, who must be able to read it
  const keepLogs = run.args.includes('keep-logs')
  if (keepLogs) run.log(`logs: ${directory}`)
  else run.cleanUp(async () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  const temporaryDirectory = join(directory, 'tmp')
  mkdirSync(temporaryDirectory)
  chmodSync(temporaryDirectory, 0o1777)

  const { addresses, release: releaseServices } = await findOrStartServices()
  run.cleanUp(releaseServices)
  const instance = await createEmptyTestInstance(addresses, 'rolling-upgrade')
  run.cleanUp(instance.drop)
  const balancers = { api: await Balancer.start(run), worker: await Balancer.start(run) }
  const runnerToken = { value: '' }
  const runnerSettings = () => ({
    COLOPHON_GATEWAY_URL: balancers.worker.url,
    COLOPHON_RUNNER_TOKEN: runnerToken.value,
    COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS: String(stopWithinSeconds - 10),
    COLOPHON_RUNNER_MAX_CONCURRENT_TURNS: '2',
    TMPDIR: temporaryDirectory,
  })
  const common = {
    ...instance.environment,
    ...timers,
    COLOPHON_SHUTDOWN_DELAY_SECONDS: shutdownDelaySeconds,
    TMPDIR: temporaryDirectory,
  }
  const owner = toFirstReleaseSettings(common)
  const previous: Version = {
    name: release.version,
    checkout,
    settings: {
      api: owner,
      worker: owner,
      get runner() {
        return runnerSettings()
      },
    },
  }
  const current: Version = {
    name: 'this version',
    checkout: ownCheckout,
    settings: {
      api: withDatabaseRole('api', common),
      worker: withDatabaseRole('worker', common),
      get runner() {
        return { ...runnerSettings(), COLOPHON_RUNNER_CGROUPS: 'optional' }
      },
    },
  }
  const runColophon: UpgradeFixture['runCommand'] = async (version, args, stdin) =>
    (
      await runCommand([process.execPath, join(version.checkout, 'server/src/main/colophon-server.ts'), ...args], {
        env: { PATH: process.env.PATH, ...(version === previous ? owner : common) },
        cwd: version.checkout,
        ...(stdin !== undefined && { stdin }),
      })
    ).trim()
  const { gitea } = addresses
  const connectProject: UpgradeFixture['connectProject'] = async (version, name) => {
    const admin = (args: string[], stdin?: string) => runColophon(version, ['admin', ...args], stdin)
    const repository = await createGiteaTestRepository(gitea)
    run.cleanUp(repository.remove)
    const projectId = await admin(['project', 'create', '--name', name])
    const { owner: repositoryOwner, name: repositoryName } = repository
    const where = ['--url', gitea.url, '--repository', `${repositoryOwner}/${repositoryName}`, '--branch', 'main']
    await admin(
      ['repository', 'connect', '--project', projectId, '--host', 'gitea', ...where, '--docs-folder', 'docs'],
      gitea.adminToken,
    )
    const key = lastWord(await admin(['key', 'create', '--project', projectId, '--name', 'proof']))
    const siteKey = lastWord(await admin(['site-key', 'create', '--project', projectId]))
    return { projectId: projectId as Id<'prj'>, key, siteKey, repository }
  }

  await runColophon(previous, ['migrate'])
  const format = ['--format', 'anthropic-messages', '--url', `${addresses.modelUrl}/v1`]
  const limits = ['--context-window', '200000', '--max-output', '32000', '--default', '--no-test']
  await runColophon(previous, ['admin', 'model', 'add', '--name', 'scripted', ...format, ...limits], 'key')
  runnerToken.value = lastWord(await runColophon(previous, ['admin', 'runner', 'create', '--name', 'runner']))
  const projects: UpgradedProject[] = []
  for (const number of [1, 2]) projects.push(await connectProject(previous, `Project ${number}`))

  const pool = new pg.Pool({ connectionString: instance.postgresUrl, max: 2 })
  pool.on('connect', (client) => client.on('error', () => {}))
  run.cleanUp(() => pool.end())
  const createReplicas = (kind: 'api' | 'worker' | 'runner') =>
    [1, 2].map((number) => {
      const balancer = kind === 'runner' ? undefined : balancers[kind]
      return new Replica(run, { kind, number, directory, balancer })
    })
  return {
    addresses,
    environment: instance.environment,
    previous,
    current,
    runCommand: runColophon,
    connectProject,
    balancers,
    replicas: { api: createReplicas('api'), worker: createReplicas('worker'), runner: createReplicas('runner') },
    projects,
    query: async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
      (await pool.query<Row>(text, values)).rows,
  }
}

/** Version 0.1.0 rejects settings that it does not know. It has one database role and one list of allowed hosts. */
function toFirstReleaseSettings(settings: Readonly<Record<string, string>>): Record<string, string> {
  const {
    COLOPHON_DATABASE_API_ROLE: _api,
    COLOPHON_DATABASE_WORKER_ROLE: _worker,
    COLOPHON_EGRESS_ALLOWED_CODE_HOSTS: codeHosts,
    COLOPHON_EGRESS_ALLOWED_MODEL_HOSTS: modelHosts,
    ...others
  } = settings
  return { ...others, COLOPHON_EGRESS_ALLOWED_HOSTS: `${codeHosts},${modelHosts}` }
}

const lastWord = (output: string) => output.split(/\s+/).at(-1) ?? ''
