/**
 * A keyed mutex: one caller at a time per key, first come, first served. Creates of one project exclude each other in PostgreSQL
 * anyway; those of this process wait here, where they occupy no connection that other projects need. (Without the mutex a few
 * hundred concurrent creates took the whole pool until they were done, and every other request got 503: tried.)
 */
export class KeyedMutex<Key> {
  readonly #last = new Map<Key, Promise<void>>()

  /** Runs `work` and tells it whether it had to wait. */
  async run<Result>(key: Key, work: (hadToWait: boolean) => Promise<Result>): Promise<Result> {
    const previous = this.#last.get(key)
    const { promise: done, resolve: release } = Promise.withResolvers<void>()
    this.#last.set(key, done)
    await previous
    try {
      return await work(previous !== undefined)
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key)
      release()
    }
  }
}
