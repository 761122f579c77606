/**
 * Colophon on engines of its own, of which PostgreSQL and ClickHouse can be killed: two of each process, and relays that lose
 * answers in front of `api`, between it and PostgreSQL, and between the loader and ClickHouse.
 *
 * A kill hits work in flight when, at that moment, `api` had a delivery open that it had not answered; PostgreSQL had a call or
 * a transaction open; ClickHouse had a call of the loader open; and there was a block begun and not finished (a row in
 * `view_block`) that this `worker` was at, being the last that spoke to ClickHouse: no other call takes that way.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareProcess } from '../../../dev-services/colophon.ts'
import { startServices } from '../../../dev-services/start-services.ts'
import { createTestInstance, type TestInstance } from '../../../dev-services/test-instance.ts'
import { SettingsStore } from '../../../server/src/analytics/settings/settings-store.ts'
import type { AnalyticsTables } from '../../../server/src/analytics/tables.ts'
import { recordAudit } from '../../../server/src/audit/audit-store.ts'
import { createDatabase } from '../../../server/src/platform/postgres.ts'
import { generateSealingKeyPair } from '../../../server/src/platform/sealed-secrets/sealing-keys.ts'
import { type ProofRun, seededRandom } from '../../proof.ts'
import { hasRow } from '../has-row.ts'
import { type LossyHttp, startLossyHttp } from '../lossy-http.ts'
import { type LossyPostgres, startLossyPostgres } from '../lossy-postgres.ts'
import type { MortalPart } from '../mortal-parts.ts'
import type { Replica } from '../patient-client.ts'
import type { ExactProject } from './deliveries.ts'
import { makeSitePages } from './site-pages.ts'
import { type AiMeaning, ViewModel } from './view-model.ts'

export interface ProjectPlan {
  humanSource: 'script' | 'servers'
  respectDoNotTrack: boolean
  allowedOrigins: string[]
  ai: AiMeaning
}

export interface ExactService {
  /** Not started yet. */
  processes: readonly MortalPart[]
  services: readonly MortalPart[]
  projects: readonly ExactProject[]
  /** Through relays. */
  replicas: readonly Replica[]
  /** For `import-logs`. */
  environment: Record<string, string>
  postgresUrl: string
  /** For log files; gone when the proof ends. */
  directory: string
  lost: { api: LossyHttp['count'][]; clickhouse: LossyHttp['count'][]; postgres: LossyPostgres['count'] }
  /** From now on this share of the answers is lost. */
  loseResponses(shares: LostShares): void
}

export interface LostShares {
  api: number
  clickhouse: number
  postgres: number
}

const actor = { kind: 'operator' } as const
const replicaCount = 2
/** An answer that was on its way when its sender was stopped has arrived by then. */
const onItsWayMs = 20

