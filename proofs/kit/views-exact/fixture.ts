/**
 * Colophon on services of its own, of which PostgreSQL and ClickHouse can be killed: two replicas of each process, and relays
 * that lose responses in front of `api`, between Colophon and PostgreSQL, and between the loader and ClickHouse.
 *
 * A kill counts as a hit on work in flight if at that time `api` had a delivery without a response; PostgreSQL had an open call
 * or transaction; ClickHouse had an open call of the loader; or, for a `worker`, a block was unfinished (a row in `view_block`)
 * and this worker was the last one to call ClickHouse, through a relay that carries no other calls.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareColophonProcess } from '../../../dev-services/colophon-process.ts'
import { startServices } from '../../../dev-services/start-services.ts'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import { AnalyticsSettingsStore } from '../../../server/src/analytics/settings/analytics-settings-store.ts'
import { createDatabase } from '../../../server/src/database/database.ts'
import { generateSealingKeyPair } from '../../../server/src/platform/sealed-secrets/sealing-keys.ts'
import { type ProofRun, seededRandom } from '../../proof.ts'
import { hasRow } from '../has-row.ts'
import { type LossyHttpRelay, startLossyHttpRelay } from '../lossy-http-relay.ts'
import { type LossyPostgresRelay, startLossyPostgresRelay } from '../lossy-postgres-relay.ts'
import type { KillTarget } from '../process-killer.ts'
import type { Replica } from '../retrying-client.ts'
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
    api: LossyHttpRelay['count'][]
    clickhouse: LossyHttpRelay['count'][]
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

const actor = { kind: 'operator' } as const
const replicaCount = 2
/** By then a response that was in flight when its sender was killed has arrived. */
const inFlightMs = 20

export async function prepareViewsFixture(
  run: ProofRun,
  { plans, pagesPerProject, keepLogs }: { plans: readonly ProjectPlan[]; pagesPerProject: number; keepLogs: boolean },
): Promise<ViewsFixture> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  if (keepLogs) run.log(`logs: ${directory}`)
  else run.cleanUp(async () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  const services = await startServices()
  run.cleanUp(services.stop)
  const { processes: parts, addresses } = services
  const instance = await createTestInstance(addresses, 'views-are-exact')
  const projects: ViewsProject[] = []
  for (const plan of plans) projects.push(await makeProject(instance, plan, pagesPerProject, run.random))
  await instance.pool.end() // from here on only processes that will be killed use PostgreSQL

  let lossRates: LossRates = { api: 0, clickhouse: 0, postgres: 0 }
  const createLossDecision = (target: keyof LossRates) => {
    const random = seededRandom(Math.floor(run.random() * 2 ** 31))
    return () => lossRates[target] > 0 && random() < lossRates[target]
  }
  const postgres = await startLossyPostgresRelay(instance.postgresUrl, createLossDecision('postgres'))
  run.cleanUp(postgres.stop)
  const relayTo = async (url: string, target: 'api' | 'clickhouse') => {
    const relay = await startLossyHttpRelay(new URL(url).origin, createLossDecision(target))
    run.cleanUp(relay.stop)
    return relay
  }
  const sealingKeys = generateSealingKeyPair()
  const environment = {
    ...instance.environment,
    COLOPHON_SESSION_SECRET: 'not used, because there are no sessions',
    COLOPHON_SEALING_PUBLIC_KEYS: sealingKeys.publicEntry,
    COLOPHON_SEALING_PRIVATE_KEYS: sealingKeys.privateEntry,
    COLOPHON_DATABASE_URL: postgres.url,
    TMPDIR: directory, // so that files of killed processes are deleted with it
  }
  const prepare = async (kind: 'api' | 'worker', number: number, settings: Record<string, string>) => {
    const processDirectory = join(directory, `${kind}-${number}`)
    mkdirSync(processDirectory)
    const prepared = await prepareColophonProcess(kind, {
      environment: { ...environment, ...settings },
      directory: processDirectory,
    })
    run.cleanUp(() => prepared.process.stop())
    return prepared
  }

  const processes: KillTarget[] = []
  const replicas: Replica[] = []
  const toApi: LossyHttpRelay[] = []
  const toClickhouse: LossyHttpRelay[] = []
  const isLoading = async (relay: LossyHttpRelay) => {
    const calledLast = toClickhouse.every((other) => other.lastCallAtMs() <= relay.lastCallAtMs())
    return calledLast && (await hasRow(instance.postgresUrl, 'SELECT FROM view_block'))
  }
  for (let number = 1; number <= replicaCount; number++) {
    const api = await prepare('api', number, {})
    const apiRelay = await relayTo(api.url, 'api')
    toApi.push(apiRelay)
    const replica = { url: apiRelay.url, openWrites: 0 }
    replicas.push(replica)
    processes.push({ kind: 'api', process: api.process, hasWorkInFlight: afterInFlight(() => replica.openWrites > 0) })

    const clickhouseRelay = await relayTo(instance.clickhouseUrl, 'clickhouse')
    toClickhouse.push(clickhouseRelay)
    const clickhouseUrl = new URL(instance.clickhouseUrl)
    clickhouseUrl.port = new URL(clickhouseRelay.url).port
    const worker = await prepare('worker', number, { COLOPHON_CLICKHOUSE_URL: clickhouseUrl.href })
    processes.push({ kind: 'worker', process: worker.process, hasWorkInFlight: () => isLoading(clickhouseRelay) })
  }
  return {
    processes,
    services: [
      { kind: 'postgres', process: parts.postgres, hasWorkInFlight: afterInFlight(() => postgres.inFlight() > 0) },
      {
        kind: 'clickhouse',
        process: parts.clickhouse,
        hasWorkInFlight: afterInFlight(() => toClickhouse.some((relay) => relay.inFlight() > 0)),
      },
    ],
    projects,
    replicas,
    environment,
    postgresUrl: instance.postgresUrl,
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

async function makeProject(
  { stores, pool }: TestInstance,
  plan: ProjectPlan,
  pageCount: number,
  random: () => number,
): Promise<ViewsProject> {
  const { id } = await stores.projects.create('Docs', actor)
  const keyInput = {
    name: 'client',
    scopes: ['analytics:read', 'analytics:write'],
    allowedNetworks: [],
    expiresAt: null,
  } as const
  const { secret: key } = await stores.keys.create(id, keyInput, actor)
  const settings = new AnalyticsSettingsStore(createDatabase(pool))
  await settings.change(id, plan, actor)
  const { key: siteKey } = await settings.createSiteKey(id, actor)
  return { ...plan, id, key, siteKey, pages: generateSitePages(pageCount, random), model: new ReferenceModel() }
}
