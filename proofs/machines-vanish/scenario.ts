/** What the scenarios share: load before, during and after the fault, and the figures that each one prints. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProofRun, ProofSize } from '../proof.ts'
import type { VanishFixture } from './fixture.ts'
import { type JudgeOptions, judge, type Verdict } from './judge.ts'
import { goalMs, percentileMs, type RequestSample, recoverySeconds } from './latency.ts'
import type { Load } from './load.ts'

export interface Scenario {
  name: string
  isInCi: boolean
  /** Returns why it cannot run here. */
  reasonToSkip?(): Promise<string | undefined>
  run(context: ScenarioContext): Promise<void>
}

export class ScenarioContext {
  readonly fixture: VanishFixture
  readonly load: Load
  readonly size: ProofSize
  readonly #name: string
  readonly #run: ProofRun
  readonly #before: { deliveries: number; jobs: number; lostJobs: number }

  constructor(fixture: VanishFixture, load: Load, name: string) {
    this.fixture = fixture
    this.load = load
    this.size = fixture.run.size
    this.#name = name
    this.#run = fixture.run
    this.#before = { deliveries: load.deliveries.length, jobs: load.jobs.length, lostJobs: countLost(load) }
  }

  log(line: string): void {
    this.#run.log(`${this.#name}: ${line}`)
  }

  check(ok: boolean, message: string): void {
    this.#run.check(ok, `${this.#name}: ${message}`)
  }

  figure(label: string, value: string | number): void {
    this.#run.figure(`${this.#name}: ${label}`, value)
    this.log(`${label}: ${value}`)
  }

  /** Seconds of the stated size, and of the small one. */
  wait(statedSeconds: number, ciSeconds = statedSeconds): Promise<void> {
    return sleep((this.size === 'ci' ? ciSeconds : statedSeconds) * 1000)
  }

  /** The age of the oldest views that are not counted yet. */
  async readOldestWaitingSeconds(): Promise<number> {
    const [row] = await this.fixture.database.query<{ seconds: number }>(
      'SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS seconds FROM view_batch',
    )
    return row?.seconds ?? 0
  }

  /** The load has started, and requests succeed. */
  async startLoad(): Promise<void> {
    this.load.start()
    await this.wait(8, 4)
  }

  /**
   * Recovery is measured with the requests that `isCounted` selects, for example those to replicas that did not vanish. Until
   * `endAtMs`, by default now.
   */
  reportRecovery(
    label: string,
    faultAtMs: number,
    isCounted: (sample: RequestSample) => boolean,
    { maxSeconds, endAtMs = performance.now() - 1_000 }: { maxSeconds?: number; endAtMs?: number } = {},
  ): void {
    const samples = this.load.samples.filter(isCounted)
    const seconds = recoverySeconds(samples, faultAtMs, endAtMs)
    const isAfter = ({ startedAtMs }: RequestSample) => startedAtMs >= faultAtMs + 15_000 && startedAtMs < endAtMs
    const after = samples.filter(isAfter)
    const p99Ms = percentileMs(after, 99)
    const failed = after.filter(({ ok }) => !ok).length
    this.figure(`recovery time, ${label}`, seconds === undefined ? 'never' : `${seconds.toFixed(1)} s`)
    if (after.length > 0)
      this.figure(`after 15 s, ${label}`, `p99 ${p99Ms.toFixed(0)} ms, ${failed} of ${after.length} failed`)
    if (maxSeconds === undefined) return
    this.check(
      seconds !== undefined && seconds <= maxSeconds,
      `${label} have a p99 below ${goalMs} ms again after ${maxSeconds} s: ${seconds?.toFixed(1) ?? 'never'} s`,
    )
  }

  /** Stops the load, compares everything, and prints what was acknowledged, lost and double. */
  async finish(options: Partial<JudgeOptions> & { endWithinSeconds?: number } = {}): Promise<Verdict> {
    const { endWithinSeconds = 120, loadWithinSeconds = 60, ...rest } = options
    const stoppedAtMs = performance.now()
    await this.load.stop(endWithinSeconds)
    const allEndedSeconds = (performance.now() - stoppedAtMs) / 1000
    const verdict = await judge(this.fixture, this.load, this.#name, { loadWithinSeconds, ...rest })
    const deliveries = this.load.deliveries.slice(this.#before.deliveries)
    const jobs = this.load.jobs.slice(this.#before.jobs)
    const slowestMs = Math.max(
      0,
      ...deliveries.map(({ sentAtMs, acknowledgedAtMs = sentAtMs }) => acknowledgedAtMs - sentAtMs),
    )
    const views = deliveries.reduce((sum, { views: count }) => sum + count, 0)
    this.figure('views acknowledged, lost, double', `${views}, ${verdict.viewsLost}, ${verdict.viewsDouble}`)
    const lostJobs = verdict.jobsLost - this.#before.lostJobs
    this.figure('jobs acknowledged, lost, double', `${jobs.length}, ${lostJobs}, ${verdict.jobsDouble}`)
    this.figure('slowest acknowledgement of views', `${(slowestMs / 1000).toFixed(1)} s`)
    this.figure(
      'after the load stopped',
      `all jobs ended after ${allEndedSeconds.toFixed(1)} s, all views were loaded after ${verdict.loadedAfterSeconds.toFixed(1)} s`,
    )
    return verdict
  }
}

const countLost = (load: Load) => load.jobs.filter(({ isLost }) => isLost).length
