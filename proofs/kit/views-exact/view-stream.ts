/** Sends the random stream, each delivery until it is answered, and tells the model what was acknowledged. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type ProofRun, seededRandom } from '../../proof.ts'
import type { PatientClient } from '../patient-client.ts'
import {
  type Delivery,
  type DueView,
  type ExactProject,
  makeBatch,
  makeBeacon,
  spoil,
  tellsOfReceipt,
} from './deliveries.ts'
import type { ExactService } from './exact-service.ts'
import { type LogFile, writeLogFile } from './log-files.ts'
import { pick } from './site-pages.ts'
import type { StillMoments } from './still-moments.ts'
import type { TimeSpan } from './view-times.ts'

export interface StreamSize {
  events: number
  beacons: number
  logFiles: number
  linesPerFile: number
}

export interface StreamDeps {
  run: ProofRun
  service: ExactService
  client: PatientClient
  still: StillMoments
  span: TimeSpan
  size: StreamSize
}

const batchSenders = 6
const beaconSenders = 12
const racedShare = 0.02
const sentAgainShare = 0.04
/** A repetition comes so many deliveries later. */
const laterBy = 40
const run = promisify(execFile)
const colophonServer = join(import.meta.dirname, '../../../server/src/main/colophon-server.ts')

export class ViewStream {
  acknowledgedEvents = 0
  readonly count = { batches: 0, beacons: 0, imports: 0, refused: 0, raced: 0, sentAgain: 0, killedImports: 0 }
  readonly #deps: StreamDeps
  readonly #again: { delivery: Delivery; afterBatches: number }[] = []
  #batchesMade = 0
  #beaconsMade = 0

  constructor(deps: StreamDeps) {
    this.#deps = deps
  }

