/** Sends the random stream, each delivery until it is acknowledged, and adds what was acknowledged to the reference model. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { withDatabaseRole } from '../../testing/harness/database-roles.ts'
import type { RetryingClient } from '../../testing/harness/retrying-client.ts'
import { type ProofRun, seededRandom } from '../proof.ts'
import {
  countsAtReceipt,
  type Delivery,
  type ExpectedView,
  generateBatch,
  generateBeacon,
  type ViewsProject,
  withInvalidEvent,
} from './deliveries.ts'
import type { ViewsFixture } from './fixture.ts'
import { type LogFile, writeLogFile } from './log-files.ts'
import type { QuietMomentScheduler } from './quiet-moment-scheduler.ts'
import { pick } from './site-pages.ts'
import type { ReportableTimeSpan } from './view-times.ts'

export interface StreamSize {
  events: number
  beacons: number
  logFiles: number
  linesPerFile: number
}

export interface StreamDeps {
  run: ProofRun
  fixture: ViewsFixture
  client: RetryingClient
  quietMoments: QuietMomentScheduler
  span: ReportableTimeSpan
  size: StreamSize
}

const batchSenders = 6
const beaconSenders = 12
const racedShare = 0.02
const resentShare = 0.04
/** Batches between a delivery and its repetition. */
const resendAfterBatches = 40
const run = promisify(execFile)
const colophonServer = join(import.meta.dirname, '../../server/src/main/colophon-server.ts')

export class ViewStreamSender {
  acknowledgedEvents = 0
  readonly count = { batches: 0, beacons: 0, imports: 0, rejected: 0, raced: 0, resent: 0, killedImports: 0 }
  readonly #deps: StreamDeps
  readonly #toResend: { delivery: Delivery; afterBatches: number }[] = []
  #batchesStarted = 0
  #beaconsStarted = 0

  constructor(deps: StreamDeps) {
    this.#deps = deps
  }