export async function prepareExactService(
  run: ProofRun,
  { plans, pagesPerProject, keepLogs }: { plans: readonly ProjectPlan[]; pagesPerProject: number; keepLogs: boolean },
): Promise<ExactService> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  if (keepLogs) run.say(`logs are in ${directory}`)
  else run.cleanUp(async () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  const services = await startServices()
  run.cleanUp(services.stop)
  const { parts, addresses } = services
  const instance = await createTestInstance(addresses, 'views-are-exact')
  const projects: ExactProject[] = []
  for (const plan of plans) projects.push(await makeProject(instance, plan, pagesPerProject, run.random))
  await instance.pool.end() // nothing but what is to be killed stands on PostgreSQL from here on

  let shares: LostShares = { api: 0, clickhouse: 0, postgres: 0 }
  const losing = (engine: keyof LostShares) => {
    const random = seededRandom(Math.floor(run.random() * 2 ** 31))
    return () => shares[engine] > 0 && random() < shares[engine]
  }
  const postgres = await startLossyPostgres(instance.postgresUrl, losing('postgres'))
  run.cleanUp(postgres.stop)
  const relayTo = async (url: string, engine: 'api' | 'clickhouse') => {
    const relay = await startLossyHttp(new URL(url).origin, losing(engine))
    run.cleanUp(relay.stop)
    return relay
  }
  const sealingKeys = generateSealingKeyPair()
  const environment = {
    ...instance.environment,
    COLOPHON_SESSION_SECRET: 'of no use here, since nobody signs in',
    COLOPHON_SEALING_PUBLIC_KEYS: sealingKeys.publicEntry,
    COLOPHON_SEALING_PRIVATE_KEYS: sealingKeys.privateEntry,
    COLOPHON_DATABASE_URL: postgres.url,
    TMPDIR: directory, // what the killed leave behind goes with it
  }
  const prepare = async (kind: 'api' | 'worker', number: number, settings: Record<string, string>) => {
    const own = join(directory, `${kind}-${number}`)
    mkdirSync(own)
    const prepared = await prepareProcess(kind, { environment: { ...environment, ...settings }, directory: own })
    run.cleanUp(() => prepared.part.stop())
    return prepared
  }

  const processes: MortalPart[] = []
  const replicas: Replica[] = []
  const toApi: LossyHttp[] = []
  const toClickhouse: LossyHttp[] = []
  const isLoading = async (relay: LossyHttp) => {
    const lastSpoke = toClickhouse.every((other) => other.lastCallAtMs() <= relay.lastCallAtMs())
    return lastSpoke && (await hasRow(instance.postgresUrl, 'SELECT FROM view_block'))
  }
  for (let number = 1; number <= replicaCount; number++) {
    const api = await prepare('api', number, {})
    const apiRelay = await relayTo(api.url, 'api')
    toApi.push(apiRelay)
    const replica = { url: apiRelay.url, openWrites: 0 }
    replicas.push(replica)
    processes.push({ kind: 'api', part: api.part, hasWorkInFlight: afterAMoment(() => replica.openWrites > 0) })

    const clickhouseRelay = await relayTo(instance.clickhouseUrl, 'clickhouse')
    toClickhouse.push(clickhouseRelay)
    const clickhouseUrl = new URL(instance.clickhouseUrl)
    clickhouseUrl.port = new URL(clickhouseRelay.url).port
    const worker = await prepare('worker', number, { COLOPHON_CLICKHOUSE_URL: clickhouseUrl.href })
    processes.push({ kind: 'worker', part: worker.part, hasWorkInFlight: () => isLoading(clickhouseRelay) })
  }
  return {
    processes,
    services: [
      { kind: 'postgres', part: parts.postgres, hasWorkInFlight: afterAMoment(() => postgres.inFlight() > 0) },
      {
        kind: 'clickhouse',
        part: parts.clickhouse,
        hasWorkInFlight: afterAMoment(() => toClickhouse.some((relay) => relay.inFlight() > 0)),
      },
    ],
    projects,
    replicas,
    environment,
    postgresUrl: instance.postgresUrl,
    directory,
    lost: {
      api: toApi.map((relay) => relay.count),
      clickhouse: toClickhouse.map((relay) => relay.count),
      postgres: postgres.count,
    },
    loseResponses(newShares) {
      shares = newShares
    },
  }
}

const afterAMoment = (isTrue: () => boolean) => async () => {
  await sleep(onItsWayMs)
  return isTrue()
}

async function makeProject(
  { stores, pool }: TestInstance,
  plan: ProjectPlan,
  pageCount: number,
  random: () => number,
): Promise<ExactProject> {
  const { id } = await stores.projects.create('Docs', actor)
  const wanted = {
    name: 'client',
    scopes: ['analytics:read', 'analytics:write'],
    allowedNetworks: [],
    expiresAt: null,
  } as const
  const { secret: key } = await stores.keys.create(id, wanted, actor)
  const settings = new SettingsStore(createDatabase<AnalyticsTables>(pool), recordAudit)
  await settings.change(id, plan, actor)
  const { key: siteKey } = await settings.createSiteKey(id, actor)
  return { ...plan, id, key, siteKey, pages: makeSitePages(pageCount, random), model: new ViewModel() }
}
