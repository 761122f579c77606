/**
 * Fifty healthy projects, and beside them one whose code host trickles, with a prompt that kills runners, slow analytics queries, a
 * thousand beacons per second and a hundred megabytes of events. Quiet and noisy phases alternate in one run, with the same load of the
 * healthy projects, because the speed of the machine changes from run to run.
 *
 * Arguments after `--`: `keep-logs` keeps the logs of the processes; `each` compares a phase of each kind of noise, or of
 * those that are named after it, with a quiet one, to find out which one others notice, and checks no ratio.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CpuShares } from './noisy-neighbor/cpu-shares.ts'
import { type NoisyNeighborFixture, prepareNoisyNeighborFixture } from './noisy-neighbor/fixture.ts'
import { HealthyLoad, type LoadRates } from './noisy-neighbor/healthy-load.ts'
import { judgeHealthyProjects } from './noisy-neighbor/judge.ts'
import { beaconsPerSecond, type NoiseSize, NoisyProject, noiseKinds } from './noisy-neighbor/noisy-project.ts'
import { type Comparison, compare, type Phase, sampleKinds } from './noisy-neighbor/samples.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'One noisy project fails no request and no job of the others, and their p95 is at most 1.5 times that without it'

interface Size {
  projects: number
  /** Of the noisy project, before the first phase. */
  slowViews: number
  heartbeatTimeoutSeconds: number
  warmUpSeconds: number
  pairs: number
  phaseSeconds: number
  rates: LoadRates
  noise: NoiseSize
  /** Of the p95 with the noisy project to that without it. */
  maxRatio: number
}

const rates: LoadRates = {
  perSecond: { views: 10, beacon: 10, 'create job': 0.5, 'list jobs': 5, 'read views': 5 },
  turnSeconds: 1.5,
}

const stated: Size = {
  projects: 50,
  slowViews: 6_000_000,
  heartbeatTimeoutSeconds: 10,
  warmUpSeconds: 20,
  pairs: 3,
  phaseSeconds: 60,
  rates,
  noise: { publishingJobs: 8, talkativeJobs: 5, talkativeSeconds: 15 },
  // Not reached yet: the requests of all projects share the event loop of `api` and its connections to PostgreSQL. With four busy
  // threads that called nothing of ours, the ratio of requests was 1.8.
  maxRatio: 1.5,
}

const sizes: Record<ProofRun['size'], Size> = {
  // Beside other tests, and with few samples, a ratio says little: here it finds only projects that wait for the noisy one.
  ci: {
    ...stated,
    projects: 20,
    slowViews: 1_500_000,
    heartbeatTimeoutSeconds: 4,
    warmUpSeconds: 10,
    pairs: 1,
    phaseSeconds: 25,
    noise: { publishingJobs: 6, talkativeJobs: 2, talkativeSeconds: 8 },
    maxRatio: 3,
  },
  stated,
  full: { ...stated, pairs: 8 },
}

const settleWithinSeconds = 240

export async function prove(run: ProofRun): Promise<void> {
  const size = sizes[run.size]
  const fixture = await prepareNoisyNeighborFixture(run, size)
  const noise = new NoisyProject(fixture, size.noise)
  const load = new HealthyLoad(fixture.api.url, fixture.healthy, size.rates)
  const cpu = new CpuShares(fixture, noise)
  load.start()
  run.log(`${size.projects} healthy projects send views, create jobs and read`)
  await sleep(size.warmUpSeconds * 1000)
  if (run.args.includes('each')) return compareEachKind(run, { fixture, noise, load, size })

  const phases: Phase[] = []
  for (let pair = 1; pair <= size.pairs; pair++) {
    phases.push(await cpu.during(false, () => load.measure(false, size.phaseSeconds)))
    run.log(`quiet phase ${pair} of ${size.pairs} has ended`)
    await noise.start()
    phases.push(await cpu.during(true, () => load.measure(true, size.phaseSeconds)))
    await noise.stop()
    const stoppedAtMs = performance.now()
    const active = await noise.waitForJobs(settleWithinSeconds)
    const seconds = ((performance.now() - stoppedAtMs) / 1000).toFixed(1)
    run.log(`noisy phase ${pair} of ${size.pairs} has ended, and ${seconds} s later the jobs of the noisy project`)
    run.check(active === 0, `the noisy project's own jobs end when its code host is fast again: ${active} are active`)
  }
  await load.stop()
  await judgeHealthyProjects(fixture, load)
  for (const kind of sampleKinds) reportComparison(run, compare(phases, kind), size.maxRatio)
  run.figure('CPU of one core in percent, quiet → noisy', cpu.format())
  await reportNoise(fixture, noise, size)
}

async function compareEachKind(
  run: ProofRun,
  { fixture, noise, load, size }: { fixture: NoisyNeighborFixture; noise: NoisyProject; load: HealthyLoad; size: Size },
): Promise<void> {
  const measured: { name: string; phases: Phase[]; cpu: string }[] = []
  const named = noiseKinds.filter((kind) => run.args.includes(kind))
  for (const kind of named.length > 0 ? named : noiseKinds) {
    const cpu = new CpuShares(fixture, noise)
    const quiet = await cpu.during(false, () => load.measure(false, size.phaseSeconds))
    await noise.start([kind])
    const noisy = await cpu.during(true, () => load.measure(true, size.phaseSeconds))
    await noise.stop()
    await noise.waitForJobs(settleWithinSeconds)
    measured.push({ name: kind, phases: [quiet, noisy], cpu: cpu.format() })
    run.log(`${kind} is measured`)
  }
  await load.stop()
  await judgeHealthyProjects(fixture, load)
  for (const { name, phases, cpu } of measured) {
    for (const kind of sampleKinds) {
      const { quiet, noisy, ratio } = compare(phases, kind)
      run.figure(
        `${name}, p95 of ${kind}`,
        `${quiet.p95Ms.toFixed(1)} → ${noisy.p95Ms.toFixed(1)} ms, ${ratio.toFixed(2)}`,
      )
    }
    run.figure(`${name}, CPU of one core in percent`, cpu)
  }
}

