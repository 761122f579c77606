/** Which failed calls are repeated, how often, and after how long. */
import { sleep } from './abortable-timer.ts'
import { ColophonError } from './colophon-error.ts'

/**
 * Limits of automatic retries. Only calls that are safe to repeat are retried: reads, and writes with an idempotency key, which
 * is the same in every attempt.
 */
export interface RetryOptions {
  /** Attempts after the first one. Defaults to 6. */
  maxRetries?: number
  /** No attempt starts later than this after the first one, also if `Retry-After` says so. Defaults to 60. */
  maxSeconds?: number
}

export interface RetryLimits extends Required<RetryOptions> {}

export const defaultRetryLimits: RetryLimits = { maxRetries: 6, maxSeconds: 60 }
const noRetries: RetryLimits = { maxRetries: 0, maxSeconds: 0 }

/** Options that are not given are those of `defaults`. */
export const toRetryLimits = (options: RetryOptions | false | undefined, defaults: RetryLimits): RetryLimits =>
  options === false ? noRetries : { ...defaults, ...options }

const firstBackoffMs = 500
const maxBackoffMs = 10_000

/** Exponential backoff with full jitter, so that clients that failed together do not return together. */
export function retryDelayMs(failures: number, { retryAfterSeconds }: ColophonError): number {
  const jitterMs = Math.random() * Math.min(maxBackoffMs, firstBackoffMs * 2 ** failures)
  return retryAfterSeconds === undefined ? jitterMs : retryAfterSeconds * 1000 + Math.min(jitterMs, firstBackoffMs)
}

const retriedStatuses = new Set([408, 425, 429])

/** Whether the same call can succeed later: there was no response, or one with a status that says so. */
export const isTransient = (error: unknown): error is ColophonError =>
  error instanceof ColophonError &&
  (error.status === undefined || error.status >= 500 || retriedStatuses.has(error.status))

export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { maxRetries, maxSeconds }: RetryLimits,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const lastStartMs = Date.now() + maxSeconds * 1000
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (signal?.aborted || !isTransient(error) || failures >= maxRetries) throw error
      const delayMs = retryDelayMs(failures, error)
      if (Date.now() + delayMs > lastStartMs) throw error
      await sleep(delayMs, signal)
    }
  }
}
