/**
 * How fast views are taken in, beside ClickHouse itself fed with the same blocks: in turn, round after round, because a
 * machine is never the same twice; on engines of its own, so that their work can be told apart. Whoever sends is on the same
 * cores. Then single beacons, each from a reader of its own; then ClickHouse is away.
 */
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { prepareProcess, sealingKeySettings } from '../dev-services/colophon.ts'
import { type Services, startServices } from '../dev-services/start-services.ts'
import { createTestInstance, type TestInstance } from '../dev-services/test-instance.ts'
import { scopes } from '../server/src/keys/scopes.ts'
import { cpuMilliseconds } from './kit/cpu-time.ts'
import { bearer, call } from './kit/http-call.ts'
import { untilLoaded } from './kit/ingest/backlog.ts'
import { type MadeView, makeViews } from './kit/ingest/made-views.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'Views are taken in as fast as they come, also while ClickHouse is away'

const batchViews = 500
const sendersAtOnce = 8
const freshWithinSeconds = 10

/** By the clock of a machine that does nothing else: at the small size others may use it too. */
const bounds = {
  ci: { viewsPerSecond: 3_000, besideBare: 0.1, beaconsPerSecond: 300, beaconP99Ms: 1_000 },
  stated: { viewsPerSecond: 20_000, besideBare: 0.4, beaconsPerSecond: 2_000, beaconP99Ms: 100 },
  full: { viewsPerSecond: 20_000, besideBare: 0.4, beaconsPerSecond: 2_000, beaconP99Ms: 100 },
}
const lengths = {
  ci: { rounds: 2, roundSeconds: 3, warmUpSeconds: 1, beaconSeconds: 3, awaySeconds: 5 },
  stated: { rounds: 7, roundSeconds: 5, warmUpSeconds: 5, beaconSeconds: 30, awaySeconds: 60 },
  full: { rounds: 15, roundSeconds: 10, warmUpSeconds: 5, beaconSeconds: 60, awaySeconds: 180 },
}

interface Site {
  services: Services
  instance: TestInstance
  clickhouse: ClickHouseClient
  apiUrl: string
  /** Whose servers tell of its views. */
  served: { projectId: string; key: string }
  /** Of another project, whose script does. */
  siteKey: string
  /** Of each that works here, since it began. */
  cpuTimes(): Promise<Record<string, number>>
}

export async function prove(run: ProofRun): Promise<void> {
  const site = await openSite(run)
  const batches = Array.from({ length: 40 }, () => makeViews(batchViews, run.random))
  const ingest = ingestOf(site, batches)
  // Beacons first: after millions of views ClickHouse is still busy putting them in order.
  const acknowledged =
    (await measureBeacons(run, site)) +
    (await measureBatches(run, site, ingest, batches)) +
    (await clickhouseAway(run, site, ingest))
  const counted = await countViews(site)
  run.check(counted === acknowledged, `of ${acknowledged} acknowledged views ${counted} are counted`)
  run.figure('views acknowledged, counted', `${acknowledged}, ${counted}`)
}

/** Returns how many were acknowledged, as the next two do. */
async function measureBeacons(run: ProofRun, site: Site): Promise<number> {
  const { warmUpSeconds, beaconSeconds } = lengths[run.size]
  const bound = bounds[run.size]
  const perSecond = bound.beaconsPerSecond * 1.1
  const warmUp = await sendBeacons(run, site, { perSecond, seconds: warmUpSeconds }) // compiles and connects
  const before = await site.cpuTimes()
  const beacons = await sendBeacons(run, site, { perSecond, seconds: beaconSeconds })
  const after = await site.cpuTimes()
  await untilLoaded(site.instance.pool, 60)
  const rate = beacons.taken / beacons.seconds
  const { p50Ms, p99Ms } = beacons
  run.check(beacons.failed === 0, `${beacons.failed} beacons were refused`)
  run.check(rate >= bound.beaconsPerSecond, `${bound.beaconsPerSecond} beacons a second, not ${rate.toFixed(0)}`)
  run.check(p99Ms <= bound.beaconP99Ms, `99 of 100 beacons within ${bound.beaconP99Ms} ms, not ${p99Ms.toFixed(0)}`)
  run.figure('beacons a second', rate.toFixed(0))
  run.figure('a beacon, p50 and p99 from when it was due', `${p50Ms.toFixed(0)} and ${p99Ms.toFixed(0)} ms`)
  run.figure('CPU per 1,000 beacons', perThousand(before, after, beacons.taken))
  return warmUp.taken + beacons.taken
}

