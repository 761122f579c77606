import { Problem } from '../platform/http/problem.ts'

const windowMs = 60_000

/**
 * A fixed-window rate limit per key. Each replica counts for itself: the limit keeps one client from using up the database
 * and does not have to be exact.
 */
export class MinuteRateLimit {
  readonly #what: string
  readonly #maxPerMinute: number
  readonly #counts = new Map<string, number>()
  #windowStartedAt = performance.now()

  /** `what` completes "Rate limit exceeded: 600 … per minute." */
  constructor(what: string, maxPerMinute: number) {
    this.#what = what
    this.#maxPerMinute = maxPerMinute
  }

  consume(key: string): void {
    const now = performance.now()
    if (now - this.#windowStartedAt >= windowMs) {
      this.#counts.clear() // this also keeps the map small
      this.#windowStartedAt = now
    }
    const count = (this.#counts.get(key) ?? 0) + 1
    if (count > this.#maxPerMinute) {
      const waitSeconds = Math.ceil((this.#windowStartedAt + windowMs - now) / 1000)
      throw new Problem(
        'rate_limited',
        `Rate limit exceeded: ${this.#maxPerMinute} ${this.#what} per minute. Retry in ${waitSeconds} s.`,
        {
          headers: { 'retry-after': String(waitSeconds) },
        },
      )
    }
    this.#counts.set(key, count)
  }
}
