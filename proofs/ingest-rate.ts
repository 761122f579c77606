/**
 * Measures how fast views are ingested, compared with inserting the same blocks directly into ClickHouse. The two alternate,
 * round by round, because the speed of a machine varies; they run on their own services, so that CPU time can be attributed.
 * The sender shares the same cores. Also measured: single beacons, each from its own client, compared with a bare server that only
 * stores them, and ingest while ClickHouse is down.
 */
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { type RunningColophon, startColophon } from '../testing/harness/colophon.ts'
import { cpuMilliseconds } from '../testing/harness/cpu-time.ts'
import { formatBearerHeader, sendHttpRequest } from '../testing/harness/http-call.ts'
import { operator } from '../testing/harness/test-instance.ts'
import { ManagedProcess } from '../testing/services/managed-process.ts'
import { type RunningServices, startServices } from '../testing/services/start-services.ts'
import { waitUntilLoaded } from './ingest-rate/backlog.ts'
import { type GeneratedView, generateViews } from './ingest-rate/generated-views.ts'
import type { ProofRun } from './proof.ts'

export const guarantee = 'Views are accepted as fast as they arrive, even while ClickHouse is down'

const batchViews = 500
const sendersAtOnce = 8
const maxLoadSeconds = 10

/** Wall-clock limits for an otherwise idle machine. At the small size, the machine may be shared. */
const bounds = {
  ci: { viewsPerSecond: 3_000, baselineRatio: 0.1, beaconsPerSecond: 300, beaconP99Ms: 1_000 },
  stated: { viewsPerSecond: 20_000, baselineRatio: 0.4, beaconsPerSecond: 2_000, beaconP99Ms: 100 },
  full: { viewsPerSecond: 20_000, baselineRatio: 0.4, beaconsPerSecond: 2_000, beaconP99Ms: 100 },
}
const lengths = {
  ci: { rounds: 2, roundSeconds: 3, warmUpSeconds: 1, beaconRounds: 1, beaconSeconds: 3, outageSeconds: 5 },
  stated: { rounds: 7, roundSeconds: 5, warmUpSeconds: 5, beaconRounds: 3, beaconSeconds: 15, outageSeconds: 60 },
  full: { rounds: 15, roundSeconds: 10, warmUpSeconds: 5, beaconRounds: 5, beaconSeconds: 30, outageSeconds: 180 },
}
/** On two cores, of which the sender uses a fifth. */
const goalBeaconsPerSecond = { ci: 600, stated: 5_000, full: 5_000 }
const goalBeaconP99Ms = 100

interface Fixture {
  services: RunningServices
  colophon: RunningColophon
  clickhouse: ClickHouseClient
  apiUrl: string
  bareCollector: { url: string; process: ManagedProcess }
  /** The project whose servers report its views. */
  serverProject: { projectId: string; key: string }
  /** Of another project, whose views come from the script. */
  siteKey: string
  /** CPU milliseconds of each process since its start. */
  cpuTimes(): Promise<Record<string, number>>
}

export async function prove(run: ProofRun): Promise<void> {
  const fixture = await createFixture(run)
  const batches = Array.from({ length: 40 }, () => generateViews(batchViews, run.random))
  const ingest = ingestSender(fixture, batches)
  // Beacons first, because ClickHouse keeps merging for a while after millions of views.
  const acknowledged =
    (await measureBeacons(run, fixture)) +
    (await measureBatches(run, fixture, ingest, batches)) +
    (await ingestDuringOutage(run, fixture, ingest))
  const counted = await countViews(fixture)
  run.check(counted === acknowledged, `every acknowledged view is counted: ${counted} of ${acknowledged}`)
  run.figure('views acknowledged', acknowledged)
  run.figure('views counted', counted)
}

/** Returns the number of acknowledged views, as do the next measurements. */
async function measureBeacons(run: ProofRun, fixture: Fixture): Promise<number> {
  const { warmUpSeconds, beaconSeconds } = lengths[run.size]
  const bound = bounds[run.size]
  const perSecond = bound.beaconsPerSecond * 1.1
  const warmUp = await sendBeacons(run, fixture, fixture.apiUrl, { perSecond, seconds: warmUpSeconds }) // compiles and connects
  const beacons = await sendBeacons(run, fixture, fixture.apiUrl, { perSecond, seconds: beaconSeconds })
  await waitUntilLoaded(fixture.colophon.pool, 60)
  const rate = beacons.accepted / beacons.seconds
  run.check(beacons.failed === 0, `no beacon is rejected: ${beacons.failed}`)
  run.check(rate >= bound.beaconsPerSecond, `at least ${bound.beaconsPerSecond} beacons/s: ${rate.toFixed(0)}`)
  run.check(
    beacons.p99Ms <= bound.beaconP99Ms,
    `beacon latency p99 at most ${bound.beaconP99Ms} ms: ${beacons.p99Ms.toFixed(0)} ms`,
  )
  run.figure('beacon rate', `${rate.toFixed(0)}/s`)
  run.figure('beacon latency from its scheduled time', describeLatency([beacons]))
  return warmUp.accepted + beacons.accepted + (await compareWithBareCollector(run, fixture))
}

