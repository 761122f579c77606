/**
 * Keys for what must not be done twice. The same content gets the same key until it was sent: a second click, or another
 * try after a lost answer, is then answered like the first.
 */
export class SendOnce {
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

  /** The same content is new work from now on. */
  sent(): void {
    this.#key = ''
  }
}

/** Not `randomUUID`: browsers have it only where the page came by TLS. */
const randomKey = () =>
  `dashboard-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
