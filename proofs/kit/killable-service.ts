/**
 * Colophon on its own services, all of which can be killed: two `api` and two `worker` processes, several runners, and relays
 * between Colophon and its services that lose responses.
 *
 * A kill counts as in flight if, at that moment, `api` had an open write request; `worker` had a git process, which it has only
 * while it publishes; the runner had a turn; any turn was running or publishing (for Temporal); Gitea had an open request;
 * PostgreSQL had an open call or transaction.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareColophonProcess } from '../../dev-services/colophon-process.ts'
import { ManagedProcess } from '../../dev-services/managed-process.ts'
import { processTree } from '../../dev-services/process-tree.ts'
import type { GiteaAccess } from '../../dev-services/start-gitea.ts'
import { startServices } from '../../dev-services/start-services.ts'
import { createTestInstance, type TestInstance } from '../../dev-services/test-instance.ts'
import { addTestModel } from '../../dev-services/test-model.ts'
import {
  createGiteaTestRepository,
  type GiteaTestRepository,
} from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import { generateKey, hashKey } from '../../server/src/keys/key-format.ts'
import { scopes } from '../../server/src/keys/scopes.ts'
import { connectRepository } from '../../server/src/main/use-cases/connect-repository.ts'
import { loadCredentialCommandConfig } from '../../server/src/platform/config.ts'
import { generateSealingKeyPair } from '../../server/src/platform/sealed-secrets/sealing-keys.ts'
import { type ProofRun, seededRandom } from '../proof.ts'
import { hasRow } from './has-row.ts'
import { type LossyHttpRelay, startLossyHttpRelay } from './lossy-http-relay.ts'
import { type LossyPostgresRelay, startLossyPostgresRelay } from './lossy-postgres-relay.ts'
import type { KillTarget } from './process-killer.ts'
import type { Replica } from './retrying-client.ts'
import type { TestRunnerSettings } from './test-runner-process.ts'

export interface KillableService {
  /** Prepared, but not started yet. */
  processes: readonly KillTarget[]
  /** PostgreSQL is first, because the others need it. */
  services: readonly KillTarget[]
  projects: readonly KillableServiceProject[]
  replicas: readonly Replica[]
  /** The address through the relay. */
  gitea: GiteaAccess
  lost: { postgres: LossyPostgresRelay['count']; gitea: LossyHttpRelay['count'] }
  /** Sets the share of responses that the relays lose. */
  loseResponses(share: number): void
}

export interface KillableServiceProject {
  projectId: string
  key: string
  repository: GiteaTestRepository
}

const actor = { kind: 'operator' } as const
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

export async function prepareKillableService(
  run: ProofRun,
  { projectCount, keepLogs }: { projectCount: number; keepLogs: boolean },
): Promise<KillableService> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  if (keepLogs) run.log(`logs: ${directory}`)
  else run.cleanUp(async () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  const services = await startServices()
  run.cleanUp(services.stop)
  const { processes: serviceProcesses, addresses } = services
  const instance = await createTestInstance(addresses, 'jobs-survive')

  let lostShare = 0
  const lossDecider = (seed: number) => {
    const random = seededRandom(seed)
    return () => lostShare > 0 && random() < lostShare
  }
  const postgres = await startLossyPostgresRelay(instance.postgresUrl, lossDecider(run.seed + 1))
  run.cleanUp(postgres.stop)
  const codeHost = await startLossyHttpRelay(addresses.gitea.url, lossDecider(run.seed + 2))
  run.cleanUp(codeHost.stop)
  const gitea = { ...addresses.gitea, url: codeHost.url }
  const sealingKeys = generateSealingKeyPair()
  const environment = {
    ...instance.environment,
    ...timers,
    COLOPHON_SESSION_SECRET: 'not used here, because nobody signs in',
    COLOPHON_SEALING_PUBLIC_KEYS: sealingKeys.publicEntry,
    COLOPHON_SEALING_PRIVATE_KEYS: sealingKeys.privateEntry,
    COLOPHON_DATABASE_URL: postgres.url,
    COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(gitea.url).host,
    TMPDIR: directory, // so that files left behind by killed processes are deleted with it
  }

  await addTestModel(instance.stores.models)
  const projects = await Promise.all(
    Array.from({ length: projectCount }, async () => {
      const project = await createProject(instance, gitea, environment)
      run.cleanUp(project.repository.remove)
      return project
    }),
  )
  const token = generateKey('colophon_runner_')
  await instance.stores.runners.create('test runners', hashKey(token), null)
  await instance.pool.end() // from here on, only processes that can be killed use PostgreSQL

  const processes: KillTarget[] = []
  const prepare = async (kind: 'api' | 'worker', number: number) => {
    const processDirectory = join(directory, `${kind}-${number}`)
    mkdirSync(processDirectory)
    const prepared = await prepareColophonProcess(kind, { environment, directory: processDirectory })
    run.cleanUp(() => prepared.process.stop())
    return prepared
  }
  const replicas: Replica[] = []
  const gatewayUrls: string[] = []
  for (let number = 1; number <= replicaCount; number++) {
    const api = await prepare('api', number)
    const worker = await prepare('worker', number)
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
      { kind: 'postgres', process: serviceProcesses.postgres, hasWorkInFlight: () => postgres.inFlight() > 0 },
      {
        kind: 'temporal',
        process: serviceProcesses.temporal,
        hasWorkInFlight: () => hasRow(instance.postgresUrl, turnsInFlight),
      },
      { kind: 'gitea', process: serviceProcesses.gitea, hasWorkInFlight: () => codeHost.inFlight() > 0 },
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

/** Does in this process what `colophon-server admin` does: one process for each of dozens of projects would take minutes. */
async function createProject(
  { stores }: TestInstance,
  gitea: GiteaAccess,
  environment: Record<string, string>,
): Promise<KillableServiceProject> {
  const { id: projectId } = await stores.projects.create('Docs', actor)
  const keyInput = { name: 'client', scopes, allowedNetworks: [], expiresAt: null }
  const { secret: key } = await stores.keys.create(projectId, keyInput, actor)
  const repository = await createGiteaTestRepository(gitea)
  const { owner, name } = repository
  const location = { host: 'gitea', baseUrl: gitea.url, owner, name, baseBranch: 'main', docsFolder: 'docs' } as const
  await connectRepository({
    stores,
    projectId,
    actor,
    config: loadCredentialCommandConfig(environment),
    token: gitea.adminToken,
    input: { ...location, publishing: {} },
  })
  return { projectId, key, repository }
}

const hasChildren = async ({ pid }: ManagedProcess) => pid !== undefined && (await processTree(pid)).length > 1

function prepareTestRunner(settings: TestRunnerSettings, directory: string, number: number): KillTarget {
  let activeTurns: number | undefined
  const managed = new ManagedProcess({
    name: 'runner',
    command: [process.execPath, join(import.meta.dirname, 'test-runner-process.ts')],
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
