/** Token buckets, one for each key: a steady rate, and a burst after a pause. */
export class TokenBuckets {
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new Map<string, { tokens: number; updatedMs: number }>()

  constructor({ perSecond, burst }: { perSecond: number; burst: number }) {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Any cost is allowed while there is a token, so that a large one is not refused forever. What is missing then has to be refilled first. */
  tryConsume(key: string, nowMs = performance.now(), cost = 1): boolean {
    const bucket = this.#buckets.get(key)
    const refilled = bucket ? bucket.tokens + ((nowMs - bucket.updatedMs) / 1000) * this.#perSecond : this.#burst
    const tokens = Math.min(refilled, this.#burst)
    this.#buckets.delete(key) // moves the key to the end of the order
    this.#buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - cost, updatedMs: nowMs })
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= maxBuckets) break
      this.#buckets.delete(oldest) // a client with many networks gets full buckets, and is limited by project
    }
    return tokens >= 1
  }
}

const maxBuckets = 50_000 // about 10 MB
