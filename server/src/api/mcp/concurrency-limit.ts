import { Problem } from '../../platform/http/problem.ts'

/** How many requests are served at the same time, in all and per caller. */
export class ConcurrencyLimit {
  readonly #maxPerCaller: number
  readonly #maxTotal: number
  readonly #counts = new Map<string, number>()
  #total = 0

  constructor(maxPerCaller: number, maxTotal: number) {
    this.#maxPerCaller = maxPerCaller
    this.#maxTotal = maxTotal
  }

  /** Returns the function that releases it, which the caller calls once. */
  acquire(callerId: string): () => void {
    const count = this.#counts.get(callerId) ?? 0
    if (count >= this.#maxPerCaller)
      throw rejected(
        'rate_limited',
        `The limit is ${this.#maxPerCaller} requests at the same time per key. Wait for one to end.`,
      )
    if (this.#total >= this.#maxTotal)
      throw rejected('unavailable', 'The server is busy with requests of other clients. Try again in a few seconds.')
    this.#counts.set(callerId, count + 1)
    this.#total++
    return () => this.#release(callerId)
  }

  #release(callerId: string): void {
    const count = (this.#counts.get(callerId) ?? 1) - 1
    if (count === 0) this.#counts.delete(callerId)
    else this.#counts.set(callerId, count)
    this.#total--
  }
}

const rejected = (code: 'rate_limited' | 'unavailable', detail: string) =>
  new Problem(code, detail, { headers: { 'retry-after': '5' } })
