/**
 * Until a runner claims a queued attempt, the worker that queued it sends its heartbeats. If that worker dies, the activity times
 * out, and Temporal makes another worker queue the turn again.
 */
import type { Client } from '@temporalio/client'
import type { AttemptStore } from '../jobs/attempt-store.ts'
import type { Log } from '../platform/log.ts'

/** Sent one by one, sixty heartbeats took longer than the heartbeat timeout (tried, on a busy machine). */
const maxConcurrent = 20

export class QueuedAttemptHeartbeat {
  readonly #taskTokens = new Map<string, Buffer>()
  #sending: Promise<void> | undefined
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
      this.#sending ??= this.#sendHeartbeats()
        .catch((error: unknown) =>
          this.#log.warn({ error: String(error) }, 'could not send heartbeats of queued attempts'),
        )
        .finally(() => {
          this.#sending = undefined
        })
    }, everyMs)
  }

  add(taskToken: Uint8Array): void {
    const token = Buffer.from(taskToken)
    this.#taskTokens.set(token.toString('base64'), token)
  }

  async #sendHeartbeats(): Promise<void> {
    const all = [...this.#taskTokens] // those added during the query are for the next time
    const queued = await this.#attempts.filterQueued(all.map(([, token]) => token))
    const queuedKeys = new Set(queued.map((token) => token.toString('base64')))
    const remaining = all.values()
    const sendRemaining = async () => {
      for (const [key, token] of remaining) {
        if (!queuedKeys.has(key)) this.#taskTokens.delete(key)
        else
          await this.#client.activity.heartbeat(token).catch((error: unknown) => this.#handleError(key, token, error))
      }
    }
    await Promise.all(Array.from({ length: maxConcurrent }, sendRemaining))
  }

  /** An attempt that is cancelled while it is queued has no runner to stop. If it is not found, Temporal has given it up. */
  async #handleError(key: string, token: Buffer, error: unknown): Promise<void> {
    const kind = error instanceof Error ? error.name : ''
    if (kind === 'ActivityCancelledError') await this.#client.activity.reportCancellation(token).catch(() => {})
    if (kind === 'ActivityCancelledError' || kind === 'ActivityNotFoundError') this.#taskTokens.delete(key)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