async function measureBatches(
  run: ProofRun,
  site: Site,
  ingest: Send,
  batches: readonly MadeView[][],
): Promise<number> {
  const { rounds, roundSeconds } = lengths[run.size]
  const bound = bounds[run.size]
  const bare = bareInserts(site.clickhouse, batches)
  await site.clickhouse.command({ query: bare.createTable })
  await sendFor(roundSeconds, bare.insert) // compiles and connects, as the next does
  const warmUp = await sendFor(roundSeconds, ingest)
  await untilLoaded(site.instance.pool, 60)
  const before = await site.cpuTimes()
  const measured = { api: [] as number[], bare: [] as number[] }
  let acknowledged = 0
  let slowestLoadSeconds = 0
  for (let round = 0; round < rounds; round++) {
    const sent = await sendFor(roundSeconds, ingest)
    const loadSeconds = await untilLoaded(site.instance.pool, 300)
    const bareRate = (await sendFor(roundSeconds, bare.insert)).perSecond * batchViews
    acknowledged += sent.count * batchViews
    slowestLoadSeconds = Math.max(slowestLoadSeconds, loadSeconds)
    measured.api.push(sent.perSecond * batchViews)
    measured.bare.push(bareRate)
    run.say(
      `${(sent.perSecond * batchViews).toFixed(0)} views a second; ${bareRate.toFixed(0)} into ClickHouse alone; ` +
        `all in ${loadSeconds.toFixed(1)} s after the last`,
    )
  }
  const after = await site.cpuTimes()
  const viewsPerSecond = median(measured.api)
  const besideBare = median(measured.api.map((rate, round) => rate / (measured.bare[round] ?? 1)))
  run.check(viewsPerSecond >= bound.viewsPerSecond, `${bound.viewsPerSecond} views a second, not ${viewsPerSecond}`)
  run.check(besideBare >= bound.besideBare, `at least ${bound.besideBare} of bare inserts, not ${besideBare}`)
  run.check(
    slowestLoadSeconds <= freshWithinSeconds,
    `the loader keeps up: all is in ${slowestLoadSeconds.toFixed(1)} s after the last`,
  )
  run.figure('views a second, in batches of 500', `${viewsPerSecond.toFixed(0)} (${range(measured.api)})`)
  run.figure('the same blocks into a plain table of ClickHouse', `${median(measured.bare).toFixed(0)} a second`)
  run.figure('beside that', `${besideBare.toFixed(2)} times`)
  run.figure('CPU per 1,000 views, bare inserts beside them included', perThousand(before, after, acknowledged))
  run.figure('all in ClickHouse after the last, seconds at most', slowestLoadSeconds.toFixed(1))
  return acknowledged + warmUp.count * batchViews
}

async function openSite(run: ProofRun): Promise<Site> {
  const services = await startServices({ onStop: run.cleanUp })
  const instance = await createTestInstance(services.addresses, 'ingest_rate')
  run.cleanUp(() => instance.pool.end())
  const environment = { ...instance.environment, ...(await sealingKeySettings()) }
  const api = await prepareProcess('api', { environment, directory: services.directory })
  const worker = await prepareProcess('worker', { environment, directory: services.directory })
  for (const { part } of [api, worker]) {
    run.cleanUp(() => part.stop())
    await part.start()
  }
  const operator = { kind: 'operator' } as const
  const { id: projectId } = await instance.stores.projects.create('Served', operator)
  const grant = { name: 'key', scopes: [...scopes], allowedNetworks: [], expiresAt: null }
  const { secret: key } = await instance.stores.keys.create(projectId, grant, operator)
  await instance.stores.analyticsSettings.change(projectId, { humanSource: 'servers' }, operator)
  const { id: scriptProjectId } = await instance.stores.projects.create('With a script', operator)
  const { key: siteKey } = await instance.stores.analyticsSettings.createSiteKey(scriptProjectId, operator)
  const clickhouse = createClient({ url: instance.clickhouseUrl, max_open_connections: sendersAtOnce })
  run.cleanUp(() => clickhouse.close())
  return {
    services,
    instance,
    clickhouse,
    apiUrl: api.url,
    served: { projectId, key },
    siteKey,
    async cpuTimes() {
      const { user, system } = process.cpuUsage()
      return {
        sender: (user + system) / 1000,
        api: await cpuMilliseconds(api.part.pid ?? 0),
        worker: await cpuMilliseconds(worker.part.pid ?? 0),
        PostgreSQL: await cpuMilliseconds(services.parts.postgres.pid ?? 0),
        ClickHouse: await cpuMilliseconds(services.parts.clickhouse.pid ?? 0),
      }
    },
  }
}

type Send = (index: number) => Promise<void>

/** As many as there is time for. */
async function sendFor(seconds: number, send: Send): Promise<{ count: number; perSecond: number }> {
  const startedAt = performance.now()
  const passed = () => (performance.now() - startedAt) / 1000
  let count = 0
  const sender = async () => {
    while (passed() < seconds) await send(count++)
  }
  await Promise.all(Array.from({ length: sendersAtOnce }, sender))
  return { count, perSecond: count / passed() }
}

