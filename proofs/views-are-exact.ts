/**
 * A random stream of views comes in from every source, late, repeated and raced, while everything on its way is killed with -9
 * and answers get lost after the work was done. At the end every answer about any range is what a model says that has seen
 * nothing but what was acknowledged, and shares no code with the product.
 *
 * `-- keep-logs` keeps what the processes logged.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { hasRow } from './kit/has-row.ts'
import { Killer } from './kit/mortal-parts.ts'
import { PatientClient } from './kit/patient-client.ts'
import { sendTwiceWithoutId, waitsUntilCounted } from './kit/views-exact/calm-views.ts'
import type { ExactProject } from './kit/views-exact/deliveries.ts'
import { type ExactService, type ProjectPlan, prepareExactService } from './kit/views-exact/exact-service.ts'
import { Judge } from './kit/views-exact/judge-views.ts'
import { type AskedRange, everything, randomRange } from './kit/views-exact/random-ranges.ts'
import { StillMoments } from './kit/views-exact/still-moments.ts'
import { ViewStream } from './kit/views-exact/view-stream.ts'
import { spanBefore } from './kit/views-exact/view-times.ts'
import { type ProofRun, seededRandom } from './proof.ts'

export const promise = 'Every view is counted once, whatever is killed, and any range is answered exactly'

const sizes = {
  ci: { events: 40_000, beacons: 400, logFiles: 3, linesPerFile: 2_000, killsInFlight: 4, ranges: 40, calmViews: 8 },
  stated: {
    events: 2_000_000,
    beacons: 20_000,
    logFiles: 9,
    linesPerFile: 20_000,
    killsInFlight: 24,
    ranges: 300,
    calmViews: 50,
  },
  full: {
    events: 5_000_000,
    beacons: 50_000,
    logFiles: 18,
    linesPerFile: 25_000,
    killsInFlight: 60,
    ranges: 300,
    calmViews: 50,
  },
} as const

/** From the most read to the least. */
const plans: readonly ProjectPlan[] = [
  { humanSource: 'servers', respectDoNotTrack: true, allowedOrigins: [], ai: 'all' },
  {
    humanSource: 'script',
    respectDoNotTrack: true,
    allowedOrigins: ['https://docs.example.com', 'https://example.com'],
    ai: 'all',
  },
  { humanSource: 'script', respectDoNotTrack: false, allowedOrigins: [], ai: 'assistants' },
  { humanSource: 'servers', respectDoNotTrack: true, allowedOrigins: [], ai: 'assistants' },
  { humanSource: 'script', respectDoNotTrack: true, allowedOrigins: [], ai: 'all' },
]
const pagesPerProject = 600
const lostShares = { api: 0.01, clickhouse: 0.01, postgres: 0.002 }
const noneLost = { api: 0, clickhouse: 0, postgres: 0 }
const stillMoments = 8
const maxPauseMs = 60_000
const settleSeconds = 180
/** Then whoever waits for an answer gives up. */
const maxMinutes = 120

