import { Problem } from '../platform/http/problem.ts'

const windowMs = 60_000

/**
 * So many in a minute, counted by each replica for itself: it keeps one client from taking the database from the others,
 * and need not be exact.
 */
export class MinuteLimit {
  readonly #what: string
  readonly #maxPerMinute: number
  readonly #counts = new Map<string, number>()
  #windowStartedAt = performance.now()

  /** `what` completes "More than 600 …". */
  constructor(what: string, maxPerMinute: number) {
    this.#what = what
    this.#maxPerMinute = maxPerMinute
  }

  take(whose: string): void {
    const now = performance.now()
    if (now - this.#windowStartedAt >= windowMs) {
      this.#counts.clear() // also what keeps the map small
      this.#windowStartedAt = now
    }
    const count = (this.#counts.get(whose) ?? 0) + 1
    if (count > this.#maxPerMinute) {
      const waitSeconds = Math.ceil((this.#windowStartedAt + windowMs - now) / 1000)
      throw new Problem(
        'rate_limited',
        `More than ${this.#maxPerMinute} ${this.#what} in a minute: wait ${waitSeconds} s.`,
        {
          headers: { 'retry-after': String(waitSeconds) },
        },
      )
    }
    this.#counts.set(whose, count)
  }
}