function ingestOf({ apiUrl, served: { projectId, key } }: Site, batches: readonly MadeView[][]): Send {
  const bodies = batches.map((views) => JSON.stringify({ views }))
  return async (index) => {
    const { status, text } = await call({
      method: 'POST',
      url: `${apiUrl}/v1/ingest/${projectId}/views`,
      headers: [...bearer(key), 'content-type', 'application/json', 'idempotency-key', randomUUID()],
      body: bodies[index % bodies.length] ?? '',
    })
    if (status !== 200) throw new Error(`a batch was refused: ${status} ${text}`)
  }
}

/** Without sums, tokens or a wait for the disk: as little as ClickHouse can do with them. */
function bareInserts(
  clickhouse: ClickHouseClient,
  batches: readonly MadeView[][],
): { createTable: string; insert: Send } {
  const rows = batches.map((views) =>
    views.map(({ path, userAgent, at }) => [
      'prj',
      at.slice(0, -1).replace('T', ' '),
      path,
      'human',
      'browser',
      userAgent,
    ]),
  )
  return {
    createTable: `CREATE TABLE bare (project_id LowCardinality(String), at DateTime64(3, 'UTC'), path LowCardinality(String),
      class LowCardinality(String), agent LowCardinality(String), user_agent LowCardinality(String))
      ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (project_id, at)`,
    async insert(index) {
      await clickhouse.insert({
        table: 'bare',
        values: rows[index % rows.length] ?? [],
        format: 'JSONCompactEachRow',
        clickhouse_settings: { async_insert: 0 },
      })
    },
  }
}

interface SentBeacons {
  taken: number
  failed: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

/** Sent when they are due, whether or not the ones before are answered: a slow answer makes nobody wait to open a page. */
async function sendBeacons(
  run: ProofRun,
  { apiUrl, siteKey }: Site,
  { seconds, perSecond }: { seconds: number; perSecond: number },
): Promise<SentBeacons> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  run.cleanUp(async () => agent.destroy())
  const [userAgent = ''] = makeViews(1, () => 0).map((view) => view.userAgent)
  const waitedMs: number[] = []
  let failed = 0
  const send = async (dueAt: number) => {
    const body = JSON.stringify({
      key: siteKey,
      id: randomUUID(),
      path: `/docs/page-${Math.floor(run.random() * 1000)}`,
    })
    const headers = ['content-type', 'text/plain', 'user-agent', userAgent, 'origin', 'https://docs.example.com']
    const response = await call({ method: 'POST', url: `${apiUrl}/v1/collect`, headers, body, agent }).catch(
      () => undefined,
    )
    if (response?.status === 204) waitedMs.push(performance.now() - dueAt)
    else failed += 1
  }
  const startedAt = performance.now()
  const underWay: Promise<void>[] = []
  for (let number = 0; number < seconds * perSecond; ) {
    const due = (performance.now() - startedAt) / 1000
    for (; number < due * perSecond; number++) {
      underWay.push(send(startedAt + (number / perSecond) * 1000))
    }
    await sleep(2)
  }
  await Promise.all(underWay)
  waitedMs.sort((one, other) => one - other)
  const quantile = (share: number) => waitedMs[Math.floor(share * waitedMs.length)] ?? Number.POSITIVE_INFINITY
  return {
    taken: waitedMs.length,
    failed,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  }
}

async function clickhouseAway(run: ProofRun, site: Site, ingest: Send): Promise<number> {
  const { awaySeconds: seconds } = lengths[run.size]
  const { clickhouse } = site.services.parts
  await clickhouse.kill()
  const startedAt = performance.now()
  let sent = 0
  for (; performance.now() - startedAt < seconds * 1000; sent++) {
    await ingest(sent) // throws when it is refused
    await sleep(50)
  }
  await clickhouse.start()
  const loadedSeconds = await untilLoaded(site.instance.pool, 180)
  run.check(loadedSeconds <= 60, `all is in within a minute of ClickHouse's return: ${loadedSeconds.toFixed(1)} s`)
  run.figure(
    `ClickHouse away for ${seconds} s: views acknowledged, refused; all in after`,
    `${sent * batchViews}, 0; ${loadedSeconds.toFixed(1)} s`,
  )
  return sent * batchViews
}

async function countViews({ instance }: Site): Promise<number> {
  const clickhouse = createClient({ url: instance.clickhouseUrl })
  try {
    const response = await clickhouse.query({
      query: 'SELECT sum(views) AS views FROM page_view',
      format: 'JSONEachRow',
    })
    const [row] = await response.json<{ views: string }>()
    return Number(row?.views)
  } finally {
    await clickhouse.close()
  }
}

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
const range = (values: readonly number[]) => `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`
const perThousand = (before: Record<string, number>, after: Record<string, number>, count: number) =>
  Object.entries(after)
    .map(([name, ms]) => `${name} ${(((ms - (before[name] ?? 0)) / count) * 1000).toFixed(1)}`)
    .join(', ')
    .concat(' ms')