async function compareWithBareCollector(run: ProofRun, fixture: Fixture): Promise<number> {
  const { warmUpSeconds, beaconRounds, beaconSeconds } = lengths[run.size]
  const perSecond = goalBeaconsPerSecond[run.size]
  const { colophon, apiUrl, bareCollector } = fixture
  await sendBeacons(run, fixture, bareCollector.url, { perSecond, seconds: warmUpSeconds })
  const measured: MeasuredBeacons = { api: [], bare: [] }
  for (let round = 0; round < beaconRounds; round++) {
    for (const target of ['api', 'bare'] as const) {
      const url = target === 'api' ? apiUrl : bareCollector.url
      const before = await fixture.cpuTimes()
      const beacons = await sendBeacons(run, fixture, url, { perSecond, seconds: beaconSeconds })
      await waitUntilLoaded(colophon.pool, 60)
      const after = await fixture.cpuTimes()
      measured[target].push({ ...beacons, cpu: formatCpuPerThousand(before, after, beacons.accepted) })
      run.log(`${target}: ${beacons.accepted} beacons, p99 ${beacons.p99Ms.toFixed(0)} ms`)
    }
  }
  const failed = measured.api.reduce((sum, beacons) => sum + beacons.failed, 0)
  run.check(failed === 0, `no beacon is rejected at ${perSecond}/s: ${failed}`)
  const rate = median(measured.api.map(({ accepted, seconds }) => accepted / seconds))
  const p99Ms = median(measured.api.map((beacons) => beacons.p99Ms))
  run.figure(`beacons, sent at ${perSecond}/s`, `${rate.toFixed(0)}/s, ${describeLatency(measured.api)}`, {
    goal: `p99 ≤ ${goalBeaconP99Ms} ms`,
    isMet: p99Ms <= goalBeaconP99Ms && rate >= perSecond * 0.99,
  })
  run.figure('the same beacons at a bare server that stores them', describeLatency(measured.bare))
  run.figure('CPU time per 1,000 beacons', measured.api.at(-1)?.cpu ?? '')
  run.figure('CPU time per 1,000 beacons at the bare server', measured.bare.at(-1)?.cpu ?? '')
  return measured.api.reduce((sum, { accepted }) => sum + accepted, 0)
}

type MeasuredBeacons = Record<'api' | 'bare', (SentBeacons & { cpu: string })[]>

const describeLatency = (rounds: readonly SentBeacons[]) =>
  `p50 ${median(rounds.map(({ p50Ms }) => p50Ms)).toFixed(0)} ms, p99 ${median(rounds.map(({ p99Ms }) => p99Ms)).toFixed(0)} ms`

