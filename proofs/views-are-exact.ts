/**
 * Sends a random stream of views from every source, late, repeated and concurrently, while every process and service involved
 * is killed with SIGKILL and responses are lost after the work was done. At the end, the response for any range must match a
 * reference model that knows only the acknowledged views and shares no code with the product.
 *
 * `-- keep-logs` keeps the logs of the processes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { hasRow } from '../testing/harness/has-row.ts'
import { ProcessKiller } from '../testing/harness/process-killer.ts'
import { RetryingClient } from '../testing/harness/retrying-client.ts'
import { type ProofRun, seededRandom } from './proof.ts'
import { measureCountingDelays, sendTwiceWithoutIdempotencyKey } from './views-are-exact/counting-delay.ts'
import type { ViewsProject } from './views-are-exact/deliveries.ts'
import { type ProjectPlan, prepareViewsFixture, type ViewsFixture } from './views-are-exact/fixture.ts'
import { QuietMomentScheduler } from './views-are-exact/quiet-moment-scheduler.ts'
import { allTime, type RangeQuery, randomRange } from './views-are-exact/random-ranges.ts'
import { ResponseChecker } from './views-are-exact/response-checker.ts'
import { ViewStreamSender } from './views-are-exact/view-stream-sender.ts'
import { spanEndingAt } from './views-are-exact/view-times.ts'

export const guarantee =
  'Every acknowledged view is counted exactly once, whatever is killed, and any time range is exact'

const sizes = {
  ci: { events: 40_000, beacons: 400, logFiles: 3, linesPerFile: 2_000, killsInFlight: 4, ranges: 40, quietViews: 8 },
  stated: {
    events: 2_000_000,
    beacons: 20_000,
    logFiles: 9,
    linesPerFile: 20_000,
    killsInFlight: 24,
    ranges: 300,
    quietViews: 50,
  },
  full: {
    events: 5_000_000,
    beacons: 50_000,
    logFiles: 18,
    linesPerFile: 25_000,
    killsInFlight: 60,
    ranges: 300,
    quietViews: 50,
  },
} as const

/** Ordered by traffic, most first. */
const plans: readonly ProjectPlan[] = [
  { humanSource: 'servers', respectDoNotTrack: true, allowedOrigins: [], aiScope: 'all' },
  {
    humanSource: 'script',
    respectDoNotTrack: true,
    allowedOrigins: ['https://docs.example.com', 'https://example.com'],
    aiScope: 'all',
  },
  { humanSource: 'script', respectDoNotTrack: false, allowedOrigins: [], aiScope: 'assistants' },
  { humanSource: 'servers', respectDoNotTrack: true, allowedOrigins: [], aiScope: 'assistants' },
  { humanSource: 'script', respectDoNotTrack: true, allowedOrigins: [], aiScope: 'all' },
]
const pagesPerProject = 600
const lostShares = { api: 0.01, clickhouse: 0.01, postgres: 0.002 }
const noneLost = { api: 0, clickhouse: 0, postgres: 0 }
const quietMomentCount = 8
const maxPauseMs = 60_000
const settleSeconds = 180
/** After this time, clients stop retrying and the proof fails. */
const maxMinutes = 120

