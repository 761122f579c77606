import { createHash } from 'node:crypto'
import type { Conversation } from './conversation.ts'
import type { Trouble } from './script.ts'

const mostConversations = 10_000

/**
 * Remembers how often a trouble has struck. A retry asks the same thing again, so the words are the key; two
 * conversations with the same first prompt are one here until their first tool call, whose id is random.
 */
export class TroubleCount {
  readonly #struck = new Map<string, number>()

  /** The trouble if it strikes now, undefined once it has struck often enough. */
  strike(trouble: Trouble | undefined, { model, turns }: Conversation): Trouble | undefined {
    if (!trouble) return undefined
    const key = createHash('sha256')
      .update(JSON.stringify([model, turns]))
      .digest('base64')
    const struck = this.#struck.get(key) ?? 0
    if (struck >= (trouble.times ?? 1)) return undefined
    this.#struck.delete(key) // set anew, it is the youngest: a Map keeps the order of insertion
    this.#struck.set(key, struck + 1)
    const [oldest] = this.#struck.keys()
    if (this.#struck.size > mostConversations && oldest !== undefined) this.#struck.delete(oldest)
    return trouble
  }
}
