/**
 * Two `api`, two `worker` and three test runners, each on a simulated machine of its own, with PostgreSQL, ClickHouse, Temporal
 * and Gitea. Colophon's database is on a PostgreSQL of its own, so that it can be replaced without Temporal's and Gitea's.
 *
 * Gitea is not reached through the relays of `worker`, because its URL belongs to the project and is the same for all machines.
 * A worker without a network therefore still reaches it, which is worse than one that reaches nothing.
 */
import { join } from 'node:path'
import pg from 'pg'
import { createGiteaTestRepository } from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import {
  type CleanUp,
  type Colophon,
  type ConnectedProject,
  prepareColophon,
  type Settings,
} from '../../testing/harness/colophon.ts'
import { connectTestRepository } from '../../testing/harness/connect-test-repository.ts'
import { databaseRoles } from '../../testing/harness/database-roles.ts'
import { mountSmallDisk, type SmallDisk } from '../../testing/harness/faults/small-disk.ts'
import { startOwnPostgres } from '../../testing/harness/own-postgres.ts'
import { type Relay, startRelay } from '../../testing/harness/relay/relay.ts'
import { freePort } from '../../testing/services/free-port.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import type { RunningPostgres } from '../../testing/services/start-postgres.ts'
import { type RunningServices, startServices } from '../../testing/services/start-services.ts'
import type { ProofRun } from '../proof.ts'
import type { LoadReplica } from './load.ts'
import { Machine } from './machine.ts'

export interface ColophonMachine {
  machine: Machine
  /** Through the relays of the machine. */
  url: string
  /** Between the clients and the process. */
  inbound: Relay
  clickhouse: Relay
  /** Starts the process, again with other settings if it runs. */
  start(settings?: Settings): Promise<void>
}

export interface RunnerMachine {
  machine: Machine
  activeTurns(): number
  start(settings?: Settings): Promise<void>
}

export interface VanishFixture {
  run: ProofRun
  colophon: Colophon
  services: RunningServices
  apis: readonly [ColophonMachine, ColophonMachine]
  workers: readonly [ColophonMachine, ColophonMachine]
  runners: readonly RunnerMachine[]
  machines: readonly Machine[]
  replicas: readonly LoadReplica[]
  projects: readonly ConnectedProject[]
  /** Between the workers and Gitea. */
  codeHost: Relay
  database: DatabaseServer
  /** Undefined: they cannot be mounted here, or no scenario needs them. */
  disks: { postgres: SmallDisk; clickhouse: SmallDisk } | undefined
}

/** The current primary of Colophon's database. */
export interface DatabaseServer {
  primary: RunningPostgres
  /** Of the database, on the current primary and not through a machine's relay. */
  url(): string
  /** All relays of machines, and the one of the proof itself. */
  relays: readonly Relay[]
  /** For a standby, which may be the primary in the end: it is stopped after everything that uses it. */
  cleanUp: CleanUp
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
}

const projectCount = 20
const repositoryCount = 4
const runnerCount = 3
const diskBytes = 700 * 1024 * 1024

/** Short timeouts for detecting lost runners, long ones where a turn would fail. */
const timers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '6',
  COLOPHON_JOB_STALL_SECONDS: '5',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '60',
  COLOPHON_JOB_DEADLINE_SECONDS: '300',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '900',
}

export interface VanishOptions {
  needsSmallDisks: boolean
  /** Called before the proof closes its own connections to the database. */
  prepareMore?: (colophon: Colophon) => Promise<void>
}

