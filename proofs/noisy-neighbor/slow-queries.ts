/** Queries of many pages, as many at a time as asked for: when one ends, the next one begins. */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'

export interface QueryTarget {
  apiUrl: string
  projectId: string
  key: string
  concurrency: number
}

export interface QueryCounts {
  /** By status. */
  responses: Record<string, number>
  /** Of those with status 200. */
  totalSeconds: number
}

/** All pages are sorted for each of them. The offset is different each time, so that nothing can be cached. */
const queries = [
  (number: number) => `views?aiScope=all&limit=250&offset=${(number * 250) % 100_000}`,
  (number: number) => `views?aiScope=all&limit=250&q=${number % 10}`,
  (number: number) => `views/timeseries?interval=hour&timeZone=Asia/Kolkata&path=/docs/guide-1/page-${number}`,
  () => 'views.csv?aiScope=all',
]

const pauseAfterErrorMs = 100

export class SlowQueries {
  readonly counts: QueryCounts = { responses: {}, totalSeconds: 0 }
  readonly #target: QueryTarget
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 100 })
  readonly #stopping = new AbortController()

  constructor(target: QueryTarget) {
    this.#target = target
  }

  start(): void {
    for (let slot = 0; slot < this.#target.concurrency; slot++) void this.#repeat(slot)
  }

  stop(): void {
    this.#stopping.abort()
    this.#agent.destroy()
  }

  /** Each slot repeats one kind of query. */
  async #repeat(slot: number): Promise<void> {
    const { apiUrl, projectId, key } = this.#target
    const query = queries[slot % queries.length]
    for (let number = slot; query && !this.#stopping.signal.aborted; number += 10) {
      const url = `${apiUrl}/v1/analytics/${projectId}/${query(number)}`
      const startedAtMs = performance.now()
      const { status } = await sendHttpRequest({
        method: 'GET',
        url,
        headers: formatBearerHeader(key),
        agent: this.#agent,
      }).catch(() => ({ status: 0 }))
      if (this.#stopping.signal.aborted) return
      this.counts.responses[status] = (this.counts.responses[status] ?? 0) + 1
      if (status === 200) this.counts.totalSeconds += (performance.now() - startedAtMs) / 1000
      else await sleep(pauseAfterErrorMs)
    }
  }
}