async function measureBatches(
  run: ProofRun,
  fixture: Fixture,
  ingest: Send,
  batches: readonly GeneratedView[][],
): Promise<number> {
  const { rounds, roundSeconds } = lengths[run.size]
  const bound = bounds[run.size]
  const baseline = directInserts(fixture.clickhouse, batches)
  await fixture.clickhouse.command({ query: baseline.createTable })
  await sendFor(roundSeconds, baseline.insert) // warm-up: compiles and connects, like the next line
  const warmUp = await sendFor(roundSeconds, ingest)
  await waitUntilLoaded(fixture.colophon.pool, 60)
  const before = await fixture.cpuTimes()
  const measured = { api: [] as number[], baseline: [] as number[] }
  let acknowledged = 0
  let slowestLoadSeconds = 0
  for (let round = 0; round < rounds; round++) {
    const sent = await sendFor(roundSeconds, ingest)
    const loadSeconds = await waitUntilLoaded(fixture.colophon.pool, 300)
    const baselineRate = (await sendFor(roundSeconds, baseline.insert)).perSecond * batchViews
    acknowledged += sent.count * batchViews
    slowestLoadSeconds = Math.max(slowestLoadSeconds, loadSeconds)
    measured.api.push(sent.perSecond * batchViews)
    measured.baseline.push(baselineRate)
    run.log(
      `${(sent.perSecond * batchViews).toFixed(0)} views/s ingested; ${baselineRate.toFixed(0)} views/s inserted directly; ` +
        `all loaded ${loadSeconds.toFixed(1)} s after the last batch`,
    )
  }
  const after = await fixture.cpuTimes()
  const viewsPerSecond = median(measured.api)
  const baselineRatio = median(measured.api.map((rate, round) => rate / (measured.baseline[round] ?? 1)))
  run.check(
    viewsPerSecond >= bound.viewsPerSecond,
    `at least ${bound.viewsPerSecond} views/s: ${viewsPerSecond.toFixed(0)}`,
  )
  run.check(
    baselineRatio >= bound.baselineRatio,
    `at least ${bound.baselineRatio} times the rate of direct inserts: ${baselineRatio.toFixed(2)}`,
  )
  run.check(
    slowestLoadSeconds <= maxLoadSeconds,
    `all views are loaded within ${maxLoadSeconds} s after the last batch: ${slowestLoadSeconds.toFixed(1)} s`,
  )
  run.figure('ingest rate, batches of 500', `${viewsPerSecond.toFixed(0)} views/s (${range(measured.api)})`)
  run.figure('direct inserts into a plain ClickHouse table', `${median(measured.baseline).toFixed(0)} views/s`)
  run.figure('ingest rate relative to direct inserts', `${baselineRatio.toFixed(2)}×`)
  run.figure(
    'CPU time per 1,000 views, including the direct inserts',
    formatCpuPerThousand(before, after, acknowledged),
  )
  run.figure('longest time until all views are loaded', `${slowestLoadSeconds.toFixed(1)} s`)
  return acknowledged + warmUp.count * batchViews
}

async function createFixture(run: ProofRun): Promise<Fixture> {
  const services = await startServices({ onStop: run.cleanUp })
  const colophon = await startColophon(run, 'ingest_rate', {
    addresses: services.addresses,
    settings: { COLOPHON_BEACONS_MAX_PER_SECOND_PER_PROJECT: '1000000' },
  })
  const { api, worker } = colophon
  const bareCollector = await startBareCollector(run, colophon)
  const serverProject = await colophon.createProject('Served')
  await colophon.stores.analyticsSettings.change(serverProject.projectId, { humanSource: 'servers' }, operator)
  const { projectId: scriptProjectId } = await colophon.createProject('With a script')
  const { key: siteKey } = await colophon.stores.analyticsSettings.createSiteKey(scriptProjectId, operator)
  const clickhouse = createClient({ url: colophon.clickhouseUrl, max_open_connections: sendersAtOnce })
  run.cleanUp(() => clickhouse.close())
  return {
    services,
    colophon,
    clickhouse,
    apiUrl: api.url,
    bareCollector,
    serverProject,
    siteKey,
    async cpuTimes() {
      const { user, system } = process.cpuUsage()
      return {
        sender: (user + system) / 1000,
        api: await cpuMilliseconds(api.process.pid ?? 0),
        'bare server': await cpuMilliseconds(bareCollector.process.pid ?? 0),
        worker: await cpuMilliseconds(worker.process.pid ?? 0),
        PostgreSQL: await cpuMilliseconds(services.processes.postgres.pid ?? 0),
        ClickHouse: await cpuMilliseconds(services.processes.clickhouse.pid ?? 0),
      }
    },
  }
}

async function startBareCollector(run: ProofRun, { directory, postgresUrl }: RunningColophon) {
  let port: string | undefined
  const collector = new ManagedProcess({
    name: 'bare collector',
    command: [process.execPath, join(import.meta.dirname, 'ingest-rate/bare-collector.ts')],
    env: { PATH: process.env.PATH, DATABASE_URL: postgresUrl },
    logFile: join(directory, 'bare-collector.log'),
    print: (line) => {
      port = line.trim()
    },
    isReady: async () => port !== undefined,
    readyWithinSeconds: 30,
  })
  run.cleanUp(() => collector.stop())
  await collector.start()
  return { url: `http://127.0.0.1:${port}`, process: collector }
}

type Send = (index: number) => Promise<void>

/** Sends as often as possible in the given time. */
async function sendFor(seconds: number, send: Send): Promise<{ count: number; perSecond: number }> {
  const startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) / 1000
  let count = 0
  const sender = async () => {
    while (elapsed() < seconds) await send(count++)
  }
  await Promise.all(Array.from({ length: sendersAtOnce }, sender))
  return { count, perSecond: count / elapsed() }
}