export async function prepareVanishFixture(
  run: ProofRun,
  { needsSmallDisks, prepareMore }: VanishOptions,
): Promise<VanishFixture> {
  const disks = needsSmallDisks ? await mountDisks(run) : undefined
  const [services, primary] = await Promise.all([
    startServices({
      onStop: run.cleanUp,
      ...(disks && { clickhouse: { directory: join(disks.clickhouse.directory, 'clickhouse') } }),
    }),
    startOwnPostgres(run, disks ? { directory: join(disks.postgres.directory, 'postgres') } : {}),
  ])
  const standbyStops: (() => Promise<unknown>)[] = []
  run.cleanUp(async () => {
    for (const stop of standbyStops.reverse()) await stop()
  })
  const control = await startRelay(primary.url)
  const codeHost = await startRelay(services.addresses.gitea.url)
  for (const relay of [control, codeHost]) run.cleanUp(relay.stop)
  const gitea = { ...services.addresses.gitea, url: codeHost.url }
  const colophon = await prepareColophon(run, 'machines-vanish', {
    addresses: { ...services.addresses, gitea, postgresUrl: control.url },
    settings: timers,
    ...(run.args.includes('keep-logs') && { keepLogs: (directory) => run.log(`logs: ${directory}`) }),
  })
  const projects = await connectProjects(run, colophon)
  // Not for all projects: an agent's project, if there is one, has a runner of its own.
  const projectIds = projects.map(({ projectId }) => projectId)
  const tokens = await Promise.all(
    Array.from({ length: runnerCount }, (_, index) => colophon.createRunnerToken(projectIds, `runner-${index + 1}`)),
  )
  await prepareMore?.(colophon)
  // As docs/operations/failover.md says, so that `worker` sees the standbys.
  await colophon.pool.query(`GRANT pg_read_all_stats TO ${databaseRoles.worker}`)
  await Promise.all([colophon.pool.end(), colophon.database.destroy()])

  const databasePath = new URL(colophon.postgresUrl).pathname
  const postgresRelays = [control]
  const prepareMachine = async (kind: 'api' | 'worker', name: string, address: string): Promise<ColophonMachine> => {
    const machine = await Machine.create(run, name, address)
    const postgres = await machine.relayTo(new URL(databasePath, primary.url).href, 'postgres')
    postgresRelays.push(postgres)
    const clickhouse = await machine.relayTo(colophon.clickhouseUrl)
    const temporal = await machine.relayTo(`tcp://${services.addresses.temporalAddress}`)
    const listen = `127.0.0.1:${await freePort()}`
    const inbound = await machine.relayTo(`http://${listen}`)
    const settings = {
      COLOPHON_DATABASE_URL: postgres.url,
      COLOPHON_CLICKHOUSE_URL: clickhouse.url,
      COLOPHON_TEMPORAL_ADDRESS: new URL(temporal.url).host,
      [kind === 'api' ? 'COLOPHON_LISTEN' : 'COLOPHON_GATEWAY_LISTEN']: listen,
      TMPDIR: colophon.directory,
    }
    let isStarted = false
    return {
      machine,
      url: inbound.url,
      inbound,
      clickhouse,
      async start(more = {}) {
        if (isStarted) await machine.process.stop()
        machine.process = (await colophon.prepare(kind, { ...settings, ...more })).process
        isStarted = true
        await machine.process.start()
      },
    }
  }
  const apis = [
    await prepareMachine('api', 'api 1', '127.0.210.1'),
    await prepareMachine('api', 'api 2', '127.0.210.2'),
  ] as const
  const workers = [
    await prepareMachine('worker', 'worker 1', '127.0.211.1'),
    await prepareMachine('worker', 'worker 2', '127.0.211.2'),
  ] as const
  const runners: RunnerMachine[] = []
  for (const [index, token] of tokens.entries()) {
    const machine = await Machine.create(run, `runner ${index + 1}`, `127.0.212.${index + 1}`)
    const gatewayUrls = await Promise.all(workers.map(async ({ url }) => (await machine.relayTo(url)).url))
    const ownGitea = { ...gitea, url: (await machine.relayTo(services.addresses.gitea.url)).url }
    runners.push(
      prepareRunner(run, machine, { gatewayUrls, token, name: `runner-${index + 1}`, gitea: ownGitea }, colophon),
    )
  }
  await Promise.all([...apis, ...workers].map((machine) => machine.start()))
  await Promise.all(runners.map((runner) => runner.start()))

  const database: DatabaseServer = {
    primary,
    url: () => new URL(databasePath, database.primary.url).href,
    relays: postgresRelays,
    cleanUp: { cleanUp: (stop) => void standbyStops.push(stop) },
    async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
      const client = new pg.Client({
        connectionString: database.url(),
        connectionTimeoutMillis: 3_000,
        query_timeout: 10_000,
      })
      client.on('error', () => {}) // the query fails with it
      try {
        await client.connect()
        return (await client.query<Row>(text, values)).rows
      } finally {
        await client.end().catch(() => {})
      }
    },
  }
  const replicas = apis.map(({ machine, url }) => ({ name: machine.name, url }))
  const machines = [...apis, ...workers, ...runners].map(({ machine }) => machine)
  return { run, colophon, services, apis, workers, runners, machines, replicas, projects, codeHost, database, disks }
}

async function mountDisks(run: ProofRun) {
  const postgres = await mountSmallDisk({ sizeBytes: diskBytes })
  run.cleanUp(postgres.stop)
  const clickhouse = await mountSmallDisk({ sizeBytes: diskBytes })
  run.cleanUp(clickhouse.stop)
  return { postgres, clickhouse }
}

/** Several projects share a repository, so that the judge reads few of them. */
async function connectProjects(run: ProofRun, colophon: Colophon): Promise<ConnectedProject[]> {
  const repositories = await Promise.all(
    Array.from({ length: repositoryCount }, () => createGiteaTestRepository(colophon.addresses.gitea)),
  )
  for (const repository of repositories) run.cleanUp(repository.remove)
  return await Promise.all(
    Array.from({ length: projectCount }, async (_, index) => {
      const repository = repositories[index % repositories.length]
      if (!repository) throw new Error('there is no repository')
      const project = await colophon.createProject(`Project ${index + 1}`)
      await connectTestRepository(colophon, project.projectId, repository)
      return { ...project, repository }
    }),
  )
}

function prepareRunner(run: ProofRun, machine: Machine, settings: object, { directory }: Colophon): RunnerMachine {
  let activeTurns: number | undefined
  let isStarted = false
  return {
    machine,
    activeTurns: () => activeTurns ?? 0,
    async start(more = {}) {
      if (isStarted) await machine.process.stop()
      isStarted = true
      activeTurns = undefined
      machine.process = new ManagedProcess({
        name: machine.name,
        command: [process.execPath, join(import.meta.dirname, '../../testing/harness/test-runner-process.ts')],
        env: { PATH: process.env.PATH, TMPDIR: directory, TEST_RUNNER: JSON.stringify(settings), ...more },
        logFile: join(directory, 'runner.log'),
        print: (line) => {
          activeTurns = Number(line)
        },
        isReady: async () => activeTurns !== undefined,
        readyWithinSeconds: 30,
      })
      const started = machine.process
      run.cleanUp(() => started.stop())
      await started.start()
    },
  }
}
