/** A client that retries each request on any replica until it gets a final response, as a careful caller would. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatBearerHeader, type HttpResponse, sendHttpRequest } from './http-call.ts'

export interface Replica {
  url: string
  /** Write requests without a response yet. */
  openWrites: number
}

export interface JsonRequest {
  method: 'GET' | 'POST'
  /** Includes the project's id. */
  path: string
  key: string
  body?: unknown
  idempotencyKey?: string
}

export interface RawRequest {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: readonly string[]
  body?: string | Buffer
}

export class RetryingClient {
  retries = 0
  /** Responses with a server error other than 503. */
  readonly serverErrors: string[] = []
  readonly #replicas: readonly Replica[]
  readonly #signal: AbortSignal

  /** When the signal aborts, the client stops retrying and throws. */
  constructor(replicas: readonly Replica[], signal: AbortSignal) {
    this.#replicas = replicas
    this.#signal = signal
  }

  async sendJson({ method, path, key, body, idempotencyKey }: JsonRequest): Promise<{ status: number; json: unknown }> {
    const headers = [
      ...formatBearerHeader(key),
      ...(idempotencyKey === undefined ? [] : ['idempotency-key', idempotencyKey]),
      ...(body === undefined ? [] : ['content-type', 'application/json']),
    ]
    const text = body === undefined ? undefined : JSON.stringify(body)
    const response = await this.send({ method, path, headers, ...(text !== undefined && { body: text }) })
    return { status: response.status, json: JSON.parse(response.text) as unknown }
  }

  async send(request: RawRequest): Promise<HttpResponse> {
    for (let attempt = 1; ; attempt++) {
      this.#signal.throwIfAborted()
      const response = await this.#sendOnce(request)
      if (response && response.status >= 500 && response.status !== 503) {
        this.serverErrors.push(`${request.method} ${request.path}: ${response.status} ${response.text}`)
      }
      if (response && response.status < 500 && response.status !== 429) return response
      this.retries++
      await sleep(100 + Math.min(attempt * 100, 1000))
    }
  }

  async #sendOnce({ method, path, headers, body }: RawRequest): Promise<HttpResponse | undefined> {
    const replica = this.#replicas[Math.floor(Math.random() * this.#replicas.length)]
    if (!replica) throw new Error('there are no replicas')
    const openedWrites = method === 'GET' ? 0 : 1
    replica.openWrites += openedWrites
    try {
      return await sendHttpRequest({ method, url: replica.url + path, headers, ...(body !== undefined && { body }) })
    } catch {
      return undefined // the replica was killed, or is not up again yet
    } finally {
      replica.openWrites -= openedWrites
    }
  }
}
