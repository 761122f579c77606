/**
 * Colophon on engines of its own, all of which can be killed: two of each process, several runners, and relays that lose
 * answers between Colophon and its engines.
 *
 * A kill hits work in flight when, at that moment, `api` had a request open that changes something; `worker` had git running,
 * which it has only while it publishes; the runner had a turn in hand; Temporal had turns in hand; Gitea had a request open;
 * PostgreSQL had a call or a transaction open.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareProcess } from '../../dev-services/colophon.ts'
import { Part } from '../../dev-services/managed-process.ts'
import { processTree } from '../../dev-services/process-tree.ts'
import type { GiteaAddress } from '../../dev-services/start-gitea.ts'
import { startServices } from '../../dev-services/start-services.ts'
import { createTestInstance, type TestInstance } from '../../dev-services/test-instance.ts'
import { addTestModel } from '../../dev-services/test-model.ts'
import { createGiteaRepository, type GiteaRepository } from '../../server/src/code-hosts/testing/gitea-repository.ts'
import { generateKey, hashOfKey } from '../../server/src/keys/key-format.ts'
import { scopes } from '../../server/src/keys/scopes.ts'
import { connectRepository } from '../../server/src/main/connect-repository.ts'
import { loadCodeHostConfig } from '../../server/src/platform/config.ts'
import { generateSealingKeyPair } from '../../server/src/platform/sealed-secrets/sealing-keys.ts'
import { type ProofRun, seededRandom } from '../proof.ts'
import { hasRow } from './has-row.ts'
import { type LossyHttp, startLossyHttp } from './lossy-http.ts'
import { type LossyPostgres, startLossyPostgres } from './lossy-postgres.ts'
import type { MortalPart } from './mortal-parts.ts'
import type { Replica } from './patient-client.ts'
import type { TestRunnerSettings } from './test-runner-process.ts'

export interface MortalService {
  /** Not started yet. */
  processes: readonly MortalPart[]
  /** PostgreSQL first: the others stand on it. */
  services: readonly MortalPart[]
  projects: readonly MortalProject[]
  replicas: readonly Replica[]
  /** Through the relay. */
  gitea: GiteaAddress
  lost: { postgres: LossyPostgres['count']; gitea: LossyHttp['count'] }
  /** From now on this share of the answers is lost. */
  loseResponses(share: number): void
}

export interface MortalProject {
  projectId: string
  key: string
  repository: GiteaRepository
}

const actor = { kind: 'operator' } as const
const heldTurns = "SELECT FROM turn WHERE status IN ('running', 'publishing')"
const replicaCount = 2
const runnerCount = 3

/** Short where something waits for the dead, long where a turn would be given up. */
const timers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '4',
  COLOPHON_JOB_STALL_SECONDS: '5',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '30',
  COLOPHON_JOB_DEADLINE_SECONDS: '900',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '900',
}

