import { createHash } from 'node:crypto'
import type { Conversation } from './conversation.ts'
import type { Fault } from './script.ts'

const maxConversations = 10_000

/**
 * Counts how often a fault was injected. A retry repeats the same conversation, so the conversation is the key. Two
 * conversations with the same first prompt share a count until their first tool call, which has a random ID.
 */
export class FaultCounter {
  readonly #counts = new Map<string, number>()

  /** Returns the fault if it must be injected now, undefined after it was injected `times` times. */
  next(fault: Fault | undefined, { model, turns }: Conversation): Fault | undefined {
    if (!fault) return undefined
    const key = createHash('sha256')
      .update(JSON.stringify([model, turns]))
      .digest('base64')
    const count = this.#counts.get(key) ?? 0
    if (count >= (fault.times ?? 1)) return undefined
    this.#counts.delete(key) // so that `set` moves it to the end: a Map keeps the order of insertion
    this.#counts.set(key, count + 1)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > maxConversations && oldest !== undefined) this.#counts.delete(oldest)
    return fault
  }
}
