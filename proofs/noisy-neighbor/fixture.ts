/**
 * The smallest deployment with separate processes, as deploy/compose.yml has it: one `api` and one `worker`, with the memory and the CPU
 * shares of their containers. Three runners with four slots each. The healthy projects use Gitea directly; the noisy one reaches it through
 * a relay, which is a code host of its own for Colophon.
 */
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import {
  createGiteaTestRepository,
  type GiteaTestRepository,
} from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import { type Colophon, type ProjectWithKey, prepareColophon } from '../../testing/harness/colophon.ts'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import { connectTestRepository } from '../../testing/harness/connect-test-repository.ts'
import { canSetCpuShares, readDeploymentCpuShares, setCpuShares } from '../../testing/harness/cpu-shares.ts'
import { deploymentMemorySettings } from '../../testing/harness/deployment-memory-settings.ts'
import { type Relay, startRelay } from '../../testing/harness/relay/relay.ts'
import { operator } from '../../testing/harness/test-instance.ts'
import type { ManagedProcess } from '../../testing/services/managed-process.ts'
import { type RunningServices, startServices } from '../../testing/services/start-services.ts'
import type { ProofRun } from '../proof.ts'
import { insertSlowViews, waitForMerges } from './slow-views.ts'
import { type SupervisedRunner, startSupervisedRunner } from './supervised-runner.ts'

export interface LoadedProject extends ProjectWithKey {
  siteKey: string
  repository: GiteaTestRepository
}

export interface NoisyNeighborFixture {
  run: ProofRun
  colophon: Colophon
  services: RunningServices
  clickhouse: ClickHouseClient
  api: ColophonProcess
  worker: ColophonProcess
  runners: readonly SupervisedRunner[]
  healthy: readonly LoadedProject[]
  noisy: LoadedProject
  /** Between the worker and the code host of the noisy project. */
  codeHost: Relay
}

const repositoryCount = 5
const runnerCount = 3
const slotsPerRunner = 4

/** The heartbeat timeout decides how long it takes to find out that a prompt kills runners; the others are the defaults. */
const timers = (heartbeatTimeoutSeconds: number) => ({
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: String(heartbeatTimeoutSeconds),
  COLOPHON_JOB_STALL_SECONDS: '60',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '300',
  COLOPHON_JOB_DEADLINE_SECONDS: '1800',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '3600',
})

export async function prepareNoisyNeighborFixture(
  run: ProofRun,
  size: { projects: number; slowViews: number; heartbeatTimeoutSeconds: number },
): Promise<NoisyNeighborFixture> {
  const services = await startServices({ onStop: run.cleanUp })
  const { gitea } = services.addresses
  const codeHost = await startRelay(gitea.url)
  run.cleanUp(codeHost.stop)
  const allowedHosts = [gitea.url, codeHost.url].map((url) => new URL(url).host)
  const colophon = await prepareColophon(run, 'noisy-neighbor', {
    addresses: services.addresses,
    settings: {
      ...timers(size.heartbeatTimeoutSeconds),
      COLOPHON_EGRESS_ALLOWED_CODE_HOSTS: allowedHosts.join(','),
    },
    ...(run.args.includes('keep-logs') && { keepLogs: (directory) => run.log(`logs: ${directory}`) }),
  })
  const repositories = await Promise.all(
    Array.from({ length: repositoryCount }, () => createGiteaTestRepository(gitea)),
  )
  const relayedRepository = await createGiteaTestRepository({ ...gitea, url: codeHost.url })
  for (const repository of [...repositories, relayedRepository]) run.cleanUp(repository.remove)

  const createProject = async (name: string, repository: GiteaTestRepository | undefined): Promise<LoadedProject> => {
    if (!repository) throw new Error('there is no repository')
    const project = await colophon.createProject(name)
    await connectTestRepository(colophon, project.projectId, repository)
    const { key: siteKey } = await colophon.stores.analyticsSettings.createSiteKey(project.projectId, operator)
    return { ...project, siteKey, repository }
  }
  const healthy = await Promise.all(
    Array.from({ length: size.projects }, (_, index) =>
      createProject(`Healthy ${index + 1}`, repositories[index % repositories.length]),
    ),
  )
  const noisy = await createProject('Noisy', relayedRepository)

  const clickhouse = createClient({ url: colophon.clickhouseUrl })
  run.cleanUp(() => clickhouse.close())
  await insertSlowViews(clickhouse, noisy.projectId, size.slowViews)
  await waitForMerges(clickhouse, 60)
  run.log(`the noisy project has ${size.slowViews} views`)

  const [api, worker] = await Promise.all([
    colophon.start('api', deploymentMemorySettings.api),
    colophon.start('worker', deploymentMemorySettings.worker),
  ])
  const giveCpuShares = prepareCpuShares(run)
  const { postgres, temporal, clickhouse: clickhouseProcess, gitea: giteaProcess } = services.processes
  await giveCpuShares('postgres', postgres)
  await giveCpuShares('temporal', temporal)
  await giveCpuShares('clickhouse', clickhouseProcess)
  await giveCpuShares('gitea', giteaProcess)
  await giveCpuShares('api', api.process)
  await giveCpuShares('worker', worker.process)
  const runners: SupervisedRunner[] = []
  for (let number = 1; number <= runnerCount; number++) {
    const name = `runner-${number}`
    const token = await colophon.createRunnerToken(undefined, name)
    const settings = { gatewayUrl: worker.url, token, name, slots: slotsPerRunner, gitea }
    runners.push(
      await startSupervisedRunner(run, settings, {
        directory: colophon.directory,
        onStart: (runner) => giveCpuShares('runner', runner),
      }),
    )
  }
  return { run, colophon, services, clickhouse, api, worker, runners, healthy, noisy, codeHost }
}

/** Returns how to give a process the CPU shares of its container. A code host is not part of the deployment, and gets the default. */
function prepareCpuShares(run: ProofRun): (name: string, process: ManagedProcess) => Promise<void> {
  if (!canSetCpuShares()) {
    run.log('without CPU shares: they need root and the cpu controller of cgroup v1')
    return async () => {}
  }
  const shares = readDeploymentCpuShares()
  return async (name, process) => run.cleanUp(await setCpuShares(process, shares[name] ?? 1024))
}
