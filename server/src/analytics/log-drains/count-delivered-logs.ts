/**
 * Counts the page views in delivered logs. Hosts deliver the same lines again, alone or in other batches, so each view is recorded with an
 * ID of its request.
 */
import { createHash } from 'node:crypto'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { Problem } from '../../platform/http/problem.ts'
import type { ClientDetector } from '../classify/client-detector.ts'
import {
  classifyObservedRequest,
  type DroppedEvent,
  maxExamples,
  toDroppedEvent,
} from '../collect/classify-requests.ts'
import type { DailyQuota } from '../collect/daily-quota.ts'
import type { AppendOutcome } from '../collect/delivery-ids.ts'
import type { SourceActivityRecorder } from '../collect/source-activity-recorder.ts'
import type { View } from '../collect/view.ts'
import type { PostgresViewBuffer } from '../collect/view-buffer.ts'
import type { ViewDelivery } from '../collect/view-delivery.ts'
import type { AnyDropReason } from '../collect/view-source.ts'
import { resolveViewTime } from '../collect/view-time.ts'
import { createLogLineParser, type LoggedRequest } from '../log-formats/parse-log-line.ts'
import type { AnalyticsSite } from '../settings/analytics-settings-store.ts'
import type { LogDrainActivity } from './log-drain-activity.ts'
import type { LogDrain } from './log-drain-store.ts'
import { readDeliveredLogs } from './log-entries.ts'

export interface CountLogsDeps {
  viewBuffer: PostgresViewBuffer
  sourceActivity: SourceActivityRecorder
  logDrainActivity: LogDrainActivity
  /** Of all log drains of a project. */
  logDrainQuota: DailyQuota
  clientDetector: ClientDetector
}

export interface CountedLogs {
  counted: number
  /** Views that an earlier delivery has counted. */
  repeated: number
  dropped: Partial<Record<AnyDropReason, number>>
  /** Headers, entries that are not requests, and requests for other hosts. */
  ignored: number
  /** Entries that are not in the format of the drain, or have no host although the drain has one. */
  unreadable: number
}

/** Other deliveries are committed between two chunks, and other requests are served while lines are read. */
const viewsPerChunk = 2_000
const maxReadingMs = 5
/** A line has more than 40 bytes, so real logs stay below this. It bounds the time that a body of tiny values takes. */
const maxEntries = 200_000

const emptyResult = (): CountedLogs => ({ counted: 0, repeated: 0, dropped: {}, ignored: 0, unreadable: 0 })

interface IdentifiedView {
  view: View
  id: string
}

/** Views that were counted before a failure are recognized when the delivery is repeated. */
export async function countDeliveredLogs(
  body: Buffer,
  { drain, site }: { drain: LogDrain; site: AnalyticsSite },
  deps: CountLogsDeps,
): Promise<CountedLogs> {
  const logs = readDeliveredLogs(body.toString())
  if (!logs) throw new Problem('invalid_request', 'The JSON in the body is incomplete. Send it again.')
  const counter = new LogCounter(drain, site, deps)
  const readLine = createLogLineParser({ format: drain.format, host: drain.host ?? undefined })
  const digest = createHash('sha256').update(logs.payload).digest('hex')
  let number = 0
  let readingSince = performance.now()
  try {
    for (const entry of logs.entries) {
      number++
      if (number > maxEntries)
        throw new Problem('too_large', `A delivery can have at most ${maxEntries} lines. Send smaller ones.`)
      // Without an ID of its own, a line is recognized only if the same batch is delivered again.
      if (entry !== '') counter.add(readLine(entry), `${drain.id} ${digest} ${number}`)
      if (counter.isChunkFull) await counter.appendChunk()
      else if (performance.now() - readingSince < maxReadingMs) continue
      else await yieldToOthers()
      readingSince = performance.now()
    }
    await counter.appendChunk()
  } catch (error) {
    counter.recordFailure()
    throw error
  }
  counter.recordActivity()
  return counter.result
}

class LogCounter {
  readonly #drain: LogDrain
  readonly #site: AnalyticsSite
  readonly #deps: CountLogsDeps
  readonly #receivedAt = new Date()
  #chunk: IdentifiedView[] = []
  #requests = 0
  readonly #examples: DroppedEvent[] = []
  readonly result = emptyResult()

  constructor(drain: LogDrain, site: AnalyticsSite, deps: CountLogsDeps) {
    this.#drain = drain
    this.#site = site
    this.#deps = deps
  }

