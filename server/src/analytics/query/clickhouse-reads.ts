/**
 * The way of callers' queries to ClickHouse: so many at once and a few that wait, none for long. A storm of dashboards is
 * told to come back; it takes neither the memory of this process nor ClickHouse from the loader.
 */
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { ClickHouseClient, DataFormat, QueryParams } from '@clickhouse/client'
import { Problem } from '../../platform/http/problem.ts'

/** All that a query needs. */
export type QueryClickhouse = Pick<ClickHouseClient, 'query'>

export interface ReadLimits {
  atOnce: number
  waiting: number
  waitMs: number
  /** Longer than ClickHouse gives a query: only one that does not answer at all is given up by us. */
  responseTimeoutMs: number
}

export const readLimits: ReadLimits = { atOnce: 8, waiting: 100, waitMs: 5_000, responseTimeoutMs: 20_000 }
/** A download lasts as long as its reader takes: it has places of its own. */
export const downloadLimits: ReadLimits = { atOnce: 4, waiting: 20, waitMs: 5_000, responseTimeoutMs: 300_000 }

export class ClickhouseReads {
  readonly #clickhouse: QueryClickhouse
  readonly #limits: ReadLimits
  #running = 0
  readonly #waiting = new Set<() => void>()

  constructor(clickhouse: QueryClickhouse, limits: ReadLimits) {
    this.#clickhouse = clickhouse
    this.#limits = limits
  }

  async read<Answer>(run: (clickhouse: QueryClickhouse) => Promise<Answer>): Promise<Answer> {
    await this.#takePlace()
    const givenUp = new AbortController()
    const timer = setTimeout(() => givenUp.abort(), this.#limits.responseTimeoutMs)
    try {
      return await run({ query: (asked) => this.#query(asked, givenUp.signal) })
    } catch (error) {
      throw asUnavailable(error)
    } finally {
      clearTimeout(timer)
      this.#leavePlace()
    }
  }

  /** Resolves with the first of it, or none: what goes wrong before that can still be told. Its place is taken until it is closed. */
  async open(run: (clickhouse: QueryClickhouse) => Promise<Readable>): Promise<Readable> {
    await this.#takePlace()
    const givenUp = new AbortController()
    const timer = setTimeout(() => givenUp.abort(), this.#limits.responseTimeoutMs)
    let stream: Readable | undefined
    const leave = () => {
      clearTimeout(timer)
      this.#leavePlace()
    }
    try {
      stream = await run({ query: (asked) => this.#query(asked, givenUp.signal) })
      stream.once('close', leave)
      await once(stream, 'readable')
      return stream
    } catch (error) {
      if (!stream) leave()
      throw asUnavailable(error)
    }
  }

  /** The client's own signal ends with the answer's headers: its body would be waited for without end (tried). */
  async #query<Format extends DataFormat>(
    asked: Omit<QueryParams, 'format'> & { format?: Format },
    signal: AbortSignal,
  ) {
    const response = await this.#clickhouse.query<Format>({ ...asked, abort_signal: signal })
    signal.addEventListener('abort', () => response.close())
    return response
  }

  async #takePlace(): Promise<void> {
    const { atOnce, waiting, waitMs } = this.#limits
    if (this.#running < atOnce) return void this.#running++
    if (this.#waiting.size >= waiting) throw tooManyReads()
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(enter)
        reject(tooManyReads())
      }, waitMs)
      this.#waiting.add(enter)
    })
  }

  /** The place goes to who has waited longest. */
  #leavePlace(): void {
    const [next] = this.#waiting
    if (!next) return void this.#running--
    this.#waiting.delete(next)
    next()
  }
}

const unavailable = (detail: string, cause?: unknown) =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '5' }, cause })

const tooManyReads = () => unavailable('Too many questions about page views at once: try again.')

/** The queries are ours and their parameters were checked: what goes wrong is ClickHouse being away, full or slow. */
const asUnavailable = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : unavailable('Page views cannot be read for a moment: try again, or ask for a shorter range.', error)
