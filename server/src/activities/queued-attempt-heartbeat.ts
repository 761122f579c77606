/**
 * Until a runner claims a queued attempt, the worker that queued it sends its heartbeats. If that worker dies, the activity times
 * out, and Temporal makes another worker queue the turn again. An attempt that has waited too long is failed here, because nothing
 * else inspects it while it waits.
 */
import type { Client } from '@temporalio/client'
import type { AttemptStore, QueueFailureCode, TurnLimits } from '../jobs/attempt-store.ts'
import type { Log } from '../platform/log.ts'
import { createFinalFailure } from './create-final-failure.ts'

/** Sent one by one, sixty heartbeats took longer than the heartbeat timeout (tried, on a busy machine). */
const maxConcurrent = 20

export class QueuedAttemptHeartbeat {
  readonly #taskTokens = new Map<string, Buffer>()
  #sending: Promise<void> | undefined
  readonly #client: Client
  readonly #attempts: AttemptStore
  readonly #limits: TurnLimits
  readonly #log: Log
  readonly #timer: NodeJS.Timeout

  constructor({
    client,
    attempts,
    limits,
    log,
    everyMs,
  }: { client: Client; attempts: AttemptStore; limits: TurnLimits; log: Log; everyMs: number }) {
    this.#client = client
    this.#attempts = attempts
    this.#limits = limits
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
    const queued = await this.#attempts.recordQueued(
      all.map(([, token]) => token),
      this.#limits,
    )
    const byKey = new Map(queued.map((attempt) => [attempt.taskToken.toString('base64'), attempt]))
    const remaining = all.values()
    const sendRemaining = async () => {
      for (const [key, token] of remaining) {
        const attempt = byKey.get(key)
        if (!attempt) this.#taskTokens.delete(key)
        else if (attempt.failure) await this.#fail(key, token, attempt.failure)
        else
          await this.#client.activity.heartbeat(token).catch((error: unknown) => this.#handleError(key, token, error))
      }
    }
    await Promise.all(Array.from({ length: maxConcurrent }, sendRemaining))
  }

  /** If this does not reach Temporal, the activity times out, and the turn fails with the same code when it is queued again. */
  async #fail(key: string, token: Buffer, code: QueueFailureCode): Promise<void> {
    this.#taskTokens.delete(key)
    if (!(await this.#attempts.endQueued(token))) return // a runner has claimed it in the meantime
    await this.#client.activity
      .fail(token, createFinalFailure(code))
      .catch((error: unknown) => this.#log.warn({ error: String(error) }, 'could not report a failed turn to Temporal'))
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