  get isChunkFull(): boolean {
    return this.#chunk.length >= viewsPerChunk
  }

  add(parsed: LoggedRequest | 'ignored' | undefined, idOfLine: string): void {
    if (parsed === 'ignored') this.result.ignored++
    else if (!parsed) this.result.unreadable++
    else {
      this.#requests++
      const request = { ...parsed, at: resolveViewTime(parsed.at, this.#receivedAt) }
      const rule = { site: this.#site, clientDetector: this.#deps.clientDetector, source: 'servers' } as const
      const view = classifyObservedRequest(request, rule)
      if (typeof view !== 'string') this.#chunk.push({ view, id: idOfRequest(this.#drain, parsed) ?? idOfLine })
      else {
        this.#countDropped(view, 1)
        if (this.#examples.length < maxExamples) this.#examples.push(toDroppedEvent(request, view))
      }
    }
  }

  async appendChunk(): Promise<void> {
    const chunk = this.#takeChunk()
    const { viewBuffer, logDrainQuota } = this.#deps
    const appended = await Promise.allSettled(this.#toDeliveries(chunk).map((delivery) => viewBuffer.append(delivery)))
    const failed = appended.find((result) => result.status === 'rejected')
    const countOf = (outcome: AppendOutcome) =>
      appended.filter((result) => result.status === 'fulfilled' && result.value === outcome).length
    const counted = chunk.length === 0 ? 0 : countOf('stored')
    this.result.repeated += countOf('repeated')
    this.result.counted += counted
    logDrainQuota.recordCounted(this.#drain.projectId, counted)
    if (failed) throw failed.reason
  }

  recordActivity(): void {
    // A repeated delivery would show the same dropped requests again.
    const isRepetition = this.result.repeated > 0 && this.result.counted === 0
    this.#record(this.result, { asSource: this.#requests > 0 && !isRepetition, examples: this.#examples })
  }

  /** The host sends everything again, so what was not counted is recorded then. */
  recordFailure(): void {
    const { counted } = this.result
    this.#record({ ...emptyResult(), counted }, { asSource: counted > 0, examples: [] })
  }

  #record(
    { counted, repeated, dropped, ignored, unreadable }: CountedLogs,
    { asSource, examples }: { asSource: boolean; examples: readonly DroppedEvent[] },
  ): void {
    const { projectId, id } = this.#drain
    const { sourceActivity, logDrainActivity } = this.#deps
    const droppedCount = Object.values(dropped).reduce((sum, count) => sum + count, 0)
    if (counted + repeated + droppedCount + ignored + unreadable === 0) return // a check of the URL
    if (asSource) sourceActivity.record({ projectId, source: 'servers', counted, dropped, examples: [...examples] })
    logDrainActivity.record({ id, projectId }, { counted, repeated, dropped: droppedCount, ignored, unreadable })
  }

  #takeChunk(): IdentifiedView[] {
    const chunk = this.#chunk
    this.#chunk = []
    if (chunk.length === 0 || !this.#deps.logDrainQuota.isUsedUp(this.#drain.projectId)) return chunk
    this.#countDropped('daily_limit', chunk.length)
    return []
  }

  #countDropped(reason: AnyDropReason, count: number): void {
    this.result.dropped[reason] = (this.result.dropped[reason] ?? 0) + count
  }

  #toDeliveries(chunk: readonly IdentifiedView[]): ViewDelivery[] {
    const base = {
      projectId: this.#drain.projectId,
      source: 'servers',
      countsHumans: this.#site.settings.humanSource === 'servers',
    } as const
    const deliveries: ViewDelivery[] = chunk.map(({ view, id }) => ({
      ...base,
      deliveryId: { text: `log ${id}`, retention: 'day' },
      views: [view],
    }))
    // Without views: the site was measured nevertheless.
    const hasNoViews = deliveries.length === 0 && this.result.counted + this.result.repeated === 0
    if (hasNoViews && this.#requests > 0) deliveries.push({ ...base, deliveryId: undefined, views: [] })
    return deliveries
  }
}

/**
 * Not only the ID that the host gave the request: Cloudflare, for example, does not promise that it is unique. Belongs to the project and
 * the format, so that a drain can be replaced while the old one still receives.
 */
function idOfRequest({ format }: LogDrain, { requestId, at, method, host, path }: LoggedRequest): string | undefined {
  return requestId && [format, requestId, at.getTime(), method, host, path].join(' ')
}
