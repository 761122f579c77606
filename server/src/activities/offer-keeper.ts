/**
 * An offered turn that no runner has claimed shows its sign of life from the worker that offered it. When that worker dies the
 * offer times out, and Temporal has another worker offer the turn again.
 */
import type { Client } from '@temporalio/client'
import type { AttemptStore } from '../jobs/attempt-store.ts'
import type { Log } from '../platform/log.ts'

/** One after another, sixty took longer than an offer lives without (tried, on a busy machine). */
const maxConcurrent = 20

export class OfferKeeper {
  readonly #offers = new Map<string, Buffer>()
  #beating: Promise<void> | undefined
  readonly #client: Client
  readonly #attempts: AttemptStore
  readonly #log: Log
  readonly #timer: NodeJS.Timeout

  constructor({
    client,
    attempts,
    log,
    everyMs,
  }: { client: Client; attempts: AttemptStore; log: Log; everyMs: number }) {
    this.#client = client
    this.#attempts = attempts
    this.#log = log
    this.#timer = setInterval(() => {
      this.#beating ??= this.#beat()
        .catch((error: unknown) => this.#log.warn({ error: String(error) }, 'could not keep offers alive'))
        .finally(() => {
          this.#beating = undefined
        })
    }, everyMs)
  }

  keep(taskToken: Uint8Array): void {
    const token = Buffer.from(taskToken)
    this.#offers.set(token.toString('base64'), token)
  }

  async #beat(): Promise<void> {
    const kept = [...this.#offers] // those that come while we ask are for the next time
    const waiting = await this.#attempts.stillOffered(kept.map(([, token]) => token))
    const names = new Set(waiting.map((token) => token.toString('base64')))
    const next = kept.values()
    const beatSome = async () => {
      for (const [name, token] of next) {
        if (!names.has(name)) this.#offers.delete(name)
        else await this.#client.activity.heartbeat(token).catch((error: unknown) => this.#ended(name, token, error))
      }
    }
    await Promise.all(Array.from({ length: maxConcurrent }, beatSome))
  }

  /** Cancelled while nobody had it: there is nobody to stop. Otherwise Temporal has given it up already. */
  async #ended(name: string, token: Buffer, error: unknown): Promise<void> {
    const kind = error instanceof Error ? error.name : ''
    if (kind === 'ActivityCancelledError') await this.#client.activity.reportCancellation(token).catch(() => {})
    if (kind === 'ActivityCancelledError' || kind === 'ActivityNotFoundError') this.#offers.delete(name)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