function reportComparison(run: ProofRun, { kind, quiet, noisy, ratio, pairs }: Comparison, maxRatio: number): void {
  const format = ({ p50Ms, p95Ms }: Comparison['quiet']) => `p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms`
  run.figure(
    `${kind}: quiet; noisy; ratio of p95`,
    `${format(quiet)}; ${format(noisy)}; ${ratio.toFixed(2)} (${quiet.count} and ${noisy.count} samples)`,
    { goal: `≤ ${maxRatio}`, isMet: ratio <= maxRatio },
  )
  // How much the quiet phases differ from each other shows how much of a ratio is the machine.
  const byPair = pairs.map(({ quietP95Ms, noisyP95Ms }) => `${quietP95Ms.toFixed(0)} → ${noisyP95Ms.toFixed(0)}`)
  run.figure(`${kind}: p95 of each pair of phases, in ms`, byPair.join(', '))
  run.check(
    ratio <= maxRatio,
    `the p95 of healthy projects is at most ${maxRatio} times that without the noisy one (${kind}): ${ratio.toFixed(2)}`,
  )
}

/** What the noisy project managed to do. Rejections are fine, but too few requests would prove nothing. */
async function reportNoise({ run, colophon, noisy, runners }: NoisyNeighborFixture, noise: NoisyProject, size: Size) {
  const jobs = await noise.readJobs()
  const poisoned = jobs.filter(({ purpose }) => purpose === 'poison')
  const stopped = poisoned.filter(({ error }) => error === 'runner_lost').length
  run.check(
    stopped === size.pairs,
    `a prompt that kills runners is stopped with runner_lost: ${stopped} of ${size.pairs}, ${poisoned[0]?.status}, ${poisoned[0]?.error}`,
  )
  const losses = runners.reduce((sum, runner) => sum + runner.losses(), 0)
  run.check(losses <= 3 * size.pairs, `a poison prompt costs at most three runners: ${losses} for ${size.pairs}`)
  const ends = Map.groupBy(jobs, ({ purpose, status, error }) => `${purpose} ${error ?? status}`)
  run.figure('noisy jobs by end', [...ends].map(([end, { length }]) => `${end} ${length}`).join(', '))
  run.figure('noisy jobs rejected, runners lost', `${noise.rejectedJobs}, ${losses}`)

  const beacons = noise.counts.map((counts) => counts.beacons)
  const sent = beacons.reduce((sum, counts) => sum + counts.sent, 0)
  const perSecond = sent / (size.pairs * size.phaseSeconds)
  run.check(
    perSecond >= 0.9 * beaconsPerSecond,
    `the noisy project sends ${beaconsPerSecond} beacons per second: ${perSecond.toFixed(0)}`,
  )
  const outcomes = await colophon.pool.query<{ outcome: string; events: string }>(
    "SELECT outcome, sum(events) AS events FROM source_event_count WHERE project_id = $1 AND source = 'script' GROUP BY outcome",
    [noisy.projectId],
  )
  const byOutcome = outcomes.rows.map(({ outcome, events }) => `${outcome} ${events}`)
  run.figure(
    'noisy beacons sent per second, responses, outcomes',
    `${perSecond.toFixed(0)}, ${formatSums(beacons.map(({ responses }) => responses))}, ${byOutcome.join(' ')}`,
  )
  const queries = noise.counts.map((counts) => counts.queries)
  const seconds = queries.reduce((sum, { totalSeconds }) => sum + totalSeconds, 0)
  const finished = queries.reduce((sum, { responses }) => sum + (responses['200'] ?? 0), 0)
  run.figure(
    'noisy queries by status, mean of the finished ones',
    `${formatSums(queries.map(({ responses }) => responses))}, ${(seconds / finished).toFixed(1)} s`,
  )
  const stored = await colophon.pool.query<{ uploaded: string; stored: string }>(
    `SELECT (SELECT coalesce(sum(event_bytes), 0) FROM turn_attempt WHERE project_id = $1) AS uploaded,
            (SELECT coalesce(sum(size_bytes), 0) FROM job_event WHERE project_id = $1) AS stored`,
    [noisy.projectId],
  )
  const uploadedBytes = Number(stored.rows[0]?.uploaded)
  const minBytes = size.pairs * size.noise.talkativeJobs * 20e6
  run.check(uploadedBytes >= minBytes, `the noisy project uploads ${minBytes} bytes of events: ${uploadedBytes}`)
  const megabytes = (bytes: unknown) => (Number(bytes) / 1e6).toFixed(0)
  const read = noise.counts.reduce((sum, { events }) => sum + events.streamedBytes + events.pagedBytes, 0)
  run.figure(
    'noisy events in megabytes: uploaded, stored, read by followers',
    `${megabytes(stored.rows[0]?.uploaded)}, ${megabytes(stored.rows[0]?.stored)}, ${megabytes(read)}`,
  )
}

function formatSums(counts: readonly Record<string, number>[]): string {
  const sums = new Map<string, number>()
  for (const [status, count] of counts.flatMap((each) => Object.entries(each)))
    sums.set(status, (sums.get(status) ?? 0) + count)
  return [...sums].map(([status, count]) => `${count} × ${status}`).join(' ')
}