export async function prove(run: ProofRun): Promise<void> {
  const { killsInFlight, ranges, calmViews, ...size } = sizes[run.size]
  const service = await prepareExactService(run, { plans, pagesPerProject, keepLogs: run.words.includes('keep-logs') })
  const killer = new Killer(seededRandom(run.seed + 1))
  await Promise.all(service.processes.map((part) => killer.start(part)))
  run.say(`everything is up: ${service.processes.length + service.services.length} parts to kill`)

  const client = new PatientClient(service.replicas, AbortSignal.timeout(maxMinutes * 60_000))
  const still = new StillMoments()
  const span = spanBefore(Date.now())
  await still.makeOne()
  const stream = new ViewStream({ run, service, client, still, span, size })
  const startedAt = performance.now()
  await streamAmidDeaths(run, { service, stream, still, killer })
  await still.makeOne()
  const streamSeconds = (performance.now() - startedAt) / 1000
  await untilLoaded(run, service)

  const runMs = { from: still.momentsMs[0] ?? 0, to: still.momentsMs.at(-1) ?? 0 }
  const judge = new Judge(client, runMs, seededRandom(run.seed + 2))
  const chance = seededRandom(run.seed + 3)
  const anyRange = ({ model }: ExactProject) => randomRange(model, span, still.momentsMs, chance)
  await judgeRanges(run, service.projects, judge, anyRange, ranges)
  await judgeEverything(run, service.projects, judge)
  run.say(`${judge.count.calls} answers held against the model`)

  const [calmProject] = service.projects
  if (!calmProject) throw new Error('there is a project')
  const calm = { client, project: calmProject, span }
  await sendTwiceWithoutId(calm, chance)
  const waitsMs = (await waitsUntilCounted(calm, calmViews, chance)).sort((a, b) => a - b)
  await judgeEverything(run, service.projects, judge)

  const slowestSeconds = (waitsMs.at(-1) ?? Number.POSITIVE_INFINITY) / 1000
  run.check(slowestSeconds <= 10, `an acknowledged view is in the answer within 10 s, not ${slowestSeconds.toFixed(1)}`)
  run.check(killer.inFlightCount >= killsInFlight, `at least ${killsInFlight} kills hit work in flight`)
  run.check(client.faults.length === 0, `a part that is away is 503, never a fault of ours: ${client.faults[0]}`)
  const fallen = killer.endedByThemselves.filter((kind) => kind === 'api' || kind === 'worker')
  run.check(fallen.length === 0, `no process of ours ends by itself: ${fallen.join(', ')}`)
  giveFigures(run, { service, stream, killer, client, judge, streamSeconds, waitsMs })
}

/** The stream goes on until enough work in flight was hit. Afterwards everything is up, and answers are lost no more. */
async function streamAmidDeaths(
  run: ProofRun,
  parts: { service: ExactService; stream: ViewStream; still: StillMoments; killer: Killer },
): Promise<void> {
  const { service, stream, still, killer } = parts
  const { events, killsInFlight } = sizes[run.size]
  const chance = seededRandom(run.seed + 4)
  const killing = new AbortController()
  const pause = () => untilMore(stream, (chance() * 3 * events) / killsInFlight, killing.signal)
  const progress = setInterval(() => run.say(progressOf(stream, killer)), 15_000)
  service.loseResponses(lostShares)
  try {
    await Promise.all([
      stream.send(() => killer.inFlightCount >= killsInFlight).finally(() => killing.abort()),
      killer.killInTurns(service.processes, pause, killing.signal),
      killer.killInTurns(service.services, pause, killing.signal),
      beStillNowAndThen(stream, still, events, killing.signal),
    ])
  } finally {
    clearInterval(progress)
    service.loseResponses(noneLost)
  }
  run.say(`${progressOf(stream, killer)}; everything is up again`)
}

/** Kills keep step with the work, however fast the machine is; but they do not wait for ever. */
async function untilMore(stream: ViewStream, moreEvents: number, stop: AbortSignal): Promise<void> {
  const wanted = stream.acknowledgedEvents + moreEvents
  const until = Date.now() + maxPauseMs
  while (stream.acknowledgedEvents < wanted && Date.now() < until && !stop.aborted) await sleep(50)
}

async function beStillNowAndThen(
  stream: ViewStream,
  still: StillMoments,
  events: number,
  stop: AbortSignal,
): Promise<void> {
  for (let number = 1; number <= stillMoments && !stop.aborted; number++) {
    while (stream.acknowledgedEvents < (events * number) / (stillMoments + 1) && !stop.aborted) await sleep(50)
    if (!stop.aborted) await still.makeOne()
  }
}

const progressOf = (stream: ViewStream, killer: Killer) =>
  `${stream.acknowledgedEvents} events acknowledged; ${killer.count} kills, ${killer.inFlightCount} in flight`

