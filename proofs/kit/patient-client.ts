/** A client who repeats what it asked for until it is answered, at whichever replica, as a careful caller would. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, bearer, call } from './http-call.ts'

export interface Replica {
  url: string
  /** Requests that change something and are not answered yet. */
  openWrites: number
}

export interface PatientRequest {
  method: 'GET' | 'POST'
  /** With the project's id in it. */
  path: string
  key: string
  body?: unknown
  idempotencyKey?: string
}

export interface RawRequest {
  method: 'GET' | 'POST'
  path: string
  headers: readonly string[]
  body?: string | Buffer
}

export class PatientClient {
  repeats = 0
  /** Answers by which the service admits a fault of its own, where 503 would have been right. */
  readonly faults: string[] = []
  readonly #replicas: readonly Replica[]
  readonly #signal: AbortSignal

  /** With the signal it loses its patience. */
  constructor(replicas: readonly Replica[], signal: AbortSignal) {
    this.#replicas = replicas
    this.#signal = signal
  }

  async ask({ method, path, key, body, idempotencyKey }: PatientRequest): Promise<{ status: number; json: unknown }> {
    const headers = [
      ...bearer(key),
      ...(idempotencyKey === undefined ? [] : ['idempotency-key', idempotencyKey]),
      ...(body === undefined ? [] : ['content-type', 'application/json']),
    ]
    const text = body === undefined ? undefined : JSON.stringify(body)
    const response = await this.send({ method, path, headers, ...(text !== undefined && { body: text }) })
    return { status: response.status, json: JSON.parse(response.text) as unknown }
  }

  async send(request: RawRequest): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      this.#signal.throwIfAborted()
      const response = await this.#sendOnce(request)
      if (response && response.status >= 500 && response.status !== 503) {
        this.faults.push(`${request.method} ${request.path}: ${response.status} ${response.text}`)
      }
      if (response && response.status < 500 && response.status !== 429) return response
      this.repeats++
      await sleep(100 + Math.min(tries * 100, 1000))
    }
  }

  async #sendOnce({ method, path, headers, body }: RawRequest): Promise<Answer | undefined> {
    const replica = this.#replicas[Math.floor(Math.random() * this.#replicas.length)]
    if (!replica) throw new Error('there is no replica to ask')
    const opened = method === 'GET' ? 0 : 1
    replica.openWrites += opened
    try {
      return await call({ method, url: replica.url + path, headers, ...(body !== undefined && { body }) })
    } catch {
      return undefined // killed, or not yet back
    } finally {
      replica.openWrites -= opened
    }
  }
}