function ingestSender(
  { apiUrl, serverProject: { projectId, key } }: Fixture,
  batches: readonly GeneratedView[][],
): Send {
  const bodies = batches.map((views) => JSON.stringify({ views }))
  return async (index) => {
    const { status, text } = await sendHttpRequest({
      method: 'POST',
      url: `${apiUrl}/v1/ingest/${projectId}/views`,
      headers: [...formatBearerHeader(key), 'content-type', 'application/json', 'idempotency-key', randomUUID()],
      body: bodies[index % bodies.length] ?? '',
    })
    if (status !== 200) throw new Error(`a batch was rejected: ${status} ${text}`)
  }
}

/** The least that ClickHouse can do with these rows: no aggregates, no deduplication tokens, no fsync. */
function directInserts(
  clickhouse: ClickHouseClient,
  batches: readonly GeneratedView[][],
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
    createTable: `CREATE TABLE baseline (project_id LowCardinality(String), at DateTime64(3, 'UTC'), path LowCardinality(String),
      class LowCardinality(String), agent LowCardinality(String), user_agent LowCardinality(String))
      ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (project_id, at)`,
    async insert(index) {
      await clickhouse.insert({
        table: 'baseline',
        values: rows[index % rows.length] ?? [],
        format: 'JSONCompactEachRow',
        clickhouse_settings: { async_insert: 0 },
      })
    },
  }
}

interface SentBeacons {
  accepted: number
  failed: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

/** Open loop: each beacon is sent at its scheduled time, whether or not earlier ones have a response, as with real visitors. */
async function sendBeacons(
  run: ProofRun,
  { siteKey }: Fixture,
  url: string,
  { seconds, perSecond }: { seconds: number; perSecond: number },
): Promise<SentBeacons> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  run.cleanUp(async () => agent.destroy())
  const [userAgent = ''] = generateViews(1, () => 0).map((view) => view.userAgent)
  const latenciesMs: number[] = []
  let failed = 0
  const send = async (scheduledAt: number) => {
    const body = JSON.stringify({
      key: siteKey,
      id: randomUUID(),
      path: `/docs/page-${Math.floor(run.random() * 1000)}`,
    })
    const headers = ['content-type', 'text/plain', 'user-agent', userAgent, 'origin', 'https://docs.example.com']
    const response = await sendHttpRequest({ method: 'POST', url: `${url}/v1/collect`, headers, body, agent }).catch(
      () => undefined,
    )
    if (response?.status === 204) latenciesMs.push(performance.now() - scheduledAt)
    else failed += 1
  }
  const startedAt = performance.now()
  const inProgress: Promise<void>[] = []
  for (let number = 0; number < seconds * perSecond; ) {
    const elapsedSeconds = (performance.now() - startedAt) / 1000
    for (; number < elapsedSeconds * perSecond; number++) {
      inProgress.push(send(startedAt + (number / perSecond) * 1000))
    }
    await sleep(2)
  }
  await Promise.all(inProgress)
  latenciesMs.sort((a, b) => a - b)
  const quantile = (share: number) => latenciesMs[Math.floor(share * latenciesMs.length)] ?? Number.POSITIVE_INFINITY
  return {
    accepted: latenciesMs.length,
    failed,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  }
}

async function ingestDuringOutage(run: ProofRun, fixture: Fixture, ingest: Send): Promise<number> {
  const { outageSeconds: seconds } = lengths[run.size]
  const { clickhouse } = fixture.services.processes
  await clickhouse.kill()
  const startedAt = performance.now()
  let sent = 0
  for (; performance.now() - startedAt < seconds * 1000; sent++) {
    await ingest(sent) // throws if the batch is rejected
    await sleep(50)
  }
  await clickhouse.start()
  const loadedSeconds = await waitUntilLoaded(fixture.colophon.pool, 180)
  run.check(
    loadedSeconds <= 60,
    `all views are loaded within 60 s after ClickHouse is back: ${loadedSeconds.toFixed(1)} s`,
  )
  run.figure(
    `views acknowledged while ClickHouse is down for ${seconds} s`,
    `${sent * batchViews} (0 rejected, all loaded ${loadedSeconds.toFixed(1)} s after its return)`,
  )
  return sent * batchViews
}

async function countViews({ colophon }: Fixture): Promise<number> {
  const clickhouse = createClient({ url: colophon.clickhouseUrl })
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

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const range = (values: readonly number[]) => `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`
const formatCpuPerThousand = (before: Record<string, number>, after: Record<string, number>, count: number) =>
  Object.entries(after)
    .map(([name, ms]) => [name, ((ms - (before[name] ?? 0)) / count) * 1000] as const)
    .filter(([, ms]) => ms >= 0.05)
    .map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
    .join(', ')
    .concat(' ms')
