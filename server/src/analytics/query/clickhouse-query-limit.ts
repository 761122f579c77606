/**
 * Limits how many queries of callers run in ClickHouse concurrently, how many more are queued, and for how long. Many open
 * dashboards get 503 instead of using up the memory of this process or slowing down the loader. One project with slow queries uses a
 * part of the slots, so that others can still read theirs, and its queries pause while theirs run.
 */
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { ClickHouseClient, DataFormat, QueryParams } from '@clickhouse/client'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { KeyedSemaphore, Semaphore, SemaphoreFullError } from '../../platform/semaphore.ts'
import { RecentQueryTime } from './recent-query-time.ts'

/** The part of the client that queries need. */
export type ClickhouseQueryClient = Pick<ClickHouseClient, 'query'>

export interface QueryLimits {
  maxConcurrent: number
  maxConcurrentPerProject: number
  /** Over all projects, and per project. */
  maxQueued: number
  queueTimeoutMs: number
  /** Longer than ClickHouse's own limit for a query: only queries without any response are aborted here. */
  responseTimeoutMs: number
}

export const queryLimits: QueryLimits = {
  maxConcurrent: 8,
  maxConcurrentPerProject: 2,
  maxQueued: 100,
  queueTimeoutMs: 5_000,
  responseTimeoutMs: 20_000,
}
/** A download takes as long as its recipient reads: downloads have a limit of their own. */
export const downloadLimits: QueryLimits = {
  maxConcurrent: 4,
  maxConcurrentPerProject: 1,
  maxQueued: 20,
  queueTimeoutMs: 5_000,
  responseTimeoutMs: 300_000,
}

/**
 * ClickHouse's priorities: a query pauses, for at most a second at a time, while one with a lower number runs. Downloads, and the queries
 * of a project that has used more than this much query time recently, come after the others.
 */
const priorities = { normal: 1, low: 2 }
const maxRecentMsForNormalPriority = 2_000

export class ClickhouseQueryLimit {
  readonly #clickhouse: ClickhouseQueryClient
  readonly #limits: QueryLimits
  readonly #semaphore: Semaphore
  readonly #projects: KeyedSemaphore<Id<'prj'>>
  readonly #recentTime = new RecentQueryTime()

  constructor(clickhouse: ClickhouseQueryClient, limits: QueryLimits) {
    this.#clickhouse = clickhouse
    this.#limits = limits
    const { maxConcurrent, maxConcurrentPerProject, maxQueued, queueTimeoutMs } = limits
    const waiting = { maxWaiting: maxQueued, waitTimeoutMs: queueTimeoutMs }
    this.#semaphore = new Semaphore({ maxConcurrent, ...waiting })
    this.#projects = new KeyedSemaphore({ maxConcurrent: maxConcurrentPerProject, ...waiting })
  }

  async run<Result>(
    projectId: Id<'prj'>,
    run: (clickhouse: ClickhouseQueryClient) => Promise<Result>,
  ): Promise<Result> {
    await this.#acquire(projectId)
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), this.#limits.responseTimeoutMs)
    const startedAtMs = performance.now()
    const isFrequent = this.#recentTime.read(projectId) > maxRecentMsForNormalPriority
    const options = { signal: timeout.signal, priority: isFrequent ? priorities.low : priorities.normal }
    try {
      return await run({ query: (params) => this.#query(params, options) })
    } catch (error) {
      throw toProblem(error)
    } finally {
      this.#recentTime.add(projectId, performance.now() - startedAtMs)
      clearTimeout(timer)
      this.#release(projectId)
    }
  }

  /** Resolves when the stream has data or ends, so that earlier errors can still be reported. Counts as running until it closes. */
  async openStream(
    projectId: Id<'prj'>,
    run: (clickhouse: ClickhouseQueryClient) => Promise<Readable>,
  ): Promise<Readable> {
    await this.#acquire(projectId)
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), this.#limits.responseTimeoutMs)
    let stream: Readable | undefined
    const release = () => {
      clearTimeout(timer)
      this.#release(projectId)
    }
    try {
      const options = { signal: timeout.signal, priority: priorities.low }
      stream = await run({ query: (params) => this.#query(params, options) })
      stream.once('close', release)
      await once(stream, 'readable')
      return stream
    } catch (error) {
      if (!stream) release()
      throw toProblem(error)
    }
  }

  /** The client's own signal only works until the response headers: without this, it waits for the body forever (tried). */
  async #query<Format extends DataFormat>(
    params: Omit<QueryParams, 'format'> & { format?: Format },
    { signal, priority }: { signal: AbortSignal; priority: number },
  ) {
    const clickhouse_settings = { ...params.clickhouse_settings, priority: String(priority) }
    const response = await this.#clickhouse.query<Format>({ ...params, clickhouse_settings, abort_signal: signal })
    signal.addEventListener('abort', () => response.close())
    return response
  }

  /** First the slot of the project: a project that waits for its own queries must not use up the queue of all. */
  async #acquire(projectId: Id<'prj'>): Promise<void> {
    try {
      await this.#projects.acquire(projectId)
    } catch (error) {
      throw error instanceof SemaphoreFullError ? tooManyReads() : error
    }
    try {
      await this.#semaphore.acquire()
    } catch (error) {
      this.#projects.release(projectId)
      throw error instanceof SemaphoreFullError ? tooManyReads() : error
    }
  }

  #release(projectId: Id<'prj'>): void {
    this.#semaphore.release()
    this.#projects.release(projectId)
  }
}

const unavailable = (detail: string, cause?: unknown) =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '5' }, cause })

const tooManyReads = () => unavailable('Too many page view queries are running. Try again in a few seconds.')

/** The queries are fixed and their parameters were validated, so errors mean that ClickHouse is down, full or slow. */
const toProblem = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : unavailable('Page views cannot be read at the moment. Try again, or request a shorter range.', error)
