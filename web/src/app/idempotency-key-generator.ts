/**
 * Idempotency keys for requests that must not have their effect twice. The same content gets the same key until it is sent,
 * so that a second click, or a retry after a lost response, has the effect of one request.
 */
export class IdempotencyKeyGenerator {
  #content = ''
  #key = ''

  keyFor(content: object): string {
    const text = JSON.stringify(content)
    if (text !== this.#content || this.#key === '') {
      this.#content = text
      this.#key = randomKey()
    }
    return this.#key
  }

  /** From now on, the same content gets a new key. */
  sent(): void {
    this.#key = ''
  }
}

/** Not `randomUUID`: browsers provide it only on pages served over TLS. */
const randomKey = () =>
  `dashboard-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
