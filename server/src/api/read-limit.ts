import { Problem } from '../platform/http/problem.ts'

const readsPerMinute = 600
const windowMs = 60_000

/**
 * Reads per key and minute, counted by each replica for itself: it keeps one client from taking the database from the
 * others, and need not be exact.
 */
export class ReadLimit {
  readonly #counts = new Map<string, number>()
  #windowStartedAt = performance.now()

  take(keyId: string): void {
    const now = performance.now()
    if (now - this.#windowStartedAt >= windowMs) {
      this.#counts.clear() // also what keeps the map small
      this.#windowStartedAt = now
    }
    const count = (this.#counts.get(keyId) ?? 0) + 1
    if (count > readsPerMinute) {
      const waitSeconds = Math.ceil((this.#windowStartedAt + windowMs - now) / 1000)
      throw new Problem('rate_limited', `More than ${readsPerMinute} reads in a minute: wait ${waitSeconds} s.`, {
        headers: { 'retry-after': String(waitSeconds) },
      })
    }
    this.#counts.set(keyId, count)
  }
}
