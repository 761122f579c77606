/** Clients that follow the events of a job, as a stream and page by page, and discard them. */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'

export interface FollowTarget {
  apiUrl: string
  projectId: string
  key: string
  streamsPerJob: number
}

export class EventFollowers {
  readonly counts = { streamedBytes: 0, pagedBytes: 0, rejected: 0 }
  readonly #target: FollowTarget
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 100 })
  readonly #stopping = new AbortController()

  constructor(target: FollowTarget) {
    this.#target = target
  }

  follow(jobId: string): void {
    const { apiUrl, projectId, streamsPerJob } = this.#target
    const url = `${apiUrl}/v2/agent/${projectId}/job/${jobId}/events`
    for (let stream = 0; stream < streamsPerJob; stream++) this.#openStream(url)
    void this.#readPages(url)
  }

  stop(): void {
    this.#stopping.abort()
    this.#agent.destroy()
  }

  #openStream(url: string): void {
    const headers = [...formatBearerHeader(this.#target.key), 'accept', 'text/event-stream']
    const opened = request(url, { headers, agent: this.#agent, signal: this.#stopping.signal }, (response) => {
      if (response.statusCode !== 200) this.counts.rejected++
      response.on('data', (chunk: Buffer) => {
        this.counts.streamedBytes += chunk.length
      })
      response.on('error', () => {})
    })
    opened.on('error', () => {}) // it was stopped
    opened.end()
  }

  /** From the beginning, again and again. */
  async #readPages(url: string): Promise<void> {
    const { signal } = this.#stopping
    for (let after: string | null = null; !signal.aborted; ) {
      const query: string = after === null ? '' : `&after=${after}`
      const { status, text } = await sendHttpRequest({
        method: 'GET',
        url: `${url}?limit=1000${query}`,
        headers: formatBearerHeader(this.#target.key),
        agent: this.#agent,
      }).catch(() => ({ status: 0, text: '' }))
      if (status === 200) {
        this.counts.pagedBytes += text.length
        after = /"nextAfter":"([\d.]+)"/.exec(text)?.[1] ?? null // without parsing a megabyte
      } else this.counts.rejected++
      await sleep(after === null ? 1_000 : 250, undefined, { signal }).catch(() => {})
    }
  }
}
