/**
 * Runners that wait for work. One query finds what is queued for all of them together: a query per runner and half second would be
 * thousands per second with a thousand idle slots.
 */
import type { Id } from '../platform/ids.ts'
import type { AttemptStore } from './attempt-store.ts'

export interface WaitingRunner {
  /** Null: all projects. */
  projectIds: readonly Id<'prj'>[] | null
  isDisconnected(): boolean
}

interface Waiter extends WaitingRunner {
  wake(): void
}

/** For attempts that another worker queued, and for those that can be claimed only now, because their project was paused or busy. */
const pollMs = 500

export class QueuedAttemptWatcher {
  readonly #attempts: Pick<AttemptStore, 'countQueued'>
  /** Those that have waited longest come first. */
  readonly #waiters = new Set<Waiter>()
  #timer: NodeJS.Timeout | undefined
  #isPolling = false
  #pollsAgain = false

  constructor(attempts: Pick<AttemptStore, 'countQueued'>) {
    this.#attempts = attempts
  }

  /** Resolves when an attempt may be there for this runner, and after `maxMs` at the latest. */
  wait(runner: WaitingRunner, maxMs: number): Promise<void> {
    this.#timer ??= setInterval(() => void this.#poll(), pollMs)
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timeout)
        this.#waiters.delete(waiter)
        if (this.#waiters.size === 0) this.#stopPolling()
        resolve()
      }
      const waiter: Waiter = { ...runner, wake }
      const timeout = setTimeout(wake, maxMs)
      this.#waiters.add(waiter)
    })
  }

  /** This process has queued an attempt. Runners that wait at another process find it with their next poll. */
  notify(): void {
    void this.#poll()
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) {
      this.#pollsAgain = true
      return
    }
    this.#isPolling = true
    try {
      do {
        this.#pollsAgain = false
        if (this.#waiters.size > 0) this.#wakeFor(await this.#attempts.countQueued())
      } while (this.#pollsAgain)
    } catch {
      // PostgreSQL cannot be reached. The runner gets that error when it claims at the end of its wait.
    } finally {
      this.#isPolling = false
    }
  }

  #wakeFor(queued: readonly { projectId: Id<'prj'>; attempts: number }[]): void {
    for (const { projectId, attempts } of queued) {
      let left = attempts
      for (const waiter of this.#waiters) {
        if (left === 0) break
        if (waiter.projectIds !== null && !waiter.projectIds.includes(projectId)) continue
        if (!waiter.isDisconnected()) left--
        waiter.wake()
      }
    }
  }

  #stopPolling(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