/** Nothing waits any more, and nothing was set aside: that would wait for ever. */
async function untilLoaded(run: ProofRun, { postgresUrl }: ExactService): Promise<void> {
  const isEmpty = 'SELECT WHERE NOT EXISTS (SELECT FROM view_batch) AND NOT EXISTS (SELECT FROM view_block)'
  const startedAt = performance.now()
  while (!(await hasRow(postgresUrl, isEmpty))) {
    if (performance.now() - startedAt > settleSeconds * 1000) {
      run.check(false, `what was acknowledged is loaded within ${settleSeconds} s`)
      return
    }
    await sleep(200)
  }
  run.say('everything is loaded')
  run.figure('until all was loaded after the last event, seconds', ((performance.now() - startedAt) / 1000).toFixed(1))
}

const judgedAtOnce = 3
const maxDifferencesReported = 10

const judgeEverything = (run: ProofRun, projects: readonly ExactProject[], judge: Judge) =>
  judgeRanges(run, projects, judge, () => ({ range: everything, query: '', ai: undefined }), projects.length)

/** By turns of the projects. */
async function judgeRanges(
  run: ProofRun,
  projects: readonly ExactProject[],
  judge: Judge,
  choose: (project: ExactProject) => AskedRange,
  count: number,
): Promise<void> {
  let next = 0
  let told = 0
  const judgeNext = async () => {
    for (let index = next++; index < count; index = next++) {
      const project = projects[index % projects.length]
      if (!project) throw new Error('there is a project')
      const difference = await judge.differenceIn(project, choose(project))
      if (difference === undefined) run.check(true, '')
      else if (told++ < maxDifferencesReported) run.check(false, difference)
    }
  }
  await Promise.all(Array.from({ length: judgedAtOnce }, judgeNext))
  if (told > maxDifferencesReported) run.check(false, `${told} of ${count} ranges differ`)
}

function giveFigures(
  run: ProofRun,
  parts: {
    service: ExactService
    stream: ViewStream
    killer: Killer
    client: PatientClient
    judge: Judge
    streamSeconds: number
    waitsMs: readonly number[]
  },
): void {
  const { service, stream, killer, client, judge, streamSeconds, waitsMs } = parts
  const { batches, beacons, imports, refused, raced, sentAgain, killedImports } = stream.count
  const views = service.projects.reduce((sum, { model }) => sum + model.size, 0)
  const byVictim = [...killer.killsInFlight].map(([kind, count]) => `${kind} ${count}`).sort()
  const lostOf = (counts: readonly { lost: number; calls: number }[]) =>
    `${counts.reduce((sum, { lost }) => sum + lost, 0)} of ${counts.reduce((sum, { calls }) => sum + calls, 0)}`
  const { api, clickhouse, postgres } = service.lost
  const rate = Math.round(stream.acknowledgedEvents / streamSeconds)
  run.figure(
    'events, views among them',
    `${stream.acknowledgedEvents}, ${views}; ${rate} events a second with all the kills`,
  )
  run.figure(
    'batches, beacons, log files',
    `${batches}, ${beacons}, ${imports} (killed in the middle: ${killedImports})`,
  )
  run.figure('deliveries raced, sent again, refused', `${raced}, ${sentAgain}, ${refused}`)
  run.figure('requests that clients repeated', client.repeats)
  run.figure('kills', `${killer.count}, in flight ${killer.inFlightCount}: ${byVictim.join(', ')}`)
  run.figure('answers lost by api', lostOf(api))
  run.figure('answers lost by ClickHouse', lostOf(clickhouse))
  run.figure('answers lost by PostgreSQL', `${postgres.lost} of ${postgres.calls}, ${postgres.lostCommits} of commits`)
  run.figure('ranges', `${sizes[run.size].ranges} in ${judge.count.calls} answers, ${judge.count.rows} rows of pages`)
  const median = waitsMs[Math.floor(waitsMs.length / 2)] ?? 0
  const slowest = waitsMs.at(-1) ?? 0
  run.figure(
    'acknowledged view in the answer, seconds',
    `median ${(median / 1000).toFixed(1)}, slowest ${(slowest / 1000).toFixed(1)}`,
  )
}