export async function prove(run: ProofRun): Promise<void> {
  const { killsInFlight, ranges, quietViews, ...size } = sizes[run.size]
  const fixture = await prepareViewsFixture(run, { plans, pagesPerProject })
  const killer = new ProcessKiller(seededRandom(run.seed + 1))
  await Promise.all(fixture.processes.map((target) => killer.start(target)))
  run.log(`everything is up: ${fixture.processes.length + fixture.services.length} processes to kill`)

  const client = new RetryingClient(fixture.replicas, AbortSignal.timeout(maxMinutes * 60_000))
  const quietMoments = new QuietMomentScheduler()
  const span = spanEndingAt(Date.now())
  await quietMoments.create()
  const stream = new ViewStreamSender({ run, fixture, client, quietMoments, span, size })
  const startedAt = performance.now()
  await streamWhileKilling(run, { fixture, stream, quietMoments, killer })
  await quietMoments.create()
  const streamSeconds = (performance.now() - startedAt) / 1000
  await waitUntilLoaded(run, fixture)

  const runMs = { from: quietMoments.momentsMs[0] ?? 0, to: quietMoments.momentsMs.at(-1) ?? 0 }
  const checker = new ResponseChecker(client, runMs, seededRandom(run.seed + 2))
  const random = seededRandom(run.seed + 3)
  const chooseRange = ({ model }: ViewsProject) => randomRange(model, span, quietMoments.momentsMs, random)
  await checkRanges(run, fixture.projects, checker, chooseRange, ranges)
  await checkAllTime(run, fixture.projects, checker)
  run.log(`${checker.count.calls} responses compared with the reference model`)

  const [quietProject] = fixture.projects
  if (!quietProject) throw new Error('the fixture has no project')
  const quietDeps = { client, project: quietProject, span }
  await sendTwiceWithoutIdempotencyKey(quietDeps, random)
  const delaysMs = (await measureCountingDelays(quietDeps, quietViews, random)).sort((a, b) => a - b)
  await checkAllTime(run, fixture.projects, checker)

  const slowestSeconds = (delaysMs.at(-1) ?? Number.POSITIVE_INFINITY) / 1000
  run.check(slowestSeconds <= 10, `an acknowledged view is counted within 10 s: ${slowestSeconds.toFixed(1)} s`)
  run.check(
    killer.inFlightCount >= killsInFlight,
    `at least ${killsInFlight} kills hit work in flight: ${killer.inFlightCount}`,
  )
  run.check(
    client.serverErrors.length === 0,
    `while a process is down, the only server error is 503: ${client.serverErrors[0]}`,
  )
  const crashed = killer.unexpectedExits.filter((kind) => kind === 'api' || kind === 'worker')
  run.check(crashed.length === 0, `api and worker never exit by themselves: ${crashed.join(', ')}`)
  reportFigures(run, { fixture, stream, killer, client, checker, streamSeconds, delaysMs })
}

/** Streams until enough kills have hit work in flight. Afterwards everything is up, and no more responses are lost. */
async function streamWhileKilling(
  run: ProofRun,
  deps: { fixture: ViewsFixture; stream: ViewStreamSender; quietMoments: QuietMomentScheduler; killer: ProcessKiller },
): Promise<void> {
  const { fixture, stream, quietMoments, killer } = deps
  const { events, killsInFlight } = sizes[run.size]
  const random = seededRandom(run.seed + 4)
  const killing = new AbortController()
  const pause = () => waitForEvents(stream, (random() * 3 * events) / killsInFlight, killing.signal)
  const progress = setInterval(() => run.log(describeProgress(stream, killer)), 15_000)
  fixture.loseResponses(lostShares)
  try {
    await Promise.all([
      stream.send(() => killer.inFlightCount >= killsInFlight).finally(() => killing.abort()),
      killer.killInRounds(fixture.processes, pause, killing.signal),
      killer.killInRounds(fixture.services, pause, killing.signal),
      createQuietMoments(stream, quietMoments, events, killing.signal),
    ])
  } finally {
    clearInterval(progress)
    fixture.loseResponses(noneLost)
  }
  run.log(`${describeProgress(stream, killer)}; everything is up again`)
}

/** Kills keep pace with the stream, so that their ratio does not depend on the machine, but wait only for a limited time. */
async function waitForEvents(stream: ViewStreamSender, moreEvents: number, stop: AbortSignal): Promise<void> {
  const target = stream.acknowledgedEvents + moreEvents
  const deadline = Date.now() + maxPauseMs
  while (stream.acknowledgedEvents < target && Date.now() < deadline && !stop.aborted) await sleep(50)
}

async function createQuietMoments(
  stream: ViewStreamSender,
  quietMoments: QuietMomentScheduler,
  events: number,
  stop: AbortSignal,
): Promise<void> {
  for (let number = 1; number <= quietMomentCount && !stop.aborted; number++) {
    while (stream.acknowledgedEvents < (events * number) / (quietMomentCount + 1) && !stop.aborted) await sleep(50)
    if (!stop.aborted) await quietMoments.create()
  }
}

const describeProgress = (stream: ViewStreamSender, killer: ProcessKiller) =>
  `${stream.acknowledgedEvents} events acknowledged; ${killer.count} kills, ${killer.inFlightCount} with work in flight`

