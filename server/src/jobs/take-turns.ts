/**
 * One at a time for each key, in the order they came. Creates of one project take turns in PostgreSQL anyway; those that wait
 * in this process wait here, where they keep no connection from other projects. (Without it a few hundred at once took the
 * whole pool for as long as it lasted, and everybody was told 503: tried.)
 */
export class TakeTurns<Key> {
  readonly #last = new Map<Key, Promise<void>>()

  /** `work` is told whether it had to wait. */
  async run<Result>(key: Key, work: (hadToWait: boolean) => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key)
    const { promise: done, resolve: next } = Promise.withResolvers<void>()
    this.#last.set(key, done)
    await before
    try {
      return await work(before !== undefined)
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key)
      next()
    }
  }
}