  /** Until all events are acknowledged and `isEnough`; all sources at the same pace. */
  async send(isEnough: () => boolean): Promise<void> {
    const { run, size } = this.#deps
    const isDone = () => this.acknowledgedEvents >= size.events && isEnough()
    const createRandom = () => seededRandom(Math.floor(run.random() * 2 ** 31))
    const batchRandom = createRandom()
    const beaconRandom = createRandom()
    const logRandom = createRandom()
    await Promise.all([
      ...Array.from({ length: batchSenders }, () => this.#sendBatches(batchRandom, isDone)),
      ...Array.from({ length: beaconSenders }, () => this.#sendBeacons(beaconRandom, isDone)),
      this.#importLogs(logRandom),
    ])
    for (const { delivery } of this.#toResend.splice(0)) await this.#resend(delivery)
  }

  get #progress(): number {
    return this.acknowledgedEvents / this.#deps.size.events
  }

  async #sendBatches(random: () => number, isDone: () => boolean): Promise<void> {
    const { fixture, span } = this.#deps
    while (!isDone()) {
      const id = `batch ${this.#batchesStarted++}`
      const batch = generateBatch(
        pickProject(fixture.projects, random),
        span,
        500 + Math.floor(random() * 1500),
        id,
        random,
      )
      const [isRaced, isResent, isInvalid] = [racedShare, resentShare, 0.01].map((share) => random() < share)
      if (isInvalid) await this.#deliver(withInvalidEvent(batch))
      await Promise.all([this.#deliver(batch), isRaced && this.#race(batch)])
      this.count.batches++
      if (isResent) this.#toResend.push({ delivery: batch, afterBatches: this.count.batches + resendAfterBatches })
      if (this.#toResend[0] && this.#toResend[0].afterBatches <= this.count.batches) {
        const next = this.#toResend.shift()
        if (next) await this.#resend(next.delivery)
      }
    }
  }

  async #sendBeacons(random: () => number, isDone: () => boolean): Promise<void> {
    const { fixture, size } = this.#deps
    while (!isDone() || this.#beaconsStarted < size.beacons) {
      if (this.#beaconsStarted >= size.beacons * Math.max(this.#progress, 0.01)) {
        await sleep(20)
        continue
      }
      const beacon = generateBeacon(pickProject(fixture.projects, random), `view-${this.#beaconsStarted++}`, random)
      const isRaced = random() < racedShare
      const isResent = random() < resentShare
      await Promise.all([this.#deliver(beacon), isRaced && this.#race(beacon)])
      this.count.beacons++
      if (isResent && beacon.status === 204)
        this.#toResend.push({ delivery: beacon, afterBatches: this.count.batches + resendAfterBatches })
    }
  }

  /** Adds to the model only after the acknowledgement. */
  async #deliver(delivery: Delivery): Promise<void> {
    const countedAtMs = await this.#post(delivery, 'first')
    this.#acknowledge(delivery.project, delivery.expectedViews, countedAtMs)
    this.acknowledgedEvents += delivery.status < 300 ? delivery.events : 0
    if (delivery.status >= 300) this.count.rejected++
  }

  /** Sends the same delivery concurrently with the first. */
  async #race(delivery: Delivery): Promise<void> {
    this.count.raced++
    await this.#post(delivery, 'raced')
  }

  async #resend(delivery: Delivery): Promise<void> {
    this.count.resent++
    await this.#post(delivery, 'resent')
  }

  async #post(delivery: Delivery, occasion: 'first' | 'raced' | 'resent'): Promise<number | undefined> {
    const { client, quietMoments } = this.#deps
    const { path, headers, body } = delivery
    const post = () => client.send({ method: 'POST', path, headers, body })
    const { response, countedAtMs } = countsAtReceipt(delivery)
      ? await quietMoments.send(post)
      : { response: await post(), countedAtMs: undefined }
    this.#deps.run.check(
      isExpectedResponse(delivery, response, occasion),
      `${occasion} POST ${path}: ${describeResponse(delivery, response)}`,
    )
    return countedAtMs
  }

  #acknowledge(project: ViewsProject, expectedViews: readonly ExpectedView[], countedAtMs: number | undefined): void {
    for (const { path, client, at } of expectedViews) {
      const atMs = at === 'receipt' ? countedAtMs : at
      if (atMs === undefined) throw new Error('a view that counts at receipt needs the time of its receipt')
      project.model.add({ path, client, atMs })
    }
  }

  async #importLogs(random: () => number): Promise<void> {
    const { fixture, span, size } = this.#deps
    for (let number = 0; number < size.logFiles; number++) {
      while (this.#progress < (number / size.logFiles) * 0.9) await sleep(50)
      const options = { lines: size.linesPerFile, number, directory: fixture.directory }
      const log = writeLogFile(pickProject(fixture.projects, random), span, options, random)
      await this.#importUntilDone(log, random)
      log.finish()
      await this.#importUntilDone(log, random)
      this.#acknowledge(log.project, log.expectedViews, undefined)
      this.acknowledgedEvents += log.events
      this.count.imports++
      await this.#importUntilDone(log, () => 1) // imports the same file again
    }
  }

  /** Half of the first attempts are killed. */
  async #importUntilDone({ project, format, file }: LogFile, random: () => number): Promise<void> {
    const args = [colophonServer, 'import-logs', '--project', project.id, '--format', format, file]
    const env = { PATH: process.env.PATH, ...withDatabaseRole('api', this.#deps.fixture.environment) }
    let killAfterMs = random() < 0.5 ? 700 + Math.floor(random() * 1500) : 0
    for (let attempt = 1; ; attempt++) {
      try {
        await run(process.execPath, args, { env, timeout: killAfterMs, killSignal: 'SIGKILL' })
        return
      } catch (error) {
        const { signal, stderr } = error as { signal?: string; stderr?: string }
        if (signal === 'SIGKILL') this.count.killedImports++
        killAfterMs = 0
        if (attempt === 100) throw new Error(`import-logs failed 100 times: ${stderr?.slice(-2000)}`)
        await sleep(300)
      }
    }
  }
}

/** Some projects get more traffic than others. */
const pickProject = (projects: readonly ViewsProject[], random: () => number) => pick(projects, () => random() ** 1.7)

function isExpectedResponse(
  delivery: Delivery,
  response: { status: number; text: string },
  occasion: 'first' | 'raced' | 'resent',
): boolean {
  if (response.status !== delivery.status) return false
  if (delivery.status !== 200) return true
  const body = JSON.parse(response.text) as { counted: number; dropped: Record<string, number>; isDuplicate: boolean }
  if (occasion === 'resent' && !body.isDuplicate) return false
  return body.counted === delivery.expectedViews.length && sameCounts(body.dropped, delivery.dropped)
}

function sameCounts(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

const describeResponse = ({ expectedViews, dropped, status }: Delivery, response: { status: number; text: string }) =>
  `expected ${status} ${expectedViews.length} ${JSON.stringify(dropped)}, got ${response.status} ${response.text.slice(0, 500)}`