/** Waits until no batch or block is left. A batch that was set aside would stay forever, and fail this check. */
async function waitUntilLoaded(run: ProofRun, { postgresUrl }: ViewsFixture): Promise<void> {
  const isEmpty = 'SELECT WHERE NOT EXISTS (SELECT FROM view_batch) AND NOT EXISTS (SELECT FROM view_block)'
  const startedAt = performance.now()
  while (!(await hasRow(postgresUrl, isEmpty))) {
    if (performance.now() - startedAt > settleSeconds * 1000) {
      run.check(false, `all acknowledged views are loaded within ${settleSeconds} s after the last event`)
      return
    }
    await sleep(200)
  }
  run.log('all views are loaded')
  run.figure(
    'time until all views were loaded after the last event',
    `${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  )
}

const concurrentChecks = 3
const maxDifferencesReported = 10

const checkAllTime = (run: ProofRun, projects: readonly ViewsProject[], checker: ResponseChecker) =>
  checkRanges(run, projects, checker, () => ({ range: allTime, query: '', aiScope: undefined }), projects.length)

/** Distributes the ranges over the projects. */
async function checkRanges(
  run: ProofRun,
  projects: readonly ViewsProject[],
  checker: ResponseChecker,
  choose: (project: ViewsProject) => RangeQuery,
  count: number,
): Promise<void> {
  let next = 0
  let differenceCount = 0
  const checkNext = async () => {
    for (let index = next++; index < count; index = next++) {
      const project = projects[index % projects.length]
      if (!project) throw new Error('the fixture has no project')
      const difference = await checker.findDifference(project, choose(project))
      if (difference === undefined) run.check(true, '')
      else if (differenceCount++ < maxDifferencesReported) run.check(false, difference)
    }
  }
  await Promise.all(Array.from({ length: concurrentChecks }, checkNext))
  if (differenceCount > maxDifferencesReported)
    run.check(false, `no range differs from the reference model: ${differenceCount} of ${count} do`)
}

function reportFigures(
  run: ProofRun,
  results: {
    fixture: ViewsFixture
    stream: ViewStreamSender
    killer: ProcessKiller
    client: RetryingClient
    checker: ResponseChecker
    streamSeconds: number
    delaysMs: readonly number[]
  },
): void {
  const { fixture, stream, killer, client, checker, streamSeconds, delaysMs } = results
  const { batches, beacons, imports, rejected, raced, resent, killedImports } = stream.count
  const views = fixture.projects.reduce((sum, { model }) => sum + model.size, 0)
  const killsByKind = [...killer.killsInFlight].map(([kind, count]) => `${kind} ${count}`).sort()
  const describeLosses = (counts: readonly { lost: number; calls: number }[]) =>
    `${counts.reduce((sum, { lost }) => sum + lost, 0)} of ${counts.reduce((sum, { calls }) => sum + calls, 0)}`
  const { api, clickhouse, postgres } = fixture.lossCounts
  const rate = Math.round(stream.acknowledgedEvents / streamSeconds)
  run.figure(
    'events acknowledged',
    `${stream.acknowledgedEvents} (${views} page views; ${rate} events/s, including the outages)`,
  )
  run.figure(
    'deliveries',
    `${batches} batches, ${beacons} beacons, ${imports} log files (${killedImports} imports killed in the middle)`,
  )
  run.figure('repeated deliveries', `${raced} concurrent, ${resent} later`)
  run.figure('rejected deliveries', rejected)
  run.figure('requests retried by clients', client.retries)
  run.figure('kills', `${killer.count}, ${killer.inFlightCount} with work in flight: ${killsByKind.join(', ')}`)
  run.figure('responses of api lost', describeLosses(api))
  run.figure('responses of ClickHouse lost', describeLosses(clickhouse))
  run.figure(
    'responses of PostgreSQL lost',
    `${postgres.lost} of ${postgres.calls} (${postgres.lostCommits} of commits)`,
  )
  run.figure(
    'ranges checked',
    `${sizes[run.size].ranges} (${checker.count.calls} responses, ${checker.count.rows} page rows)`,
  )
  const median = delaysMs[Math.floor(delaysMs.length / 2)] ?? 0
  const slowest = delaysMs.at(-1) ?? 0
  run.figure(
    'time until an acknowledged view is counted',
    `median ${(median / 1000).toFixed(1)} s, slowest ${(slowest / 1000).toFixed(1)} s`,
  )
}
