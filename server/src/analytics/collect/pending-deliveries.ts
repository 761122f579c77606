/** Deliveries that wait to be written, one group after another. A group is what has arrived since the last one was taken. */
import type { AppendOutcome } from './delivery-ids.ts'
import type { ViewDelivery } from './view-delivery.ts'

export interface PendingDelivery {
  delivery: ViewDelivery
  resolve(outcome: AppendOutcome): void
  reject(error: unknown): void
}

const collectForMs = 20
const maxViewsPerGroup = 20_000

export class PendingDeliveries {
  readonly #write: (group: readonly PendingDelivery[]) => Promise<void>
  #pending: PendingDelivery[] = []
  #writing: Promise<void> | undefined

  /** `write` settles every delivery of the group and never rejects. */
  constructor(write: (group: readonly PendingDelivery[]) => Promise<void>) {
    this.#write = write
  }

  add(delivery: PendingDelivery): void {
    this.#pending.push(delivery)
    this.#writing ??= new Promise((begin) => setTimeout(begin, collectForMs)).then(() => this.#writeAll())
  }

  /** Resolves when everything added before is settled. */
  async flush(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) await this.#write(this.#takeGroup())
    this.#writing = undefined
  }

  #takeGroup(): PendingDelivery[] {
    let views = 0
    const after = this.#pending.findIndex(({ delivery }, index) => {
      views += delivery.views.length
      return views > maxViewsPerGroup && index > 0
    })
    return this.#pending.splice(0, after === -1 ? this.#pending.length : after)
  }
}
