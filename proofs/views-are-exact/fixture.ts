/**
 * Colophon on services of its own, of which PostgreSQL and ClickHouse can be killed: two replicas of each process, and relays
 * that lose responses in front of `api`, between Colophon and PostgreSQL, and between the loader and ClickHouse.
 *
 * A kill counts as a hit on work in flight if at that time `api` had a delivery without a response; PostgreSQL had an open call
 * or transaction; ClickHouse had an open call of the loader; or, for a `worker`, a block was unfinished (a row in `view_block`)
 * and this worker was the last one to call ClickHouse, through a relay that carries no other calls.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Colophon, prepareColophon } from '../../testing/harness/colophon.ts'
import { hasRow } from '../../testing/harness/has-row.ts'
import type { KillTarget } from '../../testing/harness/process-killer.ts'
import { type HttpRelay, startHttpRelay } from '../../testing/harness/relay/http-relay.ts'
import { type LossyPostgresRelay, startLossyPostgresRelay } from '../../testing/harness/relay/postgres-relay.ts'
import type { Replica } from '../../testing/harness/retrying-client.ts'
import { operator } from '../../testing/harness/test-instance.ts'
import { startServices } from '../../testing/services/start-services.ts'
import { type ProofRun, seededRandom } from '../proof.ts'
import type { ViewsProject } from './deliveries.ts'
import { type AiScope, ReferenceModel } from './reference-model.ts'
import { generateSitePages } from './site-pages.ts'

export interface ProjectPlan {
  humanSource: 'script' | 'servers'
  respectDoNotTrack: boolean
  allowedOrigins: string[]
  aiScope: AiScope
}

export interface ViewsFixture {
  /** Not started yet. */
  processes: readonly KillTarget[]
  services: readonly KillTarget[]
  projects: readonly ViewsProject[]
  /** Reached through relays. */
  replicas: readonly Replica[]
  /** For `import-logs`. */
  environment: Record<string, string>
  postgresUrl: string
  /** For log files; deleted when the proof ends. */
  directory: string
  lossCounts: {
    api: HttpRelay['count'][]
    clickhouse: HttpRelay['count'][]
    postgres: LossyPostgresRelay['count']
  }
  /** From now on these shares of the responses are lost. */
  loseResponses(rates: LossRates): void
}

export interface LossRates {
  api: number
  clickhouse: number
  postgres: number
}

const replicaCount = 2
/** By then a response that was in flight when its sender was killed has arrived. */
const inFlightMs = 20

export async function prepareViewsFixture(
  run: ProofRun,
  { plans, pagesPerProject }: { plans: readonly ProjectPlan[]; pagesPerProject: number },
): Promise<ViewsFixture> {
  const services = await startServices({ onStop: run.cleanUp })
  const colophon = await prepareColophon(run, 'views-are-exact', {
    addresses: services.addresses,
    ...(run.args.includes('keep-logs') && { keepLogs: (directory) => run.log(`logs: ${directory}`) }),
  })
  const { postgresUrl, clickhouseUrl, directory } = colophon
  const projects: ViewsProject[] = []
  for (const plan of plans) projects.push(await createViewsProject(colophon, plan, pagesPerProject, run.random))
  await Promise.all([colophon.pool.end(), colophon.database.destroy()]) // from here on only processes that will be killed use PostgreSQL

  let lossRates: LossRates = { api: 0, clickhouse: 0, postgres: 0 }
  const createLossDecision = (target: keyof LossRates) => {
    const random = seededRandom(Math.floor(run.random() * 2 ** 31))
    return () => lossRates[target] > 0 && random() < lossRates[target]
  }
  const postgres = await startLossyPostgresRelay(postgresUrl, createLossDecision('postgres'))
  run.cleanUp(postgres.stop)
  const relayTo = async (url: string, target: 'api' | 'clickhouse') => {
    const relay = await startHttpRelay(url, { shouldLose: createLossDecision(target) })
    run.cleanUp(relay.stop)
    return relay
  }
  const settings = {
    COLOPHON_DATABASE_URL: postgres.url,
    TMPDIR: directory, // so that files of killed processes are deleted with it
  }

  const processes: KillTarget[] = []
  const replicas: Replica[] = []
  const toApi: HttpRelay[] = []
  const toClickhouse: HttpRelay[] = []
  const isLoading = async (relay: HttpRelay) => {
    const calledLast = toClickhouse.every((other) => other.lastCallAtMs() <= relay.lastCallAtMs())
    return calledLast && (await hasRow(postgresUrl, 'SELECT FROM view_block'))
  }
  for (let number = 1; number <= replicaCount; number++) {
    const api = await colophon.prepare('api', settings)
    const apiRelay = await relayTo(api.url, 'api')
    toApi.push(apiRelay)
    const replica = { url: apiRelay.url, openWrites: 0 }
    replicas.push(replica)
    processes.push({ kind: 'api', process: api.process, hasWorkInFlight: afterInFlight(() => replica.openWrites > 0) })

    const clickhouseRelay = await relayTo(clickhouseUrl, 'clickhouse')
    toClickhouse.push(clickhouseRelay)
    const worker = await colophon.prepare('worker', { ...settings, COLOPHON_CLICKHOUSE_URL: clickhouseRelay.url })
    processes.push({ kind: 'worker', process: worker.process, hasWorkInFlight: () => isLoading(clickhouseRelay) })
  }
  return {
    processes,
    services: [
      {
        kind: 'postgres',
        process: services.processes.postgres,
        hasWorkInFlight: afterInFlight(() => postgres.inFlight() > 0),
      },
      {
        kind: 'clickhouse',
        process: services.processes.clickhouse,
        hasWorkInFlight: afterInFlight(() => toClickhouse.some((relay) => relay.inFlight() > 0)),
      },
    ],
    projects,
    replicas,
    environment: { ...colophon.environment, ...settings },
    postgresUrl,
    directory,
    lossCounts: {
      api: toApi.map((relay) => relay.count),
      clickhouse: toClickhouse.map((relay) => relay.count),
      postgres: postgres.count,
    },
    loseResponses(newRates) {
      lossRates = newRates
    },
  }
}

const afterInFlight = (hasWork: () => boolean) => async () => {
  await sleep(inFlightMs)
  return hasWork()
}

async function createViewsProject(
  { stores, createProject }: Colophon,
  plan: ProjectPlan,
  pageCount: number,
  random: () => number,
): Promise<ViewsProject> {
  const { projectId: id, key } = await createProject('Docs', { scopes: ['analytics:read', 'analytics:write'] })
  await stores.analyticsSettings.change(id, plan, operator)
  const { key: siteKey } = await stores.analyticsSettings.createSiteKey(id, operator)
  return { ...plan, id, key, siteKey, pages: generateSitePages(pageCount, random), model: new ReferenceModel() }
}
