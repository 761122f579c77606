/** Limits how much work runs at a time, how much more may wait, and for how long. First come, first served. */

export interface SemaphoreLimits {
  maxConcurrent: number
  /** Unlimited if omitted. */
  maxWaiting?: number
  /** Unlimited if omitted. */
  waitTimeoutMs?: number
}

/** Too much work is waiting already, or this work has waited too long. */
export class SemaphoreFullError extends Error {
  override name = 'SemaphoreFullError'
}

export class Semaphore {
  readonly #limits: Required<SemaphoreLimits>
  #running = 0
  readonly #waiting = new Set<() => void>()

  constructor({ maxConcurrent, maxWaiting, waitTimeoutMs }: SemaphoreLimits) {
    this.#limits = {
      maxConcurrent,
      maxWaiting: maxWaiting ?? Number.POSITIVE_INFINITY,
      waitTimeoutMs: waitTimeoutMs ?? Number.POSITIVE_INFINITY,
    }
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.acquire()
    try {
      return await work()
    } finally {
      this.release()
    }
  }

  /** For work whose end is an event: `release` must follow exactly once. */
  async acquire(): Promise<void> {
    const { maxConcurrent, maxWaiting, waitTimeoutMs } = this.#limits
    if (this.#running < maxConcurrent) {
      this.#running += 1
      return
    }
    if (this.#waiting.size >= maxWaiting) throw new SemaphoreFullError()
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const giveUp = () => {
        this.#waiting.delete(start)
        reject(new SemaphoreFullError())
      }
      const timer = Number.isFinite(waitTimeoutMs) ? setTimeout(giveUp, waitTimeoutMs) : undefined
      this.#waiting.add(start)
    })
  }

  get isIdle(): boolean {
    return this.#running === 0
  }

  /** Passes the slot on to the work that has waited longest. */
  release(): void {
    const [next] = this.#waiting
    if (next) {
      this.#waiting.delete(next)
      next()
    } else this.#running -= 1
  }
}

/** A semaphore for each key, for example for each project. */
export class KeyedSemaphore<Key> {
  readonly #limits: SemaphoreLimits
  readonly #semaphores = new Map<Key, Semaphore>()

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
  }

  async acquire(key: Key): Promise<void> {
    let semaphore = this.#semaphores.get(key)
    if (!semaphore) {
      semaphore = new Semaphore(this.#limits)
      this.#semaphores.set(key, semaphore)
    }
    await semaphore.acquire()
  }

  release(key: Key): void {
    const semaphore = this.#semaphores.get(key)
    semaphore?.release()
    if (semaphore?.isIdle) this.#semaphores.delete(key)
  }
}

/** Work needs a slot of its key and one of all keys together, so that no key can take the slots of all others. */
export class SharedSemaphore<Key> {
  readonly #all: Semaphore
  readonly #byKey: KeyedSemaphore<Key>

  constructor({ all, perKey }: { all: SemaphoreLimits; perKey: SemaphoreLimits }) {
    this.#all = new Semaphore(all)
    this.#byKey = new KeyedSemaphore(perKey)
  }

  /** Throws a `SemaphoreFullError`. `release` must follow exactly once. */
  async acquire(key: Key): Promise<void> {
    await this.#byKey.acquire(key)
    await this.#all.acquire().catch((error: unknown) => {
      this.#byKey.release(key)
      throw error
    })
  }

  release(key: Key): void {
    this.#all.release()
    this.#byKey.release(key)
  }
}
