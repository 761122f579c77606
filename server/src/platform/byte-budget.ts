/** Limits how many bytes are held in memory at a time. */
export class ByteBudget {
  readonly #maxBytes: number
  #reservedBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** False: nothing was reserved. The first reservation always succeeds, however large. */
  tryReserve(bytes: number): boolean {
    if (this.#reservedBytes > 0 && this.#reservedBytes + bytes > this.#maxBytes) return false
    this.#reservedBytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#reservedBytes -= bytes
  }
}