export async function prepareMortalService(
  run: ProofRun,
  { projectCount, keepLogs }: { projectCount: number; keepLogs: boolean },
): Promise<MortalService> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  if (keepLogs) run.say(`logs are in ${directory}`)
  else run.cleanUp(async () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  const services = await startServices()
  run.cleanUp(services.stop)
  const { parts, addresses } = services
  const instance = await createTestInstance(addresses, 'jobs-survive')

  let share = 0
  const losing = (seed: number) => {
    const random = seededRandom(seed)
    return () => share > 0 && random() < share
  }
  const postgres = await startLossyPostgres(instance.postgresUrl, losing(run.seed + 1))
  run.cleanUp(postgres.stop)
  const codeHost = await startLossyHttp(addresses.gitea.url, losing(run.seed + 2))
  run.cleanUp(codeHost.stop)
  const gitea = { ...addresses.gitea, url: codeHost.url }
  const sealingKeys = generateSealingKeyPair()
  const environment = {
    ...instance.environment,
    ...timers,
    COLOPHON_SESSION_SECRET: 'of no use here, since nobody signs in',
    COLOPHON_SEALING_PUBLIC_KEYS: sealingKeys.publicEntry,
    COLOPHON_SEALING_PRIVATE_KEYS: sealingKeys.privateEntry,
    COLOPHON_DATABASE_URL: postgres.url,
    COLOPHON_EGRESS_ALLOWED_HOSTS: new URL(gitea.url).host,
    TMPDIR: directory, // what the killed leave behind goes with it
  }

  await addTestModel(instance.stores.models)
  const projects = await Promise.all(
    Array.from({ length: projectCount }, async () => {
      const project = await makeProject(instance, gitea, environment)
      run.cleanUp(project.repository.remove)
      return project
    }),
  )
  const token = generateKey('colophon_runner_')
  await instance.stores.runners.create('test runners', hashOfKey(token), null)
  await instance.pool.end() // nothing but what is to be killed stands on PostgreSQL from here on

  const processes: MortalPart[] = []
  const prepare = async (kind: 'api' | 'worker', number: number) => {
    const own = join(directory, `${kind}-${number}`)
    mkdirSync(own)
    const prepared = await prepareProcess(kind, { environment, directory: own })
    run.cleanUp(() => prepared.part.stop())
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
    processes.push({ kind: 'api', part: api.part, hasWorkInFlight: () => replica.openWrites > 0 })
    processes.push({ kind: 'worker', part: worker.part, hasWorkInFlight: () => hasChildren(worker.part) })
  }
  for (let number = 1; number <= runnerCount; number++) {
    const runner = testRunner({ gatewayUrls, token, gitea }, directory, number)
    run.cleanUp(() => runner.part.stop())
    processes.push(runner)
  }

  return {
    processes,
    services: [
      { kind: 'postgres', part: parts.postgres, hasWorkInFlight: () => postgres.inFlight() > 0 },
      { kind: 'temporal', part: parts.temporal, hasWorkInFlight: () => hasRow(instance.postgresUrl, heldTurns) },
      { kind: 'gitea', part: parts.gitea, hasWorkInFlight: () => codeHost.inFlight() > 0 },
    ],
    projects,
    replicas,
    gitea,
    lost: { postgres: postgres.count, gitea: codeHost.count },
    loseResponses(newShare) {
      share = newShare
    },
  }
}

/** In this process, as `colophon-server admin` does it: for dozens of projects a process each would take minutes. */
async function makeProject(
  { stores, pool }: TestInstance,
  gitea: GiteaAddress,
  environment: Record<string, string>,
): Promise<MortalProject> {
  const { id: projectId } = await stores.projects.create('Docs', actor)
  const wanted = { name: 'client', scopes, allowedNetworks: [], expiresAt: null }
  const { secret: key } = await stores.keys.create(projectId, wanted, actor)
  const repository = await createGiteaRepository(gitea)
  const { owner, name } = repository
  const where = { host: 'gitea', baseUrl: gitea.url, owner, name, baseBranch: 'main', docsFolder: 'docs' } as const
  await connectRepository({
    stores,
    pool,
    projectId,
    actor,
    config: loadCodeHostConfig(environment),
    token: gitea.adminToken,
    wanted: { ...where, publishing: {} },
  })
  return { projectId, key, repository }
}

const hasChildren = async ({ pid }: Part) => pid !== undefined && (await processTree(pid)).length > 1

function testRunner(settings: TestRunnerSettings, directory: string, number: number): MortalPart {
  let turnsInHand: number | undefined
  const part = new Part({
    name: 'runner',
    command: [process.execPath, join(import.meta.dirname, 'test-runner-process.ts')],
    env: { PATH: process.env.PATH, TMPDIR: directory, TEST_RUNNER: JSON.stringify(settings) },
    logFile: join(directory, `runner-${number}.log`),
    print: (line) => {
      turnsInHand = Number(line)
    },
    isReady: async () => turnsInHand !== undefined,
    readyWithinSeconds: 30,
  })
  return { kind: 'runner', part, hasWorkInFlight: () => (turnsInHand ?? 0) > 0 }
}
