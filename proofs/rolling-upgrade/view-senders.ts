/**
 * Views as they reach both versions: beacons of browsers, and deliveries of servers, which are sent again after a moment as if the
 * response had been lost. A repetition is counted once, whichever version gets it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Load, LoadProject, SentDelivery } from '../machines-vanish/load.ts'

const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const requestTimeoutMs = 15_000

export interface ViewSendersOptions {
  load: Load
  url: string
  projects: readonly (LoadProject & { siteKey: string })[]
  everyMs: number
  random(): number
}

export class ViewSenders {
  readonly failures: string[] = []
  /** Requests, with the repetitions. */
  sent = 0
  readonly #options: ViewSendersOptions
  readonly #stopping = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  readonly #loop: Promise<void>

  constructor(options: ViewSendersOptions) {
    this.#options = options
    this.#loop = this.#repeat()
  }

  /** Returns when the last repetition was sent. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop
    await Promise.all(this.#sending)
  }

  async #repeat(): Promise<void> {
    for (let number = 1; !this.#stopping.signal.aborted; number++) {
      const sending = number % 2 === 0 ? this.#sendBeacon(number) : this.#sendDelivery(number)
      const tracked = sending.finally(() => this.#sending.delete(tracked))
      this.#sending.add(tracked)
      await sleep(this.#options.everyMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
  }

  async #sendBeacon(number: number): Promise<void> {
    const { project, delivery } = this.#register(`/beacon/${number}`)
    const body = JSON.stringify({ key: project.siteKey, id: `beacon-${number}`, path: delivery.path })
    await this.#sendTwice(delivery, 204, '/v1/collect', { 'content-type': 'text/plain', 'user-agent': userAgent }, body)
  }

  async #sendDelivery(number: number): Promise<void> {
    const { project, delivery } = this.#register(`/repeated/${number}`)
    const view = {
      path: `${delivery.path}.md`,
      userAgent: 'curl/8.7.1',
      at: new Date(Date.now() - 60_000).toISOString(),
    }
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${project.key}`,
      'idempotency-key': `repeated-${number}`,
    }
    await this.#sendTwice(
      delivery,
      200,
      `/v1/ingest/${project.projectId}/views`,
      headers,
      JSON.stringify({ views: [view] }),
    )
  }

  #register(path: string): { project: LoadProject & { siteKey: string }; delivery: SentDelivery } {
    const { projects, load, random } = this.#options
    const project = projects[Math.floor(random() * projects.length)]
    if (!project) throw new Error('there are no projects')
    const delivery: SentDelivery = {
      project,
      path,
      views: 1,
      sentAtMs: performance.now(),
      acknowledgedAtMs: undefined,
      attempts: 0,
      isLost: false,
    }
    load.deliveries.push(delivery)
    return { project, delivery }
  }

  /** The second time at once, so that both versions may record it at the same moment, or after up to 5 s. */
  async #sendTwice(
    delivery: SentDelivery,
    expectedStatus: number,
    path: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<void> {
    const send = async () => {
      delivery.attempts++
      this.sent++
      const signal = AbortSignal.timeout(requestTimeoutMs)
      const status = await fetch(this.#options.url + path, { method: 'POST', headers, body, signal }).then(
        async (response) =>
          `${response.status}${response.status === expectedStatus ? '' : ` ${await response.text()}`}`,
        (error: Error) => `${error.message}: ${error.cause}`,
      )
      if (status === String(expectedStatus)) delivery.acknowledgedAtMs ??= performance.now()
      else this.failures.push(`${path}: ${status}`)
    }
    const { random } = this.#options
    const delayMs = random() < 0.5 ? 0 : random() * 5_000
    await Promise.all([send(), sleep(delayMs).then(send)])
  }
}
