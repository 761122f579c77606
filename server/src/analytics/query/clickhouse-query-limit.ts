/**
 * Limits how many queries of callers run in ClickHouse concurrently, how many more are queued, and for how long. Many open
 * dashboards get 503 instead of using up the memory of this process or slowing down the loader.
 */
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { ClickHouseClient, DataFormat, QueryParams } from '@clickhouse/client'
import { Problem } from '../../platform/http/problem.ts'
import { Semaphore, SemaphoreFullError } from '../../platform/semaphore.ts'

/** The part of the client that queries need. */
export type ClickhouseQueryClient = Pick<ClickHouseClient, 'query'>

export interface QueryLimits {
  maxConcurrent: number
  maxQueued: number
  queueTimeoutMs: number
  /** Longer than ClickHouse's own limit for a query: only queries without any response are aborted here. */
  responseTimeoutMs: number
}

export const queryLimits: QueryLimits = {
  maxConcurrent: 8,
  maxQueued: 100,
  queueTimeoutMs: 5_000,
  responseTimeoutMs: 20_000,
}
/** A download takes as long as its recipient reads: downloads have a limit of their own. */
export const downloadLimits: QueryLimits = {
  maxConcurrent: 4,
  maxQueued: 20,
  queueTimeoutMs: 5_000,
  responseTimeoutMs: 300_000,
}

export class ClickhouseQueryLimit {
  readonly #clickhouse: ClickhouseQueryClient
  readonly #limits: QueryLimits
  readonly #semaphore: Semaphore

  constructor(clickhouse: ClickhouseQueryClient, limits: QueryLimits) {
    this.#clickhouse = clickhouse
    this.#limits = limits
    const { maxConcurrent, maxQueued, queueTimeoutMs } = limits
    this.#semaphore = new Semaphore({ maxConcurrent, maxWaiting: maxQueued, waitTimeoutMs: queueTimeoutMs })
  }

  async run<Result>(run: (clickhouse: ClickhouseQueryClient) => Promise<Result>): Promise<Result> {
    await this.#acquire()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), this.#limits.responseTimeoutMs)
    try {
      return await run({ query: (params) => this.#query(params, timeout.signal) })
    } catch (error) {
      throw toProblem(error)
    } finally {
      clearTimeout(timer)
      this.#semaphore.release()
    }
  }

  /** Resolves when the stream has data or ends, so that earlier errors can still be reported. Counts as running until it closes. */
  async openStream(run: (clickhouse: ClickhouseQueryClient) => Promise<Readable>): Promise<Readable> {
    await this.#acquire()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), this.#limits.responseTimeoutMs)
    let stream: Readable | undefined
    const release = () => {
      clearTimeout(timer)
      this.#semaphore.release()
    }
    try {
      stream = await run({ query: (params) => this.#query(params, timeout.signal) })
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
    signal: AbortSignal,
  ) {
    const response = await this.#clickhouse.query<Format>({ ...params, abort_signal: signal })
    signal.addEventListener('abort', () => response.close())
    return response
  }

  async #acquire(): Promise<void> {
    try {
      await this.#semaphore.acquire()
    } catch (error) {
      throw error instanceof SemaphoreFullError ? tooManyReads() : error
    }
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
