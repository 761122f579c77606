import type { FastifyBaseLogger } from 'fastify'
import type { ModelCallStore, Reservation } from '../../models/call-store.ts'
import type { Usage } from '../../models/model.ts'

const nothing: Usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }

/** Settles a reservation once, by whichever way its call ends first. */
export class Meter {
  readonly #calls: ModelCallStore
  readonly #reservation: Reservation
  readonly #log: FastifyBaseLogger
  #seen: Partial<Usage> = {}
  #settled = false

  constructor(calls: ModelCallStore, reservation: Reservation, log: FastifyBaseLogger) {
    this.#calls = calls
    this.#reservation = reservation
    this.#log = log
  }

  /** What the provider says, in the order in which it says it. */
  see(usage: Partial<Usage>): void {
    this.#seen = { ...this.#seen, ...usage }
  }

  /** The provider did not take the call. */
  async unused(): Promise<void> {
    await this.#settle(nothing)
  }

  /** The provider reported an error in its answer, after it had begun one or in its place. */
  async failed({ isBegun }: { isBegun: boolean }): Promise<void> {
    if (this.#seen.outputTokens !== undefined) await this.complete()
    else await (isBegun ? this.brokenOff() : this.unused())
  }

  /** The answer is complete. A provider that does not say what it used is taken to have used all that was reserved. */
  async complete(): Promise<void> {
    if (this.#seen.outputTokens === undefined && !this.#settled)
      this.#log.warn({ model: this.#reservation.model.name }, 'the provider did not say what a call used')
    await this.#settle({ ...this.#reserved(), ...this.#seen })
  }

  /** The answer broke off. The output may be all that was allowed: thinking is not shown, and is paid when it is broken off. */
  async brokenOff(): Promise<void> {
    const { outputTokens } = this.#reserved()
    await this.#settle({ ...this.#reserved(), ...this.#seen, outputTokens })
  }

  #reserved(): Usage {
    return { ...nothing, ...this.#reservation.atMost }
  }

  async #settle(usage: Usage): Promise<void> {
    if (this.#settled) return
    this.#settled = true
    await this.#calls.settle(this.#reservation, usage).catch((error: unknown) => {
      // It goes on counting as reserved, which is never less than what was used.
      this.#log.error({ callId: this.#reservation.id, error: String(error) }, 'could not settle a call of a model')
    })
  }
}
