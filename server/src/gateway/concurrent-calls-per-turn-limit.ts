import type { Id } from '../platform/ids.ts'

/** Agents and git make their calls in sequence. A client that makes many at once is neither. */
const maxConcurrent = 4

/** Limits the concurrent calls of each turn at this gateway. In memory, so that a restart of the gateway clears all counts. */
export class ConcurrentCallsPerTurnLimit {
  readonly #counts = new Map<Id<'trn'>, number>()

  /** False: the limit is reached, or the call has already ended. The slot is released when `ended` is aborted. */
  acquire(turnId: Id<'trn'>, ended: AbortSignal): boolean {
    const count = this.#counts.get(turnId) ?? 0
    if (count >= maxConcurrent || ended.aborted) return false
    this.#counts.set(turnId, count + 1)
    ended.addEventListener('abort', () => this.#release(turnId), { once: true })
    return true
  }

  #release(turnId: Id<'trn'>): void {
    const remaining = (this.#counts.get(turnId) ?? 1) - 1
    if (remaining > 0) this.#counts.set(turnId, remaining)
    else this.#counts.delete(turnId)
  }
}
