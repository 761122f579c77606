import type { Id } from '../platform/ids.ts'

/** An engine, or git, makes one call after another; what wants many at once is neither. */
const maxConcurrent = 4

/** Calls of each turn at this gateway. In memory: what a gateway held up when it died, it holds up no longer. */
export class CallsUnderWay {
  readonly #counts = new Map<Id<'trn'>, number>()

  /** False: there are too many already, or it is over. */
  enter(turnId: Id<'trn'>, over: AbortSignal): boolean {
    const count = this.#counts.get(turnId) ?? 0
    if (count >= maxConcurrent || over.aborted) return false
    this.#counts.set(turnId, count + 1)
    over.addEventListener('abort', () => this.#leave(turnId), { once: true })
    return true
  }

  #leave(turnId: Id<'trn'>): void {
    const left = (this.#counts.get(turnId) ?? 1) - 1
    if (left > 0) this.#counts.set(turnId, left)
    else this.#counts.delete(turnId)
  }
}
