/**
 * Shares publishing among projects and code hosts: a project uses a part of the slots, and a code host that responds slowly takes no
 * slot from others for long. First come, first served, as far as these rules allow.
 */
import { SemaphoreFullError } from '../platform/semaphore.ts'

export interface PublishSlotLimits {
  maxConcurrent: number
  /** A slow project publishes one result at a time. */
  maxConcurrentPerProject: number
  /** In addition, for projects and code hosts that are known to be slow. */
  maxConcurrentSlow: number
  /** After this time a result that is still being published counts as slow, and so do its project and its code host. */
  slowAfterMs: number
  /** Over all projects. */
  maxWaiting: number
  maxWaitingPerProject: number
  waitTimeoutMs: number
}

export interface PublishTarget {
  projectId: string
  /** The code host's URL. */
  host: string
}

interface RunningResult {
  target: PublishTarget
  isSlow: boolean
}

interface WaitingResult {
  target: PublishTarget
  start(running: RunningResult): void
}

/** Without a newer observation. A result that is published quickly ends it at once. */
const rememberSlowMs = 10 * 60_000

export class PublishSlots {
  readonly #limits: PublishSlotLimits
  readonly #running = new Set<RunningResult>()
  readonly #waiting = new Set<WaitingResult>()
  /** By project and by code host. */
  readonly #slowUntilMs = new Map<string, number>()

  constructor(limits: PublishSlotLimits) {
    this.#limits = limits
  }

  /** Throws a `SemaphoreFullError` if too many results are waiting, or this one has waited too long. */
  async run<Result>(target: PublishTarget, publish: () => Promise<Result>): Promise<Result> {
    const running = this.#takeSlot(target) ?? (await this.#waitForSlot(target))
    let isQuick = true
    const timer = setTimeout(() => {
      isQuick = false
      this.#markSlow(running)
    }, this.#limits.slowAfterMs)
    try {
      const result = await publish()
      if (isQuick) for (const key of keysOf(target)) this.#slowUntilMs.delete(key)
      return result
    } finally {
      clearTimeout(timer)
      this.#running.delete(running)
      this.#startWaiting()
    }
  }

  async #waitForSlot(target: PublishTarget): Promise<RunningResult> {
    const { maxWaiting, maxWaitingPerProject, waitTimeoutMs } = this.#limits
    if (this.#waiting.size >= maxWaiting || countOfProject(this.#waiting, target) >= maxWaitingPerProject)
      throw new SemaphoreFullError()
    const { promise, resolve, reject } = Promise.withResolvers<RunningResult>()
    const waiting = { target, start: resolve }
    this.#waiting.add(waiting)
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting)
      reject(new SemaphoreFullError())
    }, waitTimeoutMs)
    return promise.finally(() => clearTimeout(timer))
  }

  #startWaiting(): void {
    for (const waiting of this.#waiting) {
      const running = this.#takeSlot(waiting.target)
      if (!running) continue
      this.#waiting.delete(waiting)
      waiting.start(running)
    }
  }

  #takeSlot(target: PublishTarget): RunningResult | undefined {
    const isSlow = keysOf(target).some((key) => (this.#slowUntilMs.get(key) ?? 0) > performance.now())
    const { maxConcurrent, maxConcurrentPerProject, maxConcurrentSlow } = this.#limits
    if (countOfProject(this.#running, target) >= (isSlow ? 1 : maxConcurrentPerProject)) return undefined
    const running = [...this.#running].filter((result) => result.isSlow === isSlow).length
    if (running >= (isSlow ? maxConcurrentSlow : maxConcurrent)) return undefined
    const started = { target, isSlow }
    this.#running.add(started)
    return started
  }

  /** Its slot becomes free for others, unless too many are slow already. */
  #markSlow(running: RunningResult): void {
    for (const key of keysOf(running.target)) this.#slowUntilMs.set(key, performance.now() + rememberSlowMs)
    const slow = [...this.#running].filter(({ isSlow }) => isSlow).length
    if (slow < this.#limits.maxConcurrentSlow) running.isSlow = true
    this.#startWaiting()
  }
}

const countOfProject = (results: ReadonlySet<{ target: PublishTarget }>, { projectId }: PublishTarget) =>
  [...results].filter(({ target }) => target.projectId === projectId).length

const keysOf = ({ projectId, host }: PublishTarget) => [projectId, host]
