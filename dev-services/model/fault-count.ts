import { createHash } from 'node:crypto'
import type { Conversation } from './conversation.ts'
import type { Fault } from './script.ts'

const maxConversations = 10_000

/**
 * Remembers how often a fault has struck. A retry asks the same thing again, so the words are the key; two
 * conversations with the same first prompt are one here until their first tool call, whose id is random.
 */
export class FaultCount {
  readonly #struck = new Map<string, number>()

  /** The fault if it strikes now, undefined once it has struck often enough. */
  strike(fault: Fault | undefined, { model, turns }: Conversation): Fault | undefined {
    if (!fault) return undefined
    const key = createHash('sha256')
      .update(JSON.stringify([model, turns]))
      .digest('base64')
    const struck = this.#struck.get(key) ?? 0
    if (struck >= (fault.times ?? 1)) return undefined
    this.#struck.delete(key) // set anew, it is the youngest: a Map keeps the order of insertion
    this.#struck.set(key, struck + 1)
    const [oldest] = this.#struck.keys()
    if (this.#struck.size > maxConversations && oldest !== undefined) this.#struck.delete(oldest)
    return fault
  }
}
