/**
 * Colophon on its own services, all of which can be killed: two `api` and two `worker` processes, several runners, and relays
 * between Colophon and its services that lose responses.
 *
 * A kill counts as in flight if, at that moment, `api` had an open write request; `worker` had a git process, which it has only
 * while it publishes; the runner had a turn; any turn was running or publishing (for Temporal); Gitea had an open request;
 * PostgreSQL had an open call or transaction.
 */
import { join } from 'node:path'
import { type ConnectedProject, prepareColophon } from '../../testing/harness/colophon.ts'
import { hasRow } from '../../testing/harness/has-row.ts'
import type { KillTarget } from '../../testing/harness/process-killer.ts'
import { type HttpRelay, startHttpRelay } from '../../testing/harness/relay/http-relay.ts'
import { type LossyPostgresRelay, startLossyPostgresRelay } from '../../testing/harness/relay/postgres-relay.ts'
import type { Replica } from '../../testing/harness/retrying-client.ts'
import type { TestRunnerSettings } from '../../testing/harness/test-runner-process.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import { processTree } from '../../testing/services/process-tree.ts'
import type { GiteaAccess } from '../../testing/services/start-gitea.ts'
import { startServices } from '../../testing/services/start-services.ts'
import { type ProofRun, seededRandom } from '../proof.ts'

export interface KillableFixture {
  /** Prepared, but not started yet. */
  processes: readonly KillTarget[]
  /** PostgreSQL is first, because the others need it. */
  services: readonly KillTarget[]
  projects: readonly ConnectedProject[]
  replicas: readonly Replica[]
  /** The address through the relay. */
  gitea: GiteaAccess
  lost: { postgres: LossyPostgresRelay['count']; gitea: HttpRelay['count'] }
  /** Sets the share of responses that the relays lose. */
  loseResponses(share: number): void
}

const turnsInFlight = "SELECT FROM turn WHERE status IN ('running', 'publishing')"
const replicaCount = 2
const runnerCount = 3

/** Short timeouts for detecting dead processes, long ones where a turn would fail. */
const timers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '4',
  COLOPHON_JOB_STALL_SECONDS: '5',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '30',
  COLOPHON_JOB_DEADLINE_SECONDS: '900',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '900',
}

export async function prepareKillableFixture(run: ProofRun, projectCount: number): Promise<KillableFixture> {
  const services = await startServices({ onStop: run.cleanUp })
  let lostShare = 0
  const createLossDecision = (seed: number) => {
    const random = seededRandom(seed)
    return () => lostShare > 0 && random() < lostShare
  }
  const codeHost = await startHttpRelay(services.addresses.gitea.url, { shouldLose: createLossDecision(run.seed + 2) })
  run.cleanUp(codeHost.stop)
  const gitea = { ...services.addresses.gitea, url: codeHost.url }
  const colophon = await prepareColophon(run, 'jobs-survive', {
    addresses: { ...services.addresses, gitea },
    settings: timers,
    ...(run.args.includes('keep-logs') && { keepLogs: (directory) => run.log(`logs: ${directory}`) }),
  })
  const { postgresUrl, directory } = colophon
  const postgres = await startLossyPostgresRelay(postgresUrl, createLossDecision(run.seed + 1))
  run.cleanUp(postgres.stop)
  const projects = await Promise.all(Array.from({ length: projectCount }, () => colophon.connectProject('Docs')))
  const token = await colophon.createRunnerToken()
  await Promise.all([colophon.pool.end(), colophon.database.destroy()]) // from here on, only processes that can be killed use PostgreSQL

  const settings = {
    COLOPHON_DATABASE_URL: postgres.url,
    TMPDIR: directory, // so that files left behind by killed processes are deleted with it
  }
  const processes: KillTarget[] = []
  const replicas: Replica[] = []
  const gatewayUrls: string[] = []
  for (let number = 1; number <= replicaCount; number++) {
    const api = await colophon.prepare('api', settings)
    const worker = await colophon.prepare('worker', settings)
    const replica = { url: api.url, openWrites: 0 }
    replicas.push(replica)
    gatewayUrls.push(worker.url)
    processes.push({ kind: 'api', process: api.process, hasWorkInFlight: () => replica.openWrites > 0 })
    processes.push({ kind: 'worker', process: worker.process, hasWorkInFlight: () => hasChildren(worker.process) })
  }
  for (let number = 1; number <= runnerCount; number++) {
    const runner = prepareTestRunner({ gatewayUrls, token, gitea }, directory, number)
    run.cleanUp(() => runner.process.stop())
    processes.push(runner)
  }

  return {
    processes,
    services: [
      { kind: 'postgres', process: services.processes.postgres, hasWorkInFlight: () => postgres.inFlight() > 0 },
      {
        kind: 'temporal',
        process: services.processes.temporal,
        hasWorkInFlight: () => hasRow(postgresUrl, turnsInFlight),
      },
      { kind: 'gitea', process: services.processes.gitea, hasWorkInFlight: () => codeHost.inFlight() > 0 },
    ],
    projects,
    replicas,
    gitea,
    lost: { postgres: postgres.count, gitea: codeHost.count },
    loseResponses(newShare) {
      lostShare = newShare
    },
  }
}

const hasChildren = async ({ pid }: ManagedProcess) => pid !== undefined && (await processTree(pid)).length > 1

function prepareTestRunner(settings: TestRunnerSettings, directory: string, number: number): KillTarget {
  let activeTurns: number | undefined
  const managed = new ManagedProcess({
    name: 'runner',
    command: [process.execPath, join(import.meta.dirname, '../../testing/harness/test-runner-process.ts')],
    env: { PATH: process.env.PATH, TMPDIR: directory, TEST_RUNNER: JSON.stringify(settings) },
    logFile: join(directory, `runner-${number}.log`),
    print: (line) => {
      activeTurns = Number(line)
    },
    isReady: async () => activeTurns !== undefined,
    readyWithinSeconds: 30,
  })
  return { kind: 'runner', process: managed, hasWorkInFlight: () => (activeTurns ?? 0) > 0 }
}
