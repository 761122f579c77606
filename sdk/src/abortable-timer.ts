/**
 * What `AbortSignal.any` and `AbortSignal.timeout` do together. Node 20.0 to 20.2 and browsers of 2023 do not have the first, and
 * the second cannot be stopped.
 */
export interface AbortableTimer {
  /** Aborts with the parent signal, when the time is over, or at `stop()`. */
  signal: AbortSignal
  hasTimedOut(): boolean
  restart(): void
  stop(): void
}

export function startAbortableTimer(parent: AbortSignal | undefined, timeoutMs: number): AbortableTimer {
  const controller = new AbortController()
  let hasTimedOut = false
  const start = () =>
    setTimeout(() => {
      hasTimedOut = true
      controller.abort()
    }, timeoutMs)
  let timer = start()
  const onParentAbort = () => controller.abort(parent?.reason)
  parent?.addEventListener('abort', onParentAbort)
  if (parent?.aborted) onParentAbort()
  return {
    signal: controller.signal,
    hasTimedOut: () => hasTimedOut,
    restart() {
      clearTimeout(timer)
      timer = start()
    },
    stop() {
      clearTimeout(timer)
      parent?.removeEventListener('abort', onParentAbort)
      controller.abort()
    },
  }
}

/** Throws the signal's reason as soon as it is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) onAbort()
  })
}