  /** Until so many events are acknowledged and `isEnough`; every source at the pace of the whole. */
  async send(isEnough: () => boolean): Promise<void> {
    const { run, size } = this.#deps
    const isDone = () => this.acknowledgedEvents >= size.events && isEnough()
    const seeded = () => seededRandom(Math.floor(run.random() * 2 ** 31))
    const ofBatches = seeded()
    const ofBeacons = seeded()
    const ofLogs = seeded()
    await Promise.all([
      ...Array.from({ length: batchSenders }, () => this.#sendBatches(ofBatches, isDone)),
      ...Array.from({ length: beaconSenders }, () => this.#sendBeacons(ofBeacons, isDone)),
      this.#importLogs(ofLogs),
    ])
    for (const { delivery } of this.#again.splice(0)) await this.#sendAgain(delivery)
  }

  get #share(): number {
    return this.acknowledgedEvents / this.#deps.size.events
  }

  async #sendBatches(random: () => number, isDone: () => boolean): Promise<void> {
    const { service, span } = this.#deps
    while (!isDone()) {
      const id = `batch ${this.#batchesMade++}`
      const batch = makeBatch(
        pickProject(service.projects, random),
        span,
        500 + Math.floor(random() * 1500),
        id,
        random,
      )
      const [isRaced, isSentAgain, isSpoiled] = [racedShare, sentAgainShare, 0.01].map((share) => random() < share)
      if (isSpoiled) await this.#deliver(spoil(batch))
      await Promise.all([this.#deliver(batch), isRaced && this.#race(batch)])
      this.count.batches++
      if (isSentAgain) this.#again.push({ delivery: batch, afterBatches: this.count.batches + laterBy })
      if (this.#again[0] && this.#again[0].afterBatches <= this.count.batches) {
        const late = this.#again.shift()
        if (late) await this.#sendAgain(late.delivery)
      }
    }
  }

  async #sendBeacons(random: () => number, isDone: () => boolean): Promise<void> {
    const { service, size } = this.#deps
    while (!isDone() || this.#beaconsMade < size.beacons) {
      if (this.#beaconsMade >= size.beacons * Math.max(this.#share, 0.01)) {
        await sleep(20)
        continue
      }
      const beacon = makeBeacon(pickProject(service.projects, random), `view-${this.#beaconsMade++}`, random)
      const isRaced = random() < racedShare
      const isSentAgain = random() < sentAgainShare
      await Promise.all([this.#deliver(beacon), isRaced && this.#race(beacon)])
      this.count.beacons++
      if (isSentAgain && beacon.status === 204)
        this.#again.push({ delivery: beacon, afterBatches: this.count.batches + laterBy })
    }
  }

  /** Adds to the model when it is acknowledged, and not before. */
  async #deliver(delivery: Delivery): Promise<void> {
    const countedAtMs = await this.#post(delivery, 'first')
    this.#acknowledge(delivery.project, delivery.due, countedAtMs)
    this.acknowledgedEvents += delivery.status < 300 ? delivery.events : 0
    if (delivery.status >= 300) this.count.refused++
  }

  /** At the same time as the first, and known to be the same. */
  async #race(delivery: Delivery): Promise<void> {
    this.count.raced++
    await this.#post(delivery, 'raced')
  }

  async #sendAgain(delivery: Delivery): Promise<void> {
    this.count.sentAgain++
    await this.#post(delivery, 'again')
  }

  async #post(delivery: Delivery, which: 'first' | 'raced' | 'again'): Promise<number | undefined> {
    const { client, still } = this.#deps
    const { path, headers, body } = delivery
    const post = () => client.send({ method: 'POST', path, headers, body })
    const { response, countedAtMs } = tellsOfReceipt(delivery)
      ? await still.send(post)
      : { response: await post(), countedAtMs: undefined }
    this.#deps.run.check(
      isAsDue(delivery, response, which),
      `${which} ${path} is answered as due: ${wordsOf(delivery, response)}`,
    )
    return countedAtMs
  }

  #acknowledge(project: ExactProject, due: readonly DueView[], countedAtMs: number | undefined): void {
    for (const { path, reader, at } of due) {
      const atMs = at === 'receipt' ? countedAtMs : at
      if (atMs === undefined) throw new Error('every view has a moment')
      project.model.add({ path, reader, atMs })
    }
  }

  async #importLogs(random: () => number): Promise<void> {
    const { service, span, size } = this.#deps
    for (let number = 0; number < size.logFiles; number++) {
      while (this.#share < (number / size.logFiles) * 0.9) await sleep(50)
      const wanted = { lines: size.linesPerFile, number, directory: service.directory }
      const log = writeLogFile(pickProject(service.projects, random), span, wanted, random)
      await this.#importUntilDone(log, random)
      log.finish()
      await this.#importUntilDone(log, random)
      this.#acknowledge(log.project, log.due, undefined)
      this.acknowledgedEvents += log.events
      this.count.imports++
      await this.#importUntilDone(log, () => 1) // the same file twice
    }
  }

  /** Killed in the middle the first time, as often as not. */
  async #importUntilDone({ project, format, file }: LogFile, random: () => number): Promise<void> {
    const args = [colophonServer, 'import-logs', '--project', project.id, '--format', format, file]
    const env = { PATH: process.env.PATH, ...this.#deps.service.environment }
    let killAfterMs = random() < 0.5 ? 700 + Math.floor(random() * 1500) : 0
    for (let tries = 1; ; tries++) {
      try {
        await run(process.execPath, args, { env, timeout: killAfterMs, killSignal: 'SIGKILL' })
        return
      } catch (error) {
        const { signal, stderr } = error as { signal?: string; stderr?: string }
        if (signal === 'SIGKILL') this.count.killedImports++
        killAfterMs = 0
        if (tries === 100) throw new Error(`import-logs fails and fails: ${stderr?.slice(-2000)}`)
        await sleep(300)
      }
    }
  }
}

/** Some projects have more readers than others. */
const pickProject = (projects: readonly ExactProject[], random: () => number) => pick(projects, () => random() ** 1.7)

function isAsDue(
  delivery: Delivery,
  response: { status: number; text: string },
  which: 'first' | 'raced' | 'again',
): boolean {
  if (response.status !== delivery.status) return false
  if (delivery.status !== 200) return true
  const said = JSON.parse(response.text) as { counted: number; dropped: Record<string, number>; isDuplicate: boolean }
  if (which === 'again' && !said.isDuplicate) return false
  return said.counted === delivery.due.length && sameCounts(said.dropped, delivery.dropped)
}

function sameCounts(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

const wordsOf = ({ due, dropped, status }: Delivery, response: { status: number; text: string }) =>
  `due ${status} ${due.length} ${JSON.stringify(dropped)}, answered ${response.status} ${response.text.slice(0, 500)}`
